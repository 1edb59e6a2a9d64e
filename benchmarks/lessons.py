"""How long does a lesson run from top to bottom, and how much memory does its kernel take?

`python3 course.py bench lessons` runs every lesson in a fresh kernel, or those that are named (`02 05`). The seconds of
the clock include the kernel's start, as *Run All* in JupyterLab does; the page's own start is not in them.
"""

import json
import os
import platform
import sys
import time
from pathlib import Path

import torch
from tools import lessons

RESULT = Path(__file__).with_name("results") / "lessons.json"


def main() -> None:
    kept = json.loads(RESULT.read_text(encoding="utf-8"))["rows"] if RESULT.exists() else []
    rows = {row["lesson"]: row for row in kept}
    paths = {path.stem: path for path in lessons.every()}
    for name, path in paths.items():
        if len(sys.argv) > 1 and not name.startswith(tuple(sys.argv[1:])):
            continue
        start = time.perf_counter()
        run = lessons.execute(path)
        rows[name] = {
            "lesson": name,
            "Run All, s": round(time.perf_counter() - start, 1),
            "processor seconds": round(run.cpu_seconds, 1),
            "most memory, GB": round(run.peak_bytes / 1e9, 2),
        }
        print(rows[name], flush=True)
    result = {
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "torch": torch.__version__},
        "rows": [rows[name] for name in paths if name in rows],
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
