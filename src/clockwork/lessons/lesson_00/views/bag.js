// Four words change places; ribbons are attention weights, columns of colour are outputs, and the mean stands last.
import { view } from "../../../kit/widgets/static/kit.js";
import { LOOKUP, fixed } from "../../../kit/widgets/static/painter.js";

const WORDS = ["tom", "bit", "a", "dog"];
const D = 8;
const VIVID = 1.3; // numbers this large have the full colour

function sizesOf(w) {
  const wide = w >= 560;
  return { wide, size: wide ? 22 : 17, cell: wide ? 15 : 13, column: wide ? 54 : 40, ribbon: wide ? 88 : 70 };
}

export default view({
  cycle: [
    ["order", 1],
    ["order", 0],
  ],
  height: (w) => 44 + sizesOf(w).ribbon + D * sizesOf(w).cell + 34,
  draw(p) {
    const { ctx, color, data } = p;
    const { wide, size, cell, column, ribbon } = sizesOf(p.w);
    const index = p.get("order");
    const scheme = p.get("clocks") === "off" ? 0 : 1;
    const order = Array.from(data.orders.row(index));
    const step = (p.w * (wide ? 0.72 : 0.76)) / WORDS.length;
    const x = WORDS.map((_, word) => step * (p.ease(`word ${word}`, order.indexOf(word)) + 0.5));
    const [top, low] = [44, 44 + ribbon];
    const lit = p.lit("word");

    order.forEach((to, i) =>
      order.forEach((from, j) => {
        const weight = data.weights.at(scheme, index, i, j);
        const [a, b, half] = [x[from], x[to], (column * weight) / 2];
        ctx.globalAlpha = lit === undefined || lit === to ? 0.55 : 0.12;
        ctx.fillStyle = lit === to ? color.sin : color.faint;
        ctx.beginPath();
        ctx.moveTo(a - half, top);
        ctx.bezierCurveTo(a - half, top + ribbon / 2, b - half, top + ribbon / 2, b - half, low - 6);
        ctx.lineTo(b + half, low - 6);
        ctx.bezierCurveTo(b + half, top + ribbon / 2, a + half, top + ribbon / 2, a + half, top);
        ctx.fill();
      }),
    );
    ctx.globalAlpha = 1;
    const columnAt = (middle, values) =>
      values.forEach((value, i) => {
        ctx.fillStyle = tone(value);
        ctx.fillRect(middle - column / 2, low + i * cell, column, cell - 1);
      });
    order.forEach((word, place) => {
      p.text(WORDS[word], x[word], 22, { size, align: "center", weight: lit === word ? 700 : 500, color: color.sin });
      columnAt(x[word], Array.from(data.outputs.row(scheme, index, place)));
      p.grab(`word ${word}`, {
        hit: (a, b) => (Math.abs(a - x[word]) < step * 0.36 && b < top ? 0 : Infinity),
        move: (a, b, begun) => {
          begun.order ??= [...order];
          const swapped = [...begun.order];
          const [from, to] = [begun.order.indexOf(word), Math.max(0, Math.min(3, Math.floor(a / step)))];
          [swapped[from], swapped[to]] = [swapped[to], swapped[from]];
          p.set("order", orderOf(data, swapped));
        },
        at: [x[word], 38],
        says: `drag: ${WORDS[word]}`,
        lights: { word },
      });
    });
    const away = fixed(data.away.at(scheme, index));
    const middle = p.w - column / 2 - (wide ? 40 : 8);
    p.text("mean", middle, low - 18, { size: 15, align: "center", color: color.soft });
    columnAt(middle, Array.from(data.means.row(scheme, index)));
    const bottom = low + D * cell + 18;
    p.text(`changed by ${away}`, p.w, bottom, { size: 15, weight: 600, align: "right" });
    p.text("outputs", step * 0.5 - column / 2, bottom, { size: 13, color: color.soft });
    return {
      alt:
        `${order.map((word) => WORDS[word]).join(" ")}, clocks ${p.get("clocks")}: ` +
        `the mean of the outputs has changed by ${away}`,
      numbers: {
        weights: Array.from(data.weights.row(scheme, index)),
        outputs: Array.from(data.outputs.row(scheme, index)),
        away: [data.away.at(scheme, index)],
      },
      said: { away },
    };
  },
});

const orderOf = (data, wanted) => {
  for (let at = 0; at < data.orders.shape[0]; at += 1)
    if (wanted.every((word, place) => data.orders.at(at, place) === word)) return at;
  return 0;
};

function tone(value) {
  const word = LOOKUP.signed[Math.max(0, Math.min(255, Math.round((255 * (value + VIVID)) / (2 * VIVID))))];
  return `rgb(${word & 255} ${(word >> 8) & 255} ${(word >> 16) & 255})`;
}
