// Eight hands' rings of cells, one cell a position, on their way into the table of sines and cosines.
import { BASE, TURN, handColor, speedOf, wrap } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { LOOKUP } from "../../../kit/widgets/static/painter.js";
import { smooth } from "../../../kit/widgets/static/sliders.js";

const COUNT = 64;
const HANDS = 8;
const GRIPPED = 3; // hands that can be dragged, the fastest
const STAGGER = 0.6; // how much later the last ring begins than the first

function sizesOf(w) {
  const wide = w >= 560;
  const r = wide ? Math.min(134, w * 0.19) : 80;
  const tall = wide ? 4.5 : 3;
  const left = wide ? 2 * r + 70 : 34;
  const alone = wide ? r : Math.min(w / 2 - 8, 190); // radius of the dial while there are no columns
  return { wide, r, alone, left, top: wide ? 30 : 2 * r + 70, tall };
}

export default view({
  cycle: [["position", 22]],
  height(w) {
    const { r, top, tall } = sizesOf(w);
    return Math.max(2 * r + 60, top + COUNT * tall + 16);
  },
  draw(p) {
    const { ctx, color } = p;
    const { wide, r: small, alone, left, top, tall } = sizesOf(p.w);
    const [position, shown] = [p.get("position"), p.get("shown")];
    const speeds = Array.from({ length: HANDS }, (_, i) => speedOf(i, 2 * HANDS, BASE));
    const unrolled = p.ease("unrolled", shown === "columns" ? 1 : 0);
    const r = alone + (small - alone) * unrolled;
    const cy = r + 30;
    const cx = wide ? p.w / 2 + (r + 6 - p.w / 2) * unrolled : p.w / 2; // the dial makes room
    const at = p.ease("position", position);
    const column = (p.w - left - 4) / HANDS;
    const radius = (i) => r * (1 - (0.78 * i) / HANDS);
    const thick = (r * 0.78) / HANDS - 2;

    for (let i = HANDS - 1; i >= 0; i -= 1) {
      const part = smooth(Math.max(0, Math.min(1, unrolled * (1 + STAGGER) - (STAGGER * i) / (HANDS - 1))));
      ctx.globalAlpha = 0.35;
      p.circle(cx, cy, radius(i) - thick / 2, color.line, thick);
      ctx.globalAlpha = 1;
      for (let q = 0; q < COUNT; q += 1) {
        const angle = q * speeds[i];
        const on = radius(i) - thick / 2;
        const x = cx + on * Math.sin(angle) + (left + (i + 0.5) * column - cx - on * Math.sin(angle)) * part;
        const y = cy - on * Math.cos(angle) + (top + (q + 0.5) * tall - cy + on * Math.cos(angle)) * part;
        const along = Math.max(2.5, Math.min((1.2 * on * TURN) / COUNT, on * speeds[i] - 1));
        const [w, h] = [thick + (column - 2 - thick) * part, along + (tall + 0.4 - along) * part];
        ctx.save();
        ctx.translate(x, y);
        ctx.rotate(wrap(angle - TURN / 4) * (1 - part));
        ctx.fillStyle = tone(Math.cos(angle));
        ctx.fillRect(-w / 2, -h / 2, w, h);
        ctx.globalAlpha = part;
        ctx.fillStyle = tone(Math.sin(angle));
        ctx.fillRect(-w / 2, -h / 2, w / 2, h);
        ctx.restore();
      }
    }
    for (let i = HANDS - 1; i >= 0; i -= 1) {
      const angle = at * speeds[i];
      const long = radius(i);
      const hue = handColor(p, i, HANDS);
      const end = [cx + long * Math.sin(angle), cy - long * Math.cos(angle)];
      p.line(cx, cy, ...end, color.paper, 5);
      p.line(cx, cy, ...end, hue, 3);
      ctx.globalAlpha = unrolled;
      ctx.fillStyle = hue;
      ctx.fillRect(left + i * column, top - 9, column - 2, 5);
      ctx.globalAlpha = 1;
    }
    p.dot(cx, cy, color.ink, 3);
    p.text(`position ${position}`, cx, 10, { size: 15, weight: 600, align: "center" });
    const low = top + COUNT * tall;
    const rowY = top + at * tall;
    ctx.globalAlpha = unrolled;
    p.frame(left - 1, rowY - 2, HANDS * column, tall + 4);
    p.text(String(position), left - 8, rowY + tall / 2, { size: 13, weight: 600, align: "right" });
    ctx.globalAlpha = 1;
    const slowest = speeds.at(-1);
    p.grab("row", {
      wide: true,
      hit: (a, b) => (unrolled === 1 && a >= left - 30 && b >= top && b <= low ? 0 : Infinity),
      move: (a, b) => p.set("position", Math.max(0, Math.min(COUNT - 1, Math.floor((b - top) / tall)))),
      says: (a, b) => `position ${Math.max(0, Math.min(COUNT - 1, Math.floor((b - top) / tall)))}`,
    });
    for (let i = 0; i < GRIPPED; i += 1) {
      const [x, y] = [cx + radius(i) * Math.sin(at * speeds[i]), cy - radius(i) * Math.cos(at * speeds[i])];
      p.grab(`hand ${i}`, {
        hit: (a, b) => Math.max(0, Math.hypot(a - x, b - y) - 4),
        move: (a, b, begun) => {
          const points = Math.atan2(a - cx, cy - b);
          begun.turned ??= position * speeds[i];
          begun.turned += wrap(points - (begun.last ?? position * speeds[i]));
          begun.last = points;
          p.set("position", Math.max(0, Math.min(COUNT - 1, Math.round(begun.turned / speeds[i]))));
        },
        at: [x, y],
        says: "drag: all hands turn",
      });
    }
    const places = Array.from({ length: COUNT }, (_, q) => q);
    return {
      alt: `${shown}: position ${position} of ${COUNT}, ${HANDS} hands, ${2 * HANDS} numbers`,
      numbers: {
        row: speeds.flatMap((speed) => [Math.sin(position * speed), Math.cos(position * speed)]),
        fastest: places.map((q) => Math.sin(q)),
        slowest: places.map((q) => Math.cos(q * slowest)),
      },
    };
  },
});

function tone(value) {
  const word = LOOKUP.signed[Math.round((255 * (value + 1)) / 2)];
  return `rgb(${word & 255} ${(word >> 8) & 255} ${(word >> 16) & 255})`;
}
