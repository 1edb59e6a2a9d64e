"""How fast is a moving picture: from a tick of the slider to its pixels, beside `interact` drawing the same picture.

In JupyterLab and a browser without a window, in one run. "Serial" is one tick, then waiting until its pixels are
painted; "burst" is one tick a frame, as a drag gives them. Bytes are all that crosses the kernel's socket, both ways.
"Dragged" is a clock hand turned by the mouse: from the moved pointer to changed pixels, and the bytes until it is let
go. "First" is the time from the end of a cell to its picture.
"""

import json
import math
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOME))

from tools import headless  # noqa: E402

RESULT = HOME / "benchmarks/results/widgets.json"
TICKS = 60
CELLS = """
%matplotlib inline
import ipywidgets
from clockwork.kit import widgets
from clockwork.lessons.lesson_02 import views
def interactive(make, name):
    view = make()
    def draw(value):
        view.cursor._trait_values[name] = values[value]  # the browser is not told: only interact's own traffic counts
        figure = view.picture()
        figure.set_layout_engine("none")
        display(figure)
    values = view.cursor.values(name)
    slider = ipywidgets.IntSlider(min=0, max=len(values) - 1, value=values.index(getattr(view.cursor, name)))
    return ipywidgets.interact(draw, value=slider).widget
def cursor():
    return widgets.Cursor(position=22, d_model=widgets.Slider(64, (4, 8, 16, 32, 64, 128)))
---
widgets.Clock(cursor(), hand=3)
---
views.Wave(cursor(), hand=2)
---
three = cursor()
widgets.Column([widgets.Clock(three, hand=3), views.Wave(three, hand=2), widgets.Clock(three)])
---
interactive(lambda: widgets.Clock(cursor(), hand=3), "position");
---
interactive(lambda: views.Wave(cursor(), hand=2), "position");
---
interactive(lambda: widgets.Clock(cursor(), hand=3), "d_model");
"""
CASES = [  # name, cell, slider (None: interact)
    ("clock", 1, "position"),
    ("clock", 1, "d_model"),
    ("wave", 2, "position"),
    ("wave", 2, "d_model"),
    ("three views", 3, "position"),
    ("three views", 3, "d_model"),
    ("interact, clock", 4, None),
    ("interact, wave", 5, None),
    ("interact, clock, d_model", 6, None),
]
SCRIPT = """
const painted = () => new Promise((done) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => done();
  port2.postMessage(0);
}));
const small = Object.assign(document.createElement("canvas"), { width: 160, height: 85 });
const brush = small.getContext("2d", { willReadFrequently: true });
function look(cell) {
  let hash = 2166136261;
  for (const picture of cell.querySelectorAll(".pe canvas, .jp-OutputArea img")) {
    if (picture.tagName === "IMG" && !picture.complete) return null;
    brush.clearRect(0, 0, 160, 85);
    brush.drawImage(picture, 0, 0, 160, 85);
    const words = new Uint32Array(brush.getImageData(0, 0, 160, 85).data.buffer);
    for (const word of words) hash = Math.imul(hash ^ word, 16777619);
  }
  return hash;
}
// One slider's tick and how many values it has: native input of ours, or the model behind interact's slider.
async function moverOf(cell, name) {
  if (name) {
    const input = cell.querySelector(`input[data-name=${name}]`), count = Number(input.max) + 1;
    return { count, move: (i) => { input.value = i; input.dispatchEvent(new Event("input", { bubbles: true })); },
             rest: () => input.dispatchEvent(new Event("change", { bubbles: true })) };
  }
  const { noUiSlider } = cell.querySelector(".noUi-target");
  return { count: noUiSlider.options.range.max + 1, move: (i) => noUiSlider.set(i, true), rest: () => {} };
}
// A hand of the clock in a cell: where it can be gripped, and the middle round which it turns.
function gripOf({ index, hand }) {
  const root = jupyterapp.shell.currentWidget.content.widgets[index].node.querySelector(".pe");
  root.scrollIntoView({ block: "center" });
  const p = [...peKit.views].find((one) => one.root === root), box = p.canvas.getBoundingClientRect();
  const hits = (x, y) => [0, 1, hand].map((i) => p.areas.get(`hand ${i}`).hit(x, y));
  const middle = { off: Infinity }, tip = { far: 0 };
  for (let y = 0; y < p.h; y += 2)
    for (let x = 0; x < p.w / 2; x += 2) {
      const off = hits(x, y).reduce((a, b) => a + b);
      if (off < middle.off) Object.assign(middle, { off, x, y });
    }
  for (let y = 0; y < p.h; y += 2)
    for (let x = 0; x < p.w / 2; x += 2) {
      const far = Math.hypot(x - middle.x, y - middle.y);
      if (p.areas.get(`hand ${hand}`).hit(x, y) < 1 && far > tip.far) Object.assign(tip, { far, x, y });
    }
  return { middle: [box.left + middle.x, box.top + middle.y], tip: [box.left + tip.x, box.top + tip.y] };
}
// Notes for each moved pointer how long it takes until the cell's pixels are others.
function watch({ index }) {
  const cell = jupyterapp.shell.currentWidget.content.widgets[index].node;
  window.waits = [];
  window.atRest = Promise.resolve();
  let last = look(cell);
  addEventListener("pointermove", (event) => {
    window.atRest = window.atRest.then(async () => {
      for (let now = last; now === last; now = look(cell)) {
        await painted();
        if (performance.now() - event.timeStamp > 1000) return;
      }
      last = look(cell);
      window.waits.push(performance.now() - event.timeStamp);
    });
  }, { capture: true });
}
async function first({ index }) {
  const { content } = jupyterapp.shell.currentWidget;
  content.activeCellIndex = index;
  await jupyterapp.commands.execute("notebook:run-cell");
  const start = performance.now(), cell = content.widgets[index].node;
  while (cell.isConnected && !cell.querySelector(".pe canvas[aria-label]")) await painted();
  return performance.now() - start;
}
const walk = (i, count) => { const turn = 2 * (count - 1), at = (i + 1) % turn; return at < count ? at : turn - at; };
async function measure({ index, name, ticks }) {
  const cell = jupyterapp.shell.currentWidget.content.widgets[index].node;
  cell.scrollIntoView();
  const { count, move, rest } = await moverOf(cell, name);
  move(0); await painted(); await new Promise((r) => setTimeout(r, 1500));
  const serial = [];
  for (let i = 0; i < ticks; i += 1) {
    const before = look(cell), start = performance.now();
    move(walk(i, count));
    for (let now = before; now === before || now === null; now = look(cell)) {
      await painted();
      if (performance.now() - start > 3000) break;
    }
    serial.push(performance.now() - start);
  }
  rest(); await new Promise((r) => setTimeout(r, 1500));
  window.burstBegins = true;
  let shown = 0, last = look(cell), frames = 0;
  const start = performance.now();
  for (let i = 0; i < ticks; i += 1) {
    move(walk(i, count));
    await painted();
    const now = look(cell);
    if (now !== null && now !== last) { shown += 1; last = now; }
  }
  const seconds = (performance.now() - start) / 1000;
  rest(); await new Promise((r) => setTimeout(r, 3000));
  return { serial, shown, fps: shown / seconds };
}
async function many({ index, ticks }) {
  const cell = jupyterapp.shell.currentWidget.content.widgets[index].node;
  const { count, move, rest } = await moverOf(cell, "position");
  for (let i = 0; i < ticks; i += 1) { move(walk(i, count)); if (i % 8 === 0) await painted(); }
  rest();
}
Object.assign(window, { measure, many, gripOf, watch, first });
"""


