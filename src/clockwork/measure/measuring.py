"""Measure a model: `measure` is what `python3 course.py measure MODEL` and a cell of a notebook call."""

from __future__ import annotations

import functools
import hashlib
import html
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from clockwork.kit import datafiles
from clockwork.measure import loading, parts, runs, words
from clockwork.measure.decoder import Unmeasurable
from clockwork.measure.loading import Loaded

VERSION = 1  # of what a file holds
COURSE_TEXTS = ("alice", "course", "licence")  # of data/smollm2_texts.toml


class Found(dict):
    """What was measured, as schema.json describes it; a notebook shows its page."""

    def _repr_html_(self) -> str:
        from clockwork.measure import page

        written = html.escape(page.page(self))
        about = 'title="What was measured" width="100%" height="900" style="border: 0"'
        return f'<iframe srcdoc="{written}" {about}></iframe>'


def measure(
    model: str,
    *,
    text: str | Path | None = None,
    lengths: Sequence[int] | None = None,
    most: int = runs.MOST,
    folder: str | Path | None = None,
    memory: float | None = None,
    device: str | None = None,
    say: Callable[[str], None] = print,
) -> Found:
    """Measure how a decoder uses its positions; write `measured.json` and `measured.html`, and return the first.

    What is done is kept in the folder: called again, it goes on where it stopped. An interrupt (Ctrl-C, or a notebook's
    stop button) writes what is whole and is raised again.

    Args:
        model: a folder that transformers wrote, a `.gguf` file, "smollm2", or a name that transformers knows; only a
            name is looked for on the network.
        text: a file of plain text to measure on; by default three texts of the course.
        lengths: in tokens, rising; by default 64, 256, 1024 and 1792, as far as the texts reach.
        most: windows of each length, and needles: fewer are faster and leave wider intervals.
        folder: where the results go, by default `measured/` and the model's name.
        memory: gigabytes that may be used, by default what is free.
        device: "cpu" or "cuda", by default "cuda" where there is one.
        say: what is called with each line of progress.

    Raises:
        Unmeasurable: what keeps the model from being measured, in one sentence; nothing is written then.
        ValueError: lengths or a text that cannot be used.

    Example:
        >>> measure("smollm2")  # doctest: +SKIP
    """
    loading.quiet()
    wanted = tuple(parts.LENGTHS if lengths is None else lengths)
    if any(not isinstance(length, int) or length < 8 for length in wanted) or list(wanted) != sorted(set(wanted)):
        raise ValueError(f"lengths must rise, each a whole number of at least 8 tokens, got {wanted}")
    if not wanted:
        raise ValueError("lengths must name at least one (texts of this length are read), got none")
    if not 1 <= most <= len(parts.PLACES):
        raise ValueError(f"most must lie between 1 and {len(parts.PLACES)} (there are so many needles), got {most}")
    written = texts_of(text)
    plan = loading.plan(model, max(wanted), memory=memory, device=device)
    say(plan.says())
    loaded = loading.load(plan)
    return measure_loaded(loaded, written, wanted, Path(folder or Path("measured") / plan.name), say, most)


