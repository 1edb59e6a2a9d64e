// How loud are the tokens beside codes of one length? A line for each code, and the eight seeds at the chosen loudness.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const CODES = ["sinusoid", "drifting rows", "sinusoid, rows shuffled", "random rows", "random rows, 9 directions"];
const TONES = ["sin", "green", "pink", "cos", "grey"];
const FLOOR = 0.42; // of the axis: guessing is 0.5
const WIDE = 640;
const ROW = 44; // from one code's name to the next
const NEAR = 37; // and on a phone
const BESIDE = 8; // CSS pixels between the dots of two codes beside held tokens

function sizesOf(w) {
  const wide = w >= WIDE;
  const plot = { x: 40, y: 34, w: wide ? 0.54 * w - 40 : w - 56, h: wide ? 220 : 172 };
  const list = wide
    ? { x: 0.58 * w, y: 30, w: 0.42 * w - 8, row: ROW }
    : { x: 8, y: plot.y + plot.h + 56, w: w - 16, row: NEAR };
  return { plot, list, height: wide ? 312 : list.y + NEAR * CODES.length - 4 };
}

const meanOf = (row) => row.reduce((sum, share) => sum + share, 0) / row.length;

const scoresOf = (p, at, code, std) => Array.from(p.data.right.row(at.held, at.steps, code, std));

// A line for each code where training changes the tokens. Where they are held, these lines are pale, and from each a
// thin one leads to the mean beside held tokens.
function drawLines(p, box, at) {
  const { color, data } = p;
  const stds = p.values("std");
  const last = stds.length - 1;
  const { x, y } = p.axes(box, {
    x: [-0.3, last + 0.3],
    y: [FLOOR, 1],
    xticks: stds.map((std, i) => [i, String(std)]),
    yticks: [0.5, 0.75, 1],
    xlabel: "std of the tokens' numbers, before training",
    ylabel: "right answers, mean of eight seeds",
  });
  p.line(box.x, y(0.5), box.x + box.w, y(0.5), color.soft, 1, [2, 4]);
  const here = x(p.ease("std", at.std));
  p.line(here, box.y, here, box.y + box.h, color.ink, 1.5);
  CODES.forEach((name, code) => {
    const tone = color[TONES[code]];
    const means = stds.map((_, i) => p.ease(`${name} ${i}`, meanOf(data.right.row(0, at.steps, code, i))));
    p.ctx.globalAlpha = at.held ? 0.3 : 1;
    p.stroke(
      means.map((mean, i) => [x(i), y(mean)]),
      tone,
      2.5,
    );
    p.ctx.globalAlpha = 1;
    means.forEach((mean, i) => {
      const held = meanOf(data.right.row(1, at.steps, code, i));
      if (at.held ? Number.isNaN(held) : i !== at.std) return;
      const beside = x(i) + at.held * BESIDE * (code - 2);
      const fallen = y(at.held ? p.ease(`${name} ${i} held`, held) : mean);
      if (at.held) p.line(beside, y(mean), beside, fallen, tone, 1.5);
      p.dot(beside, fallen, color.paper, 6);
      p.dot(beside, fallen, tone, 4.5);
    });
  });
  const stdAt = (a) => stds[Math.max(0, Math.min(last, Math.round(((a - box.x) / box.w) * (last + 0.6) - 0.3)))];
  p.grab("std", {
    wide: true,
    hit: (a, b) => (within(box, a, b) ? 1 : Infinity),
    move: (a) => p.set("std", stdAt(a)),
    says: (a) => `tokens at std ${stdAt(a)}`,
  });
}

function drawSeeds(p, box, at) {
  const { color } = p;
  const x = (share) => box.x + ((share - FLOOR) / (1 - FLOOR)) * box.w;
  CODES.forEach((name, code) => {
    const scores = scoresOf(p, at, code, at.std);
    const tried = scores.every(Number.isFinite);
    const [y, tone] = [box.y + box.row * code, color[TONES[code]]];
    p.dot(box.x + 5, y, tone, 5);
    p.text(name, box.x + 16, y, { size: 13 });
    p.text(tried ? fixed(meanOf(scores)) : "not tried", box.x + box.w, y, { size: 14, weight: 600, align: "right" });
    p.line(box.x, y + 19, box.x + box.w, y + 19, color.line, 1);
    p.line(x(0.5), y + 13, x(0.5), y + 25, color.soft, 1, [2, 2]);
    if (!tried) return;
    scores.forEach((share, seed) => p.circle(x(p.ease(`${name} seed ${seed}`, share)), y + 19, 4, tone, 1.8));
  });
}

export default view({
  height: (w) => sizesOf(w).height,
  draw(p) {
    const [std, steps] = ["std", "budget"].map((name) => p.get(name));
    const tokens = p.get("tokens");
    const held = p.values("tokens").indexOf(tokens);
    const at = { held, std: p.values("std").indexOf(std), steps: p.values("budget").indexOf(steps) };
    const { plot, list } = sizesOf(p.w);
    drawLines(p, plot, at);
    drawSeeds(p, list, at);
    const means = CODES.map((_, code) => meanOf(scoresOf(p, at, code, at.std)));
    const told = CODES.map((name, code) => `${name} ${fixed(means[code])}`).join(", ");
    const longer = Math.SQRT1_2 / std;
    return {
      alt:
        `${tokens} tokens at std ${std}, ${steps} training steps: ` + (means.some(Number.isNaN) ? "not tried" : told),
      numbers: { means: means.filter(Number.isFinite), longer: [longer] },
      said: {},
      reading: [
        held ? "Tokens held at std " : "Tokens drawn at std ",
        scrub("std"),
        ": the codes are ",
        `${longer >= 10 ? Math.round(longer) : fixed(longer, 1)} times as long. `,
        scrub("budget"),
        " training steps.",
      ],
    };
  },
});
