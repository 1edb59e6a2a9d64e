// The weights of one head whose bias falls with the distance; beside them how many answers such models get right.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const BARS = 13;
const LABELLED = [1 / 256, 1 / 16, 0.29, 0.7, 2]; // of the slopes, those that have room for their names

const nameOf = (slope) => (slope < 0.1 ? `1/${Math.round(1 / slope)}` : say(slope, 2));

function falling(slope, keys) {
  const grown = Array.from({ length: keys }, (_, back) => Math.exp(-slope * back));
  const total = grown.reduce((a, b) => a + b);
  return grown.map((part) => part / total);
}

function drawWeights(p, box, weights, back) {
  const { color, ctx } = p;
  const { x, y } = p.axes(box, {
    x: [-0.6, BARS - 0.4],
    y: [0, 1],
    xticks: [0, 3, 6, 9, 12],
    yticks: [0, 0.5, 1],
    xlabel: "steps back",
    ylabel: "weight",
  });
  const wide = (box.w / BARS) * 0.76;
  weights.slice(0, BARS).forEach((weight, i) => {
    ctx.fillStyle = i === back ? color.cos : color.faint;
    ctx.fillRect(x(i) - wide / 2, y(weight), wide, y(0) - y(weight));
  });
  const at = { color: color.cos, weight: 600, size: 14, halo: true };
  p.text(fixed(weights[back], 3), x(back) + wide, y(weights[back]) - 14, at);
}

function drawAnswers(p, box, slopes, chosen, p3) {
  const { color, data } = p;
  const [low, high] = [Math.log(slopes[0]), Math.log(slopes.at(-1))];
  const pad = 0.04 * (high - low);
  const seeds = data.accuracy.shape[1];
  const { x, y } = p.axes(box, {
    x: [low - pad, high + pad],
    y: [0, 1],
    xticks: slopes.filter((slope) => LABELLED.includes(slope)).map((slope) => [Math.log(slope), nameOf(slope)]),
    yticks: [0, 0.5, 1],
    xlabel: "slope of the head (log axis)",
    ylabel: "share",
  });
  const fine = Array.from({ length: 81 }, (_, i) => low + ((high - low) * i) / 80);
  p.stroke(
    fine.map((v) => [x(v), y(p3(Math.exp(v)))]),
    color.pink,
    2,
  );
  const mean = (i) => Array.from({ length: seeds }, (_, s) => data.accuracy.at(i, s)).reduce((a, b) => a + b) / seeds;
  p.stroke(
    slopes.map((slope, i) => [x(Math.log(slope)), y(mean(i))]),
    color.green,
    2,
  );
  slopes.forEach((slope, i) => {
    for (let s = 0; s < seeds; s += 1)
      p.dot(x(Math.log(slope)), y(data.accuracy.at(i, s)), color.green, slope === chosen ? 5 : 3);
  });
  const here = x(Math.log(chosen));
  p.line(here, box.y, here, y(0), color.ink, 1.5);
  p.dot(here, box.y, color.ink, 7);
  p.keys(box.x + 52, box.y - 12, box.w - 40, [
    [color.green, "right answers"],
    [color.pink, "weight on three back"],
  ]);
  p.grab("slope", {
    wide: true,
    hit: (a, b) => (within(box, a, b, 12) ? 2 : Infinity),
    move: (a) => {
      const wanted = low - pad + ((a - box.x) / box.w) * (high - low + 2 * pad);
      const off = slopes.map((slope) => Math.abs(Math.log(slope) - wanted));
      p.set("slope", slopes[off.indexOf(Math.min(...off))]);
    },
    says: `slope ${say(chosen, 3)}`,
  });
  return mean(slopes.indexOf(chosen));
}

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 290 : 540),
  draw(p) {
    const slope = p.get("slope");
    const [keys, back] = [p.get("tokens"), p.get("back")];
    const weights = falling(slope, keys);
    const wide = p.w >= WIDE;
    const left = wide ? { x: 44, y: 34, w: p.w * 0.38 - 50, h: 200 } : { x: 44, y: 34, w: p.w - 60, h: 180 };
    const right = wide
      ? { x: p.w * 0.38 + 44, y: 34, w: p.w * 0.62 - 60, h: 200 }
      : { x: 44, y: 296, w: p.w - 60, h: 190 };
    drawWeights(p, left, weights, back);
    const right3 = (s) => falling(s, keys)[back];
    const accuracy = drawAnswers(p, right, p.values("slope"), slope, right3);
    const [weight, answers] = [fixed(weights[back], 3), fixed(accuracy)];
    return {
      alt: `slope ${fixed(slope, 3)}: three back gets ${weight} of the weight; ${answers} of the answers are right`,
      numbers: { weights: weights.slice(0, BARS), accuracy: [accuracy] },
      said: { weight, right: answers },
      reading: [
        "Slope ",
        scrub("slope"),
        `: three back gets exp(−3 · ${say(slope, 3)}) / Σ exp(−steps · ${say(slope, 3)}) = ${weight} of the weight.\n`,
        `Right answers: ${answers}.`,
      ],
    };
  },
});