def measure_loaded(
    loaded: Loaded, written: dict[str, str], lengths: tuple[int, ...], folder: Path, say=print, most: int = runs.MOST
) -> Found:
    """Measure a model that is loaded; the other arguments are as in `measure`.

    Raises:
        ValueError: texts that are shorter than every length.
    """
    texts = {name: loaded.encode(text) for name, text in written.items()}
    longest = max(map(len, texts.values()))
    reached = tuple(length for length in lengths if length <= longest)
    if not reached:
        raise ValueError(f"lengths must not all be beyond the text (it has {longest} tokens), got {lengths}")
    of = {
        "version": VERSION,
        "model": loaded.about,
        "texts": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in written.items()},
        "lengths": reached,
        "most": most,
    }
    kept = runs.Runs(folder / "runs.jsonl", of)
    m = parts.Measured(loaded, texts, reached, kept, most)
    results, missing = {}, {}

    kept.counting = True
    for name, part in parts.PARTS.items():
        try:
            part(m)
        except Unmeasurable as reason:
            missing[name] = str(reason)
    kept.counting = False
    left = {name: tokens for name, tokens in kept.counted.items() if name not in kept.kept}
    say(
        f"{len(left)} runs to do, {sum(left.values()):,} tokens; {len(kept.counted) - len(left)} are kept in {folder}. "
        "Ctrl-C stops it, and the next start goes on."
    )
    from tqdm.auto import tqdm

    stopped = None
    with tqdm(total=sum(left.values()), unit=" tokens", unit_scale=True, disable=not left) as bar:
        kept.progress = bar.update
        for name, part in parts.PARTS.items():
            bar.set_description(name.replace("_", " "))
            if name in missing:
                continue
            try:
                results[name] = part(m)
            except Unmeasurable as reason:
                missing[name] = str(reason)
            except Exception as error:  # of a family that nobody tried: the other parts are still measured
                missing[name] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            except KeyboardInterrupt as interrupt:
                stopped = interrupt
                break
    if stopped is not None:
        missing |= {name: "stopped before it was done" for name in parts.PARTS if name not in results | missing}
    found = {
        "version": VERSION,
        "command": "python3 course.py measure",
        **{key: value for key, value in of.items() if key != "version"},
        "lengths_left_out": [length for length in lengths if length not in reached],
        "tokens": {name: len(tokens) for name, tokens in texts.items()},
        "parts": results,
        "missing": missing,
    }
    found["sentences"] = words.sentences(found)
    found = Found(json.loads(json.dumps(found)))
    check(found)
    write(found, folder)
    for reason in [f"{name} was not measured: {why}" for name, why in missing.items()]:
        say(reason)
    for sentence in found["sentences"]:
        say(sentence)
    say(f"Written: {folder / 'measured.html'} and measured.json beside it")
    if stopped is not None:
        raise stopped
    return found


def texts_of(file: str | Path | None) -> dict[str, str]:
    """Return the texts by name: those of the course, or the one in a file.

    Raises:
        ValueError: a file that is missing, empty, or no text.
    """
    if file is None:
        course = datafiles.read("smollm2_texts.toml")
        return {name: course[name]["text"] for name in COURSE_TEXTS}
    path = Path(file).expanduser()
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"text must be a file of plain text in UTF-8 ({error}), got {str(file)!r}") from None
    if not text.strip():
        raise ValueError(f"text must hold words, got the empty file {str(file)!r}")
    return {path.stem: text}


@functools.cache
def validator() -> Callable[[dict], dict]:
    """Return what checks results against schema.json."""
    import fastjsonschema

    return fastjsonschema.compile(json.loads(Path(__file__).with_name("schema.json").read_text("utf-8")))


def check(found: dict) -> None:
    """Check results against their schema.

    Raises:
        ValueError: where they do not follow it.
    """
    import fastjsonschema

    try:
        validator()(found)
    except fastjsonschema.JsonSchemaValueException as error:
        where = ".".join(map(str, error.path[1:])) or "the file"
        raise ValueError(f"{where} must follow schema.json ({error.message[:200]}), got another") from None


def read(file: str | Path) -> Found:
    """Return the results in a file, checked.

    Raises:
        ValueError: a file that does not follow the schema.
    """
    found = Found(json.loads(Path(file).read_text("utf-8")))
    check(found)
    return found


def recorded(name: str = "smollm2") -> Found:
    """Return what this repository's own measurement of a model holds: data/measured/.

    Example:
        >>> recorded("smollm2")["parts"]["config"]["trained"]
        8192
    """
    return Found(datafiles.read(f"measured/{name}.json"))


def write(found: dict, folder: Path) -> None:
    """Write both files, each whole or not at all."""
    from clockwork.measure import page

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("measured.json", json.dumps(found) + "\n"), ("measured.html", page.page(found))):
        part = folder / f"{name}.part"
        part.write_text(text, "utf-8")
        os.replace(part, folder / name)


def threads(count: int | None) -> None:
    """Let torch use so many threads."""
    if count is not None:
        torch.set_num_threads(count)
