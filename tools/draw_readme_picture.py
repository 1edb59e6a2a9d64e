"""Draw the README's picture: `python tools/draw_readme_picture.py` writes notebooks/clockwork.png."""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from clockwork.kit import plots
from clockwork.kit.plots import dials
from pe_helpers import sinusoidal

FILE = Path(__file__).resolve().parent.parent / "notebooks" / "clockwork.png"
POSITION = 22
POSITIONS = 36
D_MODEL = 32


def main() -> None:
    codes = sinusoidal.table(POSITIONS, D_MODEL)
    fig = Figure(figsize=(8.4, 3.3))
    clock, sheet = fig.subplots(1, 2, width_ratios=[1, 1.5])
    dials.dial(clock, codes[POSITION], f"position {POSITION} as a clock")
    plots.heat_map(sheet, codes, limit=1.0, xlabel="dimension", ylabel="position (tokens)", colorbar=False)
    sheet.set_aspect("auto")
    sheet.set_title(f"and as row {POSITION} of the table")
    sheet.add_patch(Rectangle((-0.5, POSITION - 0.5), D_MODEL, 1, fill=False, linewidth=1.3))
    FILE.write_bytes(plots.png(fig))


if __name__ == "__main__":
    main()
