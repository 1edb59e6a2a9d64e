// A word's eight numbers with a position added to one of them or to all, and what LayerNorm hands on of them.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const EVERY = "every number";
const WIDE = 560;

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 270 : 430),
  draw(p) {
    const { color, data } = p;
    const wide = p.w >= WIDE;
    const position = p.get("position");
    const written = p.get("written");
    const at = p.values("position").indexOf(position);
    const row = p.values("written").indexOf(written);
    const covered = p.veiled() && written === EVERY;
    const after = data.left.row(row, at);
    const before = p.model.get("word").map((value, i) => value + (i === 0 || written === EVERY ? position : 0));
    const share = spread(after) / spread(data.left.row(row, 0));

    const box = wide ? { x: 40, y: 28, w: p.w / 2 - 70, h: 150 } : { x: 40, y: 28, w: p.w - 60, h: 120 };
    const other = wide ? { ...box, x: p.w / 2 + 30 } : { ...box, y: 204 };
    const top = Math.max(4, ...before);
    drawBars(p, box, before, [-2, top], "the row, position added", written);
    drawBars(p, other, covered ? null : after, [-2, 4], "after LayerNorm", written);
    const column = other.x + (other.w * 0.5) / 8;
    p.guess((value) => [column, other.y + other.h - ((value + 2) / 6) * other.h]);
    if (!covered)
      p.text(`${fixed(share)} of the word is left`, other.x + other.w, other.y - 14, {
        align: "right",
        size: 13,
        weight: 600,
      });

    // The position, on its line.
    const line = { x: 40, y: p.h - 36, w: p.w - 60 };
    const last = p.values("position").at(-1);
    const x = (value) => line.x + (line.w * value) / last;
    p.line(line.x, line.y, line.x + line.w, line.y, color.line, 2);
    for (const tick of [0, 32, 64, 96, 128])
      p.text(String(tick), x(tick), line.y + 18, { align: "center", size: 11, color: color.soft });
    p.text("position", line.x + line.w, line.y - 14, { size: 12, color: color.soft, align: "right" });
    p.dot(x(position), line.y, color.here, 8);
    p.text(String(position), x(position), line.y - 17, { align: "center", size: 13, weight: 600, color: color.here });
    p.grab("position", {
      hit: (a, b) => (Math.abs(b - line.y) < 22 && a > line.x - 14 && a < line.x + line.w + 14 ? 0 : Infinity),
      move: (a) => p.set("position", nearest(p.values("position"), ((a - line.x) / line.w) * last)),
      says: `position ${position}`,
      at: [x(position), line.y],
    });

    const where = `position ${position} added to ${written}`;
    if (covered) return { alt: `${where}: what LayerNorm hands on is hidden until you have guessed`, numbers: {} };
    return {
      alt: `${where}: ${fixed(share)} of the word is left`,
      numbers: { left: [...after], share: [share] },
      said: { share: fixed(share) },
      seen: written === EVERY && position > 0,
    };
  },
});

// How far numbers 1 to 7 lie from one another.
function spread(row) {
  const word = Array.from(row).slice(1);
  return Math.max(...word) - Math.min(...word);
}

function drawBars(p, box, row, [low, high], title, written) {
  const { color, ctx } = p;
  const ticks = [0, high > 8 ? Math.round(high) : 2];
  const { y } = p.axes(box, { x: [0, 8], y: [low, high], xticks: [], yticks: ticks, title });
  for (let i = 0; i < 8; i += 1)
    p.text(String(i), box.x + (box.w * (i + 0.5)) / 8, box.y + box.h + 12, {
      align: "center",
      size: 11,
      color: color.soft,
    });
  if (!row) return p.veil(box.x + 4, box.y, box.w - 4, box.h);
  for (let i = 0; i < 8; i += 1) {
    const [from, to] = [y(0), y(row[i])];
    ctx.fillStyle = i === 0 || written === EVERY ? color.here : color.there;
    ctx.fillRect(
      box.x + (box.w * (i + 0.18)) / 8,
      Math.min(from, to),
      (box.w * 0.64) / 8,
      Math.max(1.5, Math.abs(to - from)),
    );
  }
}
