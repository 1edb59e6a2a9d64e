// Keys that look like the right one: their scores by offset, the weights of one query, and the answers by position.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const LENGTH = 128;
const BACK = 3;
const MICRO = 1e6;
const [SCORES, WEIGHTS, ANSWERS] = [140, 90, 70]; // heights
const LEFT = 42;

export default view({
  height: () => 52 + SCORES + 44 + WEIGHTS + 62 + ANSWERS + 36,
  draw(p) {
    const { color } = p;
    const query = p.get("query");
    const louder = p.get("louder");
    const hidden = p.get("hidden");
    const which = p.values("which").indexOf(p.get("which"));
    const counts = p.values("hidden");
    const scoreOf = (back) => p.data.scores.at(back + LENGTH - 1) / MICRO;
    const marked = Array.from(p.data.offsets.row(0));
    const gone = new Set(Array.from(p.data.offsets.row(which)).slice(0, hidden));
    const positions = Array.from(p.data.shares.row(which, counts.indexOf(hidden), p.values("louder").indexOf(louder)));
    const right = positions.reduce((a, b) => a + b, 0) / positions.length;
    const keys = Array.from({ length: LENGTH }, (_, j) => query - j);
    const grown = keys.map((back) => (gone.has(back) ? 0 : Math.exp(louder * (scoreOf(back) - scoreOf(BACK)))));
    const sum = grown.reduce((a, b) => a + b, 0);
    const weights = grown.map((one) => one / sum);

    const w = p.w - LEFT - 12;
    const few = p.w < 560;
    const title = `${fixed(right)} of the answers are right`;
    p.text(title, LEFT, 12, { size: 16, weight: 700, color: right > 0.9 ? color.green : color.ink });
    const best = scoreOf(BACK);
    const lowest = Math.min(...Array.from({ length: 2 * LENGTH - 1 }, (_, i) => scoreOf(i + 1 - LENGTH)));
    const ends = [louder * Math.min(0, lowest), 1.12 * louder * best].sort((a, b) => a - b);
    const top = { x: LEFT, y: 52, w, h: SCORES };
    const step = few ? 60 : 30;
    const ticks = [-120, -90, -60, -30, 0, 30, 60, 90, 120].filter((tick) => tick % step === 0);
    const scale = p.axes(top, {
      x: [1 - LENGTH, LENGTH - 1],
      y: ends,
      xticks: ticks.map((tick) => [tick, ""]),
      yticks: [0, Math.round(louder * best)],
      ylabel: louder === 1 ? "score of a key" : `score of a key, times ${louder}`,
    });
    const inText = (back) => back <= query && back > query - LENGTH;
    const curve = (from, to) => {
      const points = [];
      for (let back = from; back <= to; back += 1) points.push([scale.x(back), scale.y(louder * scoreOf(back))]);
      return points;
    };
    p.stroke(curve(1 - LENGTH, LENGTH - 1), color.line, 1.5);
    p.stroke(curve(query - LENGTH + 1, query), color.soft, 1.5);
    const dotAt = (back, tone, hollow) => {
      const [a, b] = [scale.x(back), scale.y(louder * scoreOf(back))];
      if (!hollow) p.dot(a, b, tone, inText(back) ? 4.5 : 2.5);
      else {
        p.dot(a, b, color.paper, 4);
        p.circle(a, b, 4, color.soft, 1.5);
      }
    };
    for (const back of marked) dotAt(back, color.cos, gone.has(back));
    if (which) for (const back of gone) dotAt(back, color.cos, true);
    p.line(top.x, scale.y(louder * best), top.x + w, scale.y(louder * best), color.green, 1, [2, 4]);
    dotAt(BACK, color.green, false);
    p.text(`${BACK} back`, scale.x(BACK) + 8, scale.y(louder * best) - 10, {
      size: 12,
      weight: 600,
      color: color.green,
    });

    const middle = { x: LEFT, y: top.y + SCORES + 44, w, h: WEIGHTS };
    const below = p.axes(middle, {
      x: [1 - LENGTH, LENGTH - 1],
      y: [0, 1],
      xticks: ticks,
      yticks: [0, 1],
      xlabel: "tokens back (below 0: ahead)",
      ylabel: `weights of the query at position ${query}`,
    });
    const bar = Math.max(2, (w / (2 * LENGTH)) * 0.9);
    keys.forEach((back, j) => {
      const tall = weights[j] * WEIGHTS;
      p.ctx.fillStyle = back === BACK ? color.green : marked.includes(back) ? color.cos : color.soft;
      p.ctx.fillRect(below.x(back) - bar / 2, middle.y + WEIGHTS - tall, bar, tall);
    });
    const held = fixed(weights[query - BACK]);
    const heldAt = middle.y + Math.max(8, WEIGHTS * (1 - weights[query - BACK]) - 2);
    p.text(held, below.x(BACK) + 8, heldAt, { size: 13, weight: 600, color: color.green, halo: true });

    const strip = { x: LEFT, y: middle.y + WEIGHTS + 62, w, h: ANSWERS };
    const last = p.axes(strip, {
      x: [0, LENGTH],
      y: [0, 1],
      xticks: [BACK, 32, 64, 96, 127],
      yticks: [0, 1],
      ylabel: few ? "right, by position of the query" : "share of texts that are right, by position of the query",
    });
    const slot = w / LENGTH;
    positions.forEach((share, i) => {
      p.ctx.fillStyle = color.green;
      p.ctx.fillRect(last.x(i + BACK), strip.y + ANSWERS * (1 - share), Math.max(1, slot - 0.6), ANSWERS * share);
    });
    p.frame(last.x(query), strip.y, Math.max(3, slot), ANSWERS, 1.5);
    p.grab("query", {
      wide: true,
      hit: (a, b) => (within(strip, a, b, 6) ? 1 : Infinity),
      move: (a) => p.set("query", nearest(p.values("query"), ((a - strip.x) / w) * LENGTH - 0.5)),
      says: `position ${query}`,
    });
    const after = `${fixed(right)} of the answers are right; position `;
    return {
      alt:
        `${hidden} distances hidden (${p.get("which")}), scores times ${fixed(louder, 1)}: ${after}${query} puts ` +
        `${held} of its weight three back`,
      numbers: { right: [right], positions, weights },
      reading: [
        scrub("hidden"),
        " distances hidden, scores times ",
        scrub("louder"),
        `: ${after}`,
        scrub("query"),
      ].concat(` puts ${held} of its weight three back`),
    };
  },
});
