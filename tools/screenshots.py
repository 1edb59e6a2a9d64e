"""Take screenshots of every widget of every lesson: light, dark, narrow, and without JavaScript.

They go to screenshots/. `python3 course.py screenshots 03` takes those of lesson 03 alone.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import headless, lessons, site

SCREENSHOTS = site.HOME / "screenshots"
LOOKS = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 400, "height": 900}, "color_scheme": "light"},
    "still": {"viewport": {"width": 1280, "height": 900}, "java_script_enabled": False},
}
DRAWN = """() => document.querySelectorAll(".pe").length > 0 &&
    [...document.querySelectorAll(".pe canvas")].every((canvas) => canvas.getAttribute("aria-label"))"""


def main(prefixes: list[str]) -> int:
    """Take screenshots of the widgets of the named lessons, or of all lessons."""
    if not headless.chromium_path():
        print(f"screenshots: {headless.HOW_TO_GET_IT}", file=sys.stderr)
        return 1
    SCREENSHOTS.mkdir(exist_ok=True)
    if code := site.main([]):
        return code
    with headless.chromium() as browser:
        for lesson in lessons.every():
            if lesson.name.startswith(tuple(prefixes or [""])):
                page = site.BUILD / "site" / f"{lesson.stem}.html"
                count = sum(picture(browser, page, look) for look in LOOKS)
                print(f"screenshots/{lesson.stem}: {count} pictures", flush=True)
    return 0


def picture(browser, path: Path, look: str) -> int:
    """Take screenshots of every widget of one page in one look; return their number."""
    context = browser.new_context(device_scale_factor=1.5, **LOOKS[look])
    page = context.new_page()
    page.goto(path.as_uri())
    places = page.query_selector_all("[data-widget]")
    if places and look != "still":
        page.wait_for_function(DRAWN)
        page.wait_for_timeout(300)
    for number, place in enumerate(places):
        place.scroll_into_view_if_needed()
        place.screenshot(path=SCREENSHOTS / f"{path.stem.split('_')[0]}_{number:02}_{look}.png")
    context.close()
    return len(places)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
