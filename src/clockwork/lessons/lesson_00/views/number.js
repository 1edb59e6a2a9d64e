// Sixteen words with a code each, and a tick for each step: vermilion where it differs from the one before.
import { view } from "../../../kit/widgets/static/kit.js";

const COUNT = 16;
const BITS = 4;
const CODES = ["the number itself", "binary digits", "one digit at a time"];

function codesOf(code) {
  return Array.from({ length: COUNT }, (_, word) => {
    if (code === CODES[0]) return [word];
    const number = code === CODES[1] ? word : word ^ (word >> 1);
    return Array.from({ length: BITS }, (_, bit) => (number >> bit) & 1);
  });
}

const sizesOf = (w) => ({ cell: w / COUNT, row: w >= 560 ? 38 : 30 });

export default view({
  cycle: [["step", 9]],
  height: (w) => 34 + BITS * sizesOf(w).row + 92,
  draw(p) {
    const { ctx, color } = p;
    const { cell, row } = sizesOf(p.w);
    const code = p.get("code");
    const step = p.get("step");
    const codes = codesOf(code);
    const change = codes.slice(1).map((there, i) => there.map((digit, k) => digit - codes[i][k]));
    const unlike = change.map((one, i) => (i && one.some((value, k) => value !== change[i - 1][k]) ? 1 : 0));
    const [top, bottom] = [34, 34 + BITS * row];
    const tall = (BITS * row) / codes[0].length;
    const digits = codes[0].length > 1;

    codes.forEach((digitsOf, word) => {
      const here = word === step || word === step + 1;
      p.text(String(word), (word + 0.5) * cell, 16, {
        size: cell > 30 ? 15 : 12,
        align: "center",
        weight: here ? 700 : 400,
        color: here ? color.ink : color.soft,
      });
      digitsOf.forEach((digit, k) => {
        const level = p.ease(`cell ${word} ${k}`, digits ? digit : digit / (COUNT - 1));
        const y = top + k * tall;
        ctx.globalAlpha = 0.08 + 0.82 * level;
        ctx.fillStyle = color.ink;
        ctx.fillRect(word * cell + 1, y + 1, cell - 2, tall - 2);
        ctx.globalAlpha = 1;
        p.text(String(digit), (word + 0.5) * cell, y + tall / 2, {
          size: cell > 30 ? 17 : 13,
          align: "center",
          color: level > 0.45 ? color.paper : color.ink,
        });
      });
    });
    const at = p.ease("step", step + 1) * cell;
    codes[step].forEach((digit, k) => {
      if (codes[step + 1][k] === digit) return;
      p.stroke(frameOf(at - cell, top + k * tall, 2 * cell, tall), color.here, 3);
    });
    unlike.forEach((red, i) => {
      const x = (i + 1) * cell;
      p.line(x, bottom + 6, x, bottom + (red ? 22 : 14), red ? color.cos : color.faint, i === step ? 6 : 3);
    });
    p.dot(at, bottom + 34, color.here, 8);
    p.grab("step", {
      wide: true,
      hit: (a, b) => (a >= 0 && a <= p.w && b >= top && b <= bottom + 44 ? 0 : Infinity),
      move: (a) => p.set("step", Math.max(0, Math.min(COUNT - 2, Math.round(a / cell) - 1))),
      at: [at, bottom + 34],
      says: "drag: from word to word",
    });
    const changed = change[step].filter((value) => value !== 0).length;
    const what = digits ? `${changed} ${changed === 1 ? "digit changes" : "digits change"}` : "the number grows by 1";
    const total = unlike.reduce((sum, red) => sum + red, 0);
    p.text(`${step} → ${step + 1}: ${what}`, 0, bottom + 64, { size: 15, weight: 600 });
    const tally = `${total} of ${COUNT - 2} steps differ from the one before`;
    const wide = p.w >= 560;
    p.text(tally, wide ? p.w : 0, bottom + (wide ? 64 : 84), {
      size: 15,
      align: wide ? "right" : "left",
      color: total ? color.cos : color.soft,
    });
    return {
      alt: `${code}, from word ${step} to word ${step + 1}: ${what}; ${tally}`,
      numbers: { codes: codes.flat(), unlike },
    };
  },
});

const frameOf = (x, y, w, h) => [
  [x, y],
  [x + w, y],
  [x + w, y + h],
  [x, y + h],
  [x, y],
];
