// Trained models whose code is the index: all positions of a text times one factor, and how many answers are right.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const NAMED = [0.05, 0.1, 0.24, 0.5, 1, 2, 4]; // of the factors, those that have room for their names

// The last position of the texts in training, and of the longest text.
const lastOfEach = (p) => p.values("length").map((length) => length - 1);

function drawPositions(p, box, factor, length) {
  const { color, ctx } = p;
  const [trainedTo, last] = lastOfEach(p);
  const x = (position) => box.x + (box.w * position) / last;
  p.text("positions that the model is given", box.x, box.y - 16, { weight: 600, size: 13 });
  ctx.fillStyle = color.faint;
  ctx.fillRect(x(0), box.y, x(trainedTo) - x(0), box.h);
  p.text("training", x(0), box.y + box.h + 12, { size: 11, color: color.soft });
  p.text(String(trainedTo), x(trainedTo), box.y + box.h + 12, { align: "center", size: 11, color: color.soft });
  p.text(String(last), x(last), box.y + box.h + 12, { align: "right", size: 11, color: color.soft });
  p.line(x(0), box.y + box.h, x(last), box.y + box.h, color.line);
  const shown = p.ease("factor", factor);
  for (let i = 0; i < length; i += 1) {
    const at = i * shown;
    if (at <= last) p.dot(x(at), box.y + box.h / 2, at > trainedTo ? color.cos : color.sin, 2.6);
  }
  if (shown * (length - 1) > last) p.text("→", x(last) + 8, box.y + box.h / 2, { color: color.cos, weight: 700 });
}

// Which factors the reader has been at with texts of this length: the line appears where the hand has been.
function seenUpTo(p, row, here) {
  p.been ??= p.values("length").map(() => p.values("factor").map(() => false));
  const before = p.wasAt?.row === row ? p.wasAt.here : here;
  p.wasAt = { row, here };
  for (let i = Math.min(before, here); i <= Math.max(before, here); i += 1) p.been[row][i] = true;
  return p.been[row];
}

function drawAnswers(p, box, factors, chosen, row) {
  const { color, data } = p;
  const [low, high] = [Math.log(factors[0]), Math.log(factors.at(-1))];
  const seeds = data.right.shape[2];
  const of = (i) => Array.from({ length: seeds }, (_, seed) => data.right.at(row, i, seed));
  const mean = (i) => of(i).reduce((a, b) => a + b) / seeds;
  const { x, y } = p.axes(box, {
    x: [low - 0.1, high + 0.1],
    y: [0.4, 1],
    xticks: NAMED.map((factor) => [Math.log(factor), say(factor, 2)]),
    yticks: [0.5, 0.75, 1],
    xlabel: "all positions are multiplied by (log axis)",
    ylabel: "right answers",
  });
  p.line(box.x, y(0.5), box.x + box.w, y(0.5), color.pink, 1, [5, 4]);
  p.text("guessing", box.x + box.w, y(0.5) + 10, { color: color.pink, size: 11, align: "right" });
  const here = factors.indexOf(chosen);
  const veiled = p.veiled() && (chosen !== 1 || row !== 1); // the lesson says what the models answer at first
  p.guess((factor) => [x(Math.log(factor)), box.y + box.h]);
  const seen = seenUpTo(p, row, here);
  const runs = seen.map((been, i) => been && [x(Math.log(factors[i])), y(mean(i))]);
  runs.forEach((point, i) => {
    if (!p.veiled() && point && runs[i + 1]) p.stroke([point, runs[i + 1]], color.green, 2);
  });
  const at = x(Math.log(chosen));
  p.line(at, box.y, at, box.y + box.h, color.ink, 1.25, [3, 4]);
  if (veiled) p.veil(at - 9, box.y, 18, box.h);
  else {
    of(here).forEach((share) => p.dot(at, y(share), color.green, 3.5));
    p.dot(at, y(mean(here)), color.ink, 7);
  }
  p.grab("factor", {
    wide: true,
    hit: (a, b) => (within(box, a, b, 12) ? 2 : Infinity),
    move: (a) => {
      const wanted = low - 0.1 + ((a - box.x) / box.w) * (high - low + 0.2);
      const off = factors.map((factor) => Math.abs(Math.log(factor) - wanted));
      p.set("factor", factors[off.indexOf(Math.min(...off))]);
    },
    says: `times ${say(chosen, 2)}`,
  });
  return { right: mean(here), veiled };
}

export default view({
  height: (w) => (w >= 560 ? 340 : 330),
  draw(p) {
    const factor = p.get("factor");
    const length = p.get("length");
    const box = { x: 48, w: p.w - 72 };
    drawPositions(p, { ...box, y: 30, h: 22 }, factor, length);
    const row = p.values("length").indexOf(length);
    const { right, veiled } = drawAnswers(p, { ...box, y: 100, h: p.h - 150 }, p.values("factor"), factor, row);
    const last = factor * (length - 1);
    const where =
      `${length} tokens, all positions times ${fixed(factor)}: the last position is ${fixed(last, 1)}, ` +
      `training ended at ${lastOfEach(p)[0]}`;
    const reading = (answers) => ["All positions × ", scrub("factor"), `: the last is ${fixed(last, 1)}. ${answers}`];
    if (veiled)
      return {
        alt: `${where}; how many answers are right is hidden until you have guessed`,
        numbers: { last: [last] },
        reading: reading("Right answers: ?"),
      };
    const said = { last: fixed(last, 1), right: fixed(right) };
    return {
      alt: `${where}; ${said.right} of the answers are right`,
      seen: row === 1 && factor < 0.3,
      numbers: { last: [last], right: [right] },
      said,
      reading: reading(`Right answers: ${said.right}.`),
    };
  },
});
