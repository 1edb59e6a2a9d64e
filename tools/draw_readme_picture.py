"""Record the README's loop from the live picture of lesson 00, in which *tom* passes the dog.

`python -m tools.draw_readme_picture` writes notebooks/clockwork.gif and its last frame, notebooks/clockwork.png.
"""

import base64
import io
import tempfile
from pathlib import Path

from ipywidgets import Widget
from PIL import Image, ImageOps

from clockwork.lessons.lesson_00.views import WhoIsHurt
from tools import headless, stills, widget_states

FILE = Path(__file__).resolve().parent.parent / "notebooks" / "clockwork.gif"
WIDTH = 720  # CSS pixels
EDGE = 24  # pixels of paper
FRAME_MS = 60
STAYS, MOVES, RESTS = 5, 32, 13  # frames: before, while and after he moves; three seconds together
LAST = 45  # tenths of a token: where he stops
COLORS = 48
MOVE = """(tenths) => {
    const slider = document.querySelector("input[type=range]");
    slider.value = tenths;
    slider.dispatchEvent(new Event("input"));
    return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}"""


def places() -> list[int]:
    """Return where *tom* is in each frame, in tenths of a token."""
    parts = [step / MOVES for step in range(1, MOVES + 1)]
    return [0] * STAYS + [round(LAST * part * part * (3 - 2 * part)) for part in parts] + [LAST] * RESTS


def frames() -> list[Image.Image]:
    """Return the picture at each place, as a browser draws it."""
    view = WhoIsHurt()
    state = Widget.get_manager_state()["state"]
    texts = {}
    held = widget_states.written(state, {model: model for model in state}, texts)
    with tempfile.TemporaryDirectory() as folder, headless.chromium() as browser:
        stills.lay_out(Path(folder), [view.model_id], held, texts)
        page = browser.new_page(**stills.SCREEN | {"viewport": {"width": WIDTH, "height": 600}})
        page.goto(Path(folder, "stills.html").as_uri())
        page.wait_for_function(stills.DRAWN)
        canvas = page.locator("canvas")
        shots = []
        for place in places():
            page.evaluate(MOVE, place)
            code = canvas.evaluate(stills.ON_PAPER).partition(",")[2]
            shots.append(ImageOps.expand(Image.open(io.BytesIO(base64.b64decode(code))).convert("RGB"), EDGE, "white"))
    return shots


def main() -> None:
    """Write the loop and its last frame."""
    shots = frames()
    palette = shots[-1].quantize(COLORS, dither=Image.Dither.NONE)
    indexed = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in shots]
    indexed[0].save(FILE, save_all=True, append_images=indexed[1:], duration=FRAME_MS, loop=0, optimize=True)
    shots[-1].quantize(256).save(FILE.with_suffix(".png"), optimize=True)
    print(f"{FILE}: {len(shots)} frames, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
