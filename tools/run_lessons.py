"""Execute lessons in place; keep the stills and the models of their live pictures; write the page of sources.

`python3 course.py lessons` executes all of them, `python3 course.py lessons 02 04` those whose names begin so.
"""

import sys

import nbformat
from nbclient.exceptions import CellExecutionError

from tools import decided, headless, lessons, site, sources, stills, widget_states


def main(prefixes: list[str]) -> int:
    """Execute the named lessons (all when none is named) and write them back; return how many failed."""
    if problem := site.vendor() or (None if headless.chromium_path() else headless.HOW_TO_GET_IT):
        print(f"lessons: {problem}", file=sys.stderr)
        return 1
    sources.main()
    failed = 0
    with headless.chromium() as browser:
        for path in lessons.every():
            if prefixes and not path.name.startswith(tuple(prefixes)):
                continue
            try:
                run = lessons.execute(path, store_widget_state=True)
            except CellExecutionError as error:
                failed += 1
                print(f"{path.name}: failed, left as it was\n{error}")
                continue
            if wrong := decided.contradicted(run.said):
                failed += 1
                print(f"{path.name}: left as it was", *wrong, sep="\n  ")
                continue
            widget_states.keep(run.notebook, path.stem, widget_states.KEPT)
            stills.put(run.notebook, browser, site.ADDRESS and f"{site.ADDRESS}/{path.stem}.html")
            nbformat.write(lessons.tidy(run.notebook), path)
            print(f"{path.name}: {run.cpu_seconds:.1f} CPU-seconds, {run.peak_bytes / 1e9:.2f} GB", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
