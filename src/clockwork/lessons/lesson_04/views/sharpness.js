// One query over the codes of 64 tokens, for a head that looks k tokens back with loudness s: its scores, its weights.
import { within } from "../../../kit/widgets/static/grab.js";
import { handsOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, roundEnds, say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { lowered, scrub } from "../../../kit/widgets/static/terms.js";

const SCORES = 96;
const WEIGHTS = 168;

function scoresOf(h, k, s, tokens) {
  return Array.from({ length: tokens }, (_, q) => {
    const offset = q - h.position + k;
    return (s / Math.sqrt(h.width)) * h.speeds.reduce((sum, speed) => sum + Math.cos(offset * speed), 0);
  });
}

function weightsOf(scores) {
  const most = Math.max(...scores);
  const grown = scores.map((score) => Math.exp(score - most));
  const total = grown.reduce((a, b) => a + b);
  return grown.map((part) => part / total);
}

export default view({
  height: () => SCORES + WEIGHTS + 140,
  draw(p) {
    const { ctx, color } = p;
    const h = handsOf(p);
    const [k, s] = [p.get("k"), p.get("s")];
    const tokens = p.get("tokens");
    const there = h.position - k;
    const inside = there >= 0 && there < tokens;
    const scores = scoresOf(h, k, s, tokens);
    const weights = weightsOf(scores);
    const target = inside ? weights[there] : 0;
    const span = [-0.7, tokens - 0.3];
    const above = { x: 44, y: 40, w: p.w - 60, h: SCORES };
    const [low, high] = roundEnds(Math.min(...scores), Math.max(...scores));
    const upper = p.axes(above, { x: span, y: [low, high], xticks: [], title: "scores" });
    p.stroke(
      scores.map((score, q) => [upper.x(q), upper.y(score)]),
      color.grey,
      1.5,
    );
    scores.forEach((score, q) =>
      p.dot(upper.x(q), upper.y(score), q === there ? color.there : color.grey, q === there ? 6 : 2),
    );

    const below = { x: 44, y: above.y + SCORES + 44, w: p.w - 60, h: WEIGHTS };
    const { x, y } = p.axes(below, {
      x: span,
      y: [0, 1],
      xticks: [0, 0.25, 0.5, 0.75].map((part) => part * tokens).concat(tokens - 1),
      yticks: [0, 0.5, 1],
      xlabel: "key q (position)",
      title: "weights: the softmax of the scores",
    });
    const wide = (below.w / (tokens + 0.4)) * 0.8;
    weights.forEach((weight, q) => {
      ctx.fillStyle = q === there ? color.there : color.grey;
      ctx.fillRect(x(q) - wide / 2, y(weight), wide, y(0) - y(weight));
    });
    p.line(x(h.position), above.y, x(h.position), y(0), color.here, 1.5, [3, 4]);
    p.dot(x(h.position), above.y, color.here, 7);
    const right = h.position < tokens * (there > h.position ? 0.25 : 0.8); // the name does not cover the peak
    p.text(`query at ${h.position}`, x(h.position) + (right ? 12 : -12), above.y, {
      color: color.here,
      weight: 600,
      align: right ? "left" : "right",
      halo: true,
    });
    if (inside)
      p.text(`${fixed(target, 3)} at ${there}`, x(there) + (k > 0 ? -8 : 8), Math.max(below.y + 12, y(target) - 12), {
        color: color.there,
        weight: 600,
        align: k > 0 ? "right" : "left",
        size: 14,
        halo: true,
      });
    p.grab("query", {
      wide: true,
      hit: (a, b) => (within({ ...above, h: below.y + below.h - above.y }, a, b, 12) ? 2 : Infinity),
      move: (a) => p.set("position", nearest(p.values("position"), ((a - below.x) / below.w) * (tokens + 0.4) - 0.7)),
      says: `position ${h.position}`,
    });
    p.began ??= h.position;
    const where = `position ${h.position}, k ${say(k)}, d_model ${h.width}, s ${s}`;
    const said = inside
      ? `${fixed(target, 3)} of the weight goes to position ${there}`
      : `no token stands ${say(k)} back`;
    return {
      alt: `${where}: ${said}`,
      numbers: { weights, target: [target] },
      said: { weight: fixed(target, 3) },
      reading: [
        "From position ",
        scrub("position"),
        ", ",
        scrub("k"),
        " back, at s = ",
        scrub("s"),
        `:\nsoftmax(${s} · PE(${h.position})ᵀ M`,
        lowered(say(k)),
        ` PE(q) / √${h.width}) = ${fixed(target, 3)}` +
          (inside ? ` at q = ${there}` : ", as no such token stands there"),
      ],
      seen: target > 0.9 && h.position !== p.began,
    };
  },
});
