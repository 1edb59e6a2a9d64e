"""The command: `python3 course.py measure MODEL`."""

import argparse
import sys

from clockwork.measure import measuring
from clockwork.measure.decoder import Unmeasurable


def main(arguments: list[str]) -> int:
    """Measure one model; what keeps it from being measured is one sentence."""
    reader = argparse.ArgumentParser(
        prog="python3 course.py measure",
        description="Measure how a decoder uses its positions: which hands, at which length, and what fails beyond it.",
    )
    reader.add_argument("model", help="a folder, a .gguf file, smollm2, or a name that transformers knows")
    reader.add_argument("--text", help="a file of plain text; by default three texts of the course")
    reader.add_argument("--lengths", type=numbers, help="tokens, such as 256,1024; by default 64,256,1024,1792")
    reader.add_argument("--windows", type=int, default=4, help="of each length, and needles: 1 to 4; fewer are faster")
    reader.add_argument("--out", help="the folder for the results; by default measured/ and the model's name")
    reader.add_argument("--memory", type=float, help="gigabytes that may be used; by default what is free")
    reader.add_argument("--device", choices=("cpu", "cuda"), help="by default cuda where there is one")
    reader.add_argument("--threads", type=int, help="processor threads; by default all")
    given = reader.parse_args(arguments)
    measuring.threads(given.threads)
    try:
        measuring.measure(
            given.model,
            text=given.text,
            lengths=given.lengths,
            most=given.windows,
            folder=given.out,
            memory=given.memory,
            device=given.device,
        )
    except (Unmeasurable, ValueError) as reason:
        print(f"Clockwork: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Clockwork: stopped; the same command goes on where it was.", file=sys.stderr)
        return 130
    return 0


def numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers between commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be whole numbers between commas, got {text!r}") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
