// Four binary digits melt into waves of their periods. On the slowest, two places have one height.
import { TURN, handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const COUNT = 16;
const BITS = 4;
const SHOWN = 3;
const ASKED = 2; // the question's position

const squareOf = (bit, x) => (Math.floor((x + 0.5) / 2 ** bit) % 2 ? 1 : -1);
const waveOf = (bit, x) => -Math.sin((TURN * (x + 0.5)) / 2 ** (bit + 1));
const digitOf = (bit, position) => (position >> bit) & 1;

const sizesOf = (w) => ({ wide: w >= 560, row: w >= 560 ? 48 : 42, last: w >= 560 ? 116 : 104 });

export default view({
  cycle: [["melt", 10]],
  height: (w) => 3 * sizesOf(w).row + sizesOf(w).last + 66,
  draw(p) {
    const { ctx, color } = p;
    const { wide, row, last } = sizesOf(p.w);
    const melt = p.get("melt") / 10;
    const part = p.ease("melt", melt);
    const melted = melt === 1; // a digit's height has more places than two
    const position = p.get("position");
    const twin = (((COUNT / 2 - 1 - position) % COUNT) + COUNT) % COUNT;
    const mix = (bit, x, at = part) => squareOf(bit, x) + at * (waveOf(bit, x) - squareOf(bit, x));
    const waves = Array.from({ length: BITS }, (_, bit) =>
      Array.from({ length: COUNT }, (_, q) => {
        const square = 2 * digitOf(bit, q) - 1;
        return square + melt * (waveOf(bit, q) - square);
      }),
    );
    const x = (q) => ((q + 0.5) * p.w) / COUNT;
    const middle = (bit) => 10 + (bit < SHOWN ? (bit + 0.5) * row : SHOWN * row + last / 2);
    const high = (bit) => (bit < SHOWN ? row * 0.36 : last * 0.38);
    const y = (bit, value) => middle(bit) - value * high(bit);

    for (let bit = 0; bit < BITS; bit += 1) {
      const tone = handColor(p, bit, BITS);
      const points = Array.from({ length: 481 }, (_, i) => {
        const q = -0.5 + (i * COUNT) / 480;
        return [x(q), y(bit, mix(bit, Math.min(q, COUNT - 0.501)))];
      });
      p.stroke(points, tone, bit < SHOWN ? 2 : 3.5);
      for (let q = 0; q < COUNT; q += 1) {
        const height = y(bit, 2 * digitOf(bit, q) - 1 + part * (waveOf(bit, q) - 2 * digitOf(bit, q) + 1));
        ctx.globalAlpha = 1 - part;
        p.text(String(digitOf(bit, q)), x(q), height + (digitOf(bit, q) ? 10 : -10), {
          size: 12,
          align: "center",
          color: color.soft,
        });
        ctx.globalAlpha = 1;
        p.dot(x(q), height, tone, bit < SHOWN ? 2.5 : 3.5);
      }
    }
    const at = p.ease("position", position);
    const there = p.ease("twin", twin);
    const open = melted && !p.veiled(); // whether the other place is shown
    if (p.veiled()) p.met = new Set();
    else if (melted) p.met?.add(position);
    const level = y(SHOWN, mix(SHOWN, position));
    const bottom = middle(SHOWN) + last / 2 + 4;
    if (open) p.line(x(Math.min(at, there)), level, x(Math.max(at, there)), level, color.soft, 1.5, [3, 4]);
    p.line(x(at), 6, x(at), bottom, color.here, 1, [2, 5]);
    if (open) p.dot(x(there), y(SHOWN, mix(SHOWN, twin)), color.there, 8);
    p.dot(x(at), level, color.here, 9);
    for (let q = 0; q < COUNT; q += 1)
      p.text(String(q), x(q), bottom + 10, {
        size: wide ? 13 : 11,
        align: "center",
        weight: q === position || (open && q === twin) ? 700 : 400,
        color: q === position ? color.here : open && q === twin ? color.there : color.soft,
      });
    if (p.veiled()) p.circle(x(ASKED), y(SHOWN, mix(SHOWN, ASKED)), 12, color.sin, 1.5);
    p.guess((q) => [x(q), y(SHOWN, mix(SHOWN, q))]);
    p.grab("here", {
      wide: true,
      hit: (a, b) => (a >= 0 && a <= p.w && b > SHOWN * row && b < bottom + 20 ? 0 : Infinity),
      move: (a) => p.set("position", Math.max(0, Math.min(COUNT - 1, Math.floor((a / p.w) * COUNT)))),
      at: [x(at), level],
      says: "drag: here",
    });
    const height = fixed(waves[SHOWN][position]);
    const where = open ? `: position ${position}, or ${twin}?` : "";
    p.text(`height ${height}${where}`, 0, bottom + 38, { size: 15, weight: 600 });
    return {
      alt:
        `melted ${p.get("melt")} of 10: at position ${position} the slowest row is at ${height}` +
        (open ? `, and at position ${twin} too` : ""),
      numbers: { waves: waves.flat(), twin: [twin] },
      said: { height, twin: String(twin) },
      seen: p.met?.size >= 3,
    };
  },
});