def main() -> None:
    """Measure every case, print a table and keep it."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        headless.write_notebook(folder / "bench.ipynb", CELLS.split("---"))
        headless.write_notebook(folder / "first.ipynb", CELLS.split("---")[:2])
        with headless.lab(folder) as address, headless.chromium() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 1000})
            page.set_default_timeout(120_000)
            page.add_init_script(SCRIPT)
            errors = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            traffic = headless.count_traffic(page)
            comms = headless.count_traffic(page, "comm_msg")
            headless.open_notebook(page, address, "bench.ipynb")
            page.wait_for_timeout(4000)
            dragged = hand_dragged(page, comms)
            print(
                "a hand dragged: p50 {p50_ms} ms, p95 {p95_ms} ms, {bytes} bytes until it is let go".format(**dragged)
            )
            for case, index, name in CASES:
                traffic.clear()
                result = page.evaluate("measure", {"index": index, "name": name, "ticks": TICKS})
                rows.append(row(case, name, result, sum(traffic)))
                print("{widget:26} {slider:9} p50 {p50_ms:6} ms  p95 {p95_ms:6} ms  {fps:5} fps  {shown:2} of {ticks} "
                      "ticks shown  {bytes_per_tick:7} bytes a tick".format(**rows[-1]), flush=True)  # fmt: skip
            heap = heap_after_many(page)
            print(
                "10,000 ticks: heap {before_mb} MB, then {after_mb} MB; errors: {errors}".format(**heap, errors=errors)
            )
            first = first_view(page, address)
            print(f"first picture {first} ms after its cell")
    RESULT.parent.mkdir(exist_ok=True)
    machine = {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1), "system": platform.system()}
    RESULT.write_text(
        json.dumps(
            {"machine": machine, "rows": rows, "dragged": dragged, "first_ms": first, "heap": heap, "errors": errors},
            indent=1,
        )
        + "\n"
    )


def row(case: str, name: str | None, result: dict, total: int) -> dict:
    """Return one line of the table; bytes are those of the serial and the burst run, settled values included."""
    serial = sorted(result["serial"])
    return {
        "widget": case,
        "slider": name or "interact",
        "p50_ms": round(statistics.median(serial), 1),
        "p95_ms": round(serial[int(0.95 * len(serial))], 1),
        "fps": round(result["fps"], 1),
        "shown": result["shown"],
        "ticks": TICKS,
        "bytes_per_tick": round(total / (2 * TICKS)),
    }


def hand_dragged(page, traffic: list[int]) -> dict:
    """Turn hand 3 of the clock by the mouse; return the latencies, and the bytes sent before it is let go."""
    grip = page.evaluate("gripOf", {"index": 1, "hand": 3})
    (x0, y0), (x, y) = grip["middle"], grip["tip"]
    start = math.atan2(x - x0, y0 - y)
    radius = math.hypot(x - x0, y - y0)
    page.mouse.move(x, y)
    page.mouse.down()
    page.wait_for_timeout(1500)
    page.evaluate("watch", {"index": 1})
    traffic.clear()
    for tick in range(1, TICKS + 1):
        angle = start + 0.6 * tick  # more than one position, and 60 ticks stay below the last
        page.mouse.move(x0 + radius * math.sin(angle), y0 - radius * math.cos(angle))
        page.evaluate("() => window.atRest")
    sent = sum(traffic)
    page.mouse.up()
    waits = sorted(page.evaluate("() => window.waits"))
    p95 = waits[int(0.95 * len(waits))]
    return {"ticks": len(waits), "p50_ms": round(statistics.median(waits), 1), "p95_ms": round(p95, 1), "bytes": sent}


def first_view(page, address: str) -> float:
    """Run two cells of a fresh notebook; return how long after the second one its picture stood, in ms."""
    page.goto(f"{address}/tree/first.ipynb?reset")
    page.wait_for_function(headless.IDLE, timeout=120_000)
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell')")
    return round(page.evaluate("first", {"index": 1}), 1)


def heap_after_many(page) -> dict:
    """Move the three views by 10,000 ticks; return the heap before and after, garbage collected."""
    tools = page.context.new_cdp_session(page)

    def used() -> float:
        tools.send("HeapProfiler.collectGarbage")
        return round(tools.send("Runtime.getHeapUsage")["usedSize"] / 1e6, 1)

    page.evaluate("many", {"index": 3, "ticks": 500})
    before = used()
    page.evaluate("many", {"index": 3, "ticks": 10_000})
    return {"before_mb": before, "after_mb": used(), "ticks": 10_000}


if __name__ == "__main__":
    main()
