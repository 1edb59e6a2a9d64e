// The clocks of positions p and p + k; what their hands add to the dot product, as arrows tip to tail; and K(k).
import { face } from "./faces.js";
import { TURN, amount, handsOf, toSegment } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { lowered, scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 620;
const TALL = 300;
const CURVE = 120; // below the arrows, on a phone
const PULLED = 0.01; // rad a token: a slower arrow hardly turns in 64 tokens, so nobody can pull it

function sizesOf(w) {
  const wide = w >= WIDE;
  return { wide, r: wide ? 58 : Math.min(62, w / 5.5), tall: wide ? TALL : 190 };
}

const scoreOf = (h, k) => h.speeds.reduce((sum, speed) => sum + Math.cos(k * speed), 0);

export default view({
  height(w) {
    const { wide, r, tall } = sizesOf(w);
    return wide ? tall + 66 : 2 * r + tall + 146 + CURVE;
  },
  draw(p) {
    const { color } = p;
    const { wide, r, tall } = sizesOf(p.w);
    const h = handsOf(p);
    const k = p.get("k");
    const there = h.position + k;
    const score = scoreOf(h, k);
    const move = (which, token) => p.set(which, nearest(p.values(which), token));
    const clocks = [
      { name: "here", at: h.position, tone: color.here, turn: (to) => move("position", to) },
      { name: "there", at: there, tone: color.there, turn: (to) => move("k", to - h.position) },
    ];
    clocks.forEach((clock, n) => {
      const [x, y] = wide ? [r + 4, 30 + r + n * (2 * r + 46)] : [(p.w * (1 + 2 * n)) / 4, 30 + r];
      p.text(`position ${say(clock.at)}`, x, y - r - 14, { align: "center", weight: 600, size: 13, color: clock.tone });
      face(p, h, { ...clock, x, y, r });
    });
    const left = wide ? 2 * r + 34 : 8;
    const top = wide ? 30 : 2 * r + 66;
    const half = wide ? (p.w - left) * 0.54 : p.w - 16;
    arrows(p, { x: left, y: top, w: half, h: tall }, h, k, score);
    const room = { x: left + half + 52, y: top + 10, w: p.w - left - half - 64, h: tall - 70 };
    curve(p, wide ? room : { x: 40, y: top + tall + 40, w: p.w - 56, h: CURVE }, h, k, score);

    p.began ??= { position: h.position, k };
    p.walked ||= h.position !== p.began.position;
    p.shifted ||= k !== p.began.k;
    const where = `position ${h.position}, offset ${say(k)}, d_model ${h.width}`;
    return {
      alt: `${where}: the codes of ${h.position} and ${say(there)} have the dot product ${fixed(score, 3)}`,
      numbers: { score: [score], adds: Array.from(h.speeds, (speed) => Math.cos(k * speed)) },
      said: { score: fixed(score), there: say(there) },
      reading: [
        "Positions ",
        scrub("position"),
        ` and ${say(there)}, `,
        scrub("k"),
        ` apart:\nPE(${h.position}) · PE(${say(there)}) = K(${say(k)}) = cos(${say(k)}·ω`,
        lowered("0"),
        `) + … + cos(${say(k)}·ω`,
        lowered(String(h.count - 1)),
        `) = ${fixed(score, 3)}`,
      ],
      seen: p.walked && p.shifted,
    };
  },
});

// Where each arrow ends, slowest hand first.
function chainOf(h, k) {
  const ends = [[0, 0]];
  for (let i = h.count - 1; i >= 0; i -= 1) {
    const [x, y] = ends.at(-1);
    ends.push([x + Math.cos(k * h.speeds[i]), y + Math.sin(k * h.speeds[i])]);
  }
  return ends;
}

// What the arrows of all offsets cover, so that the scale stays while k moves.
function reachOf(p, h) {
  const mark = `${h.width} ${h.base}`;
  if (p.kept.reach?.mark === mark) return p.kept.reach;
  const ends = p.values("k").flatMap((k) => chainOf(h, k));
  const [xs, ys] = [ends.map(([x]) => x), ends.map(([, y]) => y)];
  const most = (values) => values.reduce((a, b) => Math.max(a, b));
  const least = (values) => values.reduce((a, b) => Math.min(a, b));
  const reach = { mark, left: least(xs), right: most(xs), down: least(ys), up: most(ys) };
  return (p.kept.reach = reach);
}

// One unit arrow a hand, turned by its angle, slowest first: where the last one ends lies K(k) to the right.
function arrows(p, box, h, k, score) {
  const { color } = p;
  const reach = reachOf(p, h);
  const unit = Math.min((box.w - 8) / (reach.right - reach.left), (box.h - 20) / (reach.up - reach.down));
  const x0 = box.x - reach.left * unit;
  const y0 = box.y + box.h / 2 + ((reach.up + reach.down) / 2) * unit;
  const placed = (chain) => chain.map(([x, y]) => [x0 + unit * x, y0 - unit * y]);
  p.text(`${h.count} arrows, one per hand, tip to tail`, box.x, box.y - 14, { weight: 600, size: 13 });
  p.line(box.x, y0, x0 + reach.right * unit, y0, color.line);
  const ends = placed(chainOf(h, k));
  const end = ends.at(-1);
  for (let n = 0; n < h.count; n += 1) {
    const i = h.count - 1 - n;
    p.arrow(ends[n], ends[n + 1], h.colors[i], i === h.lit ? 6 : Math.max(2, Math.min(4, unit / 5)));
    const area = {
      wide: i > 0,
      hit: (a, b) =>
        Math.min(Math.hypot(a - ends[n + 1][0], b - ends[n + 1][1]) - 6, toSegment(a, b, ...ends[n], ...ends[n + 1])),
      says: `hand ${i} adds cos(${say(k)}·${amount(h.speeds[i])}) = ${fixed(Math.cos(k * h.speeds[i]))}`,
      lights: { hand: i },
    };
    if (h.speeds[i] > PULLED)
      area.move = (a, b) =>
        p.set(
          "k",
          pulled(p, h, i, [a, b], (at) => placed(chainOf(h, at))[n + 1]),
        );
    p.grab(`arrow ${i}`, area);
  }
  const side = end[1] > y0 ? -1 : 1; // the bar of K(k) lies beside the chain, not on it
  const level = y0 + 11 * side;
  p.line(end[0], end[1], end[0], level, color.cos, 1.5, [4, 4]);
  p.line(x0, level, end[0], level, color.cos, 4);
  p.dot(x0, y0, color.ink, 4);
  p.dot(end[0], level, color.cos, 5);
  p.dot(...end, color.paper, 10);
  p.circle(...end, 9, h.colors[0], 3);
  const name = { color: color.cos, weight: 600, align: "center", size: 14, halo: true };
  p.text(`K(${say(k)}) = ${fixed(score)}`, Math.max((x0 + end[0]) / 2, box.x + 56), level + 16 * side, name);
}

// The offset that brings an arrow's tip, `placed(k)`, closest to the pointer, of those within one turn of this arrow.
function pulled(p, h, i, [a, b], placed) {
  const now = p.get("k");
  const near = TURN / h.speeds[i];
  const far = (k) => {
    const [x, y] = placed(k);
    return Math.hypot(x - a, y - b);
  };
  const steps = p.values("k").filter((k) => Math.abs(k - now) <= near);
  return steps.reduce((best, k) => (far(k) < far(best) ? k : best), now);
}

function curve(p, box, h, k, score) {
  const { color } = p;
  const ks = p.values("k");
  const scores = ks.map((offset) => scoreOf(h, offset));
  const low = Math.min(0, Math.floor(Math.min(...scores)));
  const ticks = [0, 0.5, 1].map((part) => ks[Math.round(part * (ks.length - 1))]);
  const { x, y } = p.axes(box, {
    x: [ks[0], ks.at(-1)],
    y: [low, h.count],
    xticks: ticks,
    yticks: [...new Set([low, 0, h.count])],
    xlabel: "offset k (tokens)",
  });
  p.text("K(k), the dot product", box.x, box.y - 24, { weight: 600, size: 13 });
  p.line(box.x, y(0), box.x + box.w, y(0), color.line);
  p.stroke(
    scores.map((value, n) => [x(ks[n]), y(value)]),
    color.grey,
    1.75,
  );
  if (box.w / ks.length > 3) scores.forEach((value, n) => p.dot(x(ks[n]), y(value), color.grey, 1.8));
  p.line(x(k), y(low), x(k), y(score), color.cos, 1.5, [4, 4]);
  p.dot(x(k), y(score), color.paper, 9);
  p.dot(x(k), y(score), color.cos, 6.5);
  const offsetAt = (a) => nearest(ks, ks[0] + ((a - box.x) / box.w) * (ks.at(-1) - ks[0]));
  const inside = (a, b) => a > box.x - 6 && a < box.x + box.w + 6 && b > box.y - 6 && b < box.y + box.h + 6;
  p.grab("curve", {
    wide: true,
    hit: (a, b) => Math.min(Math.hypot(a - x(k), b - y(score)) - 8, inside(a, b) ? 3 : Infinity),
    move: (a) => p.set("k", offsetAt(a)),
    says: `K(${say(k)}) = ${fixed(score, 3)}`,
  });
}
