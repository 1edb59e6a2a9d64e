"""How soon is a page of the site alive? From the start of its loading to its first and its last live view.

The pages in build/site are opened from disk in a browser without a window, each several times; medians count. A view
is alive when its picture is drawn and has its description. The size is that of the page beside shared files.
"""

import json
import os
import platform
import statistics
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOME))

from tools import headless  # noqa: E402

SITE = HOME / "build/site"
RESULT = HOME / "benchmarks/results/site.json"
TIMES = 5
SCRIPT = """
window.alive = new Map();
new MutationObserver(() => {
  for (const canvas of document.querySelectorAll("[data-widget] canvas[aria-label]"))
    if (!alive.has(canvas)) alive.set(canvas, performance.now());
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-label"] });
window.mounted = new Promise((done) => {
  document.addEventListener("clockwork:mounted", () => setTimeout(done, 500));
  setTimeout(done, 10_000); // a page without views
});
"""


def main() -> None:
    """Measure every lesson's page, print a table and keep it."""
    pages = sorted(SITE.glob("[0-9]*.html"))
    if not pages:
        sys.exit("build/site is empty: run python3 course.py site")
    rows = []
    with headless.chromium() as browser:
        for path in pages:
            times = [loaded(browser, path) for _ in range(TIMES)]
            row = {"page": path.stem, "kilobytes": round(path.stat().st_size / 1000)}
            if all(times):
                row["first_view_ms"] = round(statistics.median(first for first, _ in times))
                row["last_view_ms"] = round(statistics.median(last for _, last in times))
            rows.append(row)
            print(row, flush=True)
    machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    RESULT.write_text(json.dumps({"rows": rows, "times": TIMES, "machine": machine}, indent=1) + "\n", "utf-8")


def loaded(browser, path: Path) -> tuple[float, float] | None:
    """Open a page afresh; return when its first and its last view were alive, in ms, or None where it has none."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True).new_page()
    page.add_init_script(SCRIPT)
    page.goto(path.as_uri())
    page.evaluate("() => window.mounted")
    times = page.evaluate("() => [...alive.values()]")
    page.context.close()
    return (min(times), max(times)) if times else None
