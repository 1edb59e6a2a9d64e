// Positions p and p + k on a dial for each hand; what the hands add to the score, tip to tail; and the score K(k).
const WIDE = 620;
const DIALS = 6;
const radius = (w) => Math.max(15, Math.min(48, w / 13 - 4));

// All hands up to six, otherwise six from the fastest to the slowest.
function shownOf(count) {
  if (count <= DIALS) return Array.from({ length: count }, (_, i) => i);
  const spread = Array.from({ length: DIALS }, (_, i) => Math.round((i * (count - 1)) / (DIALS - 1)));
  return [...new Set(spread)];
}

const scoreOf = (h, k) => h.speeds.reduce((sum, speed) => sum + Math.cos(k * speed), 0);

export default view({
  height: (w) => 2 * radius(w) + 66 + (w >= WIDE ? 350 : 610),
  draw(p) {
    const h = handsOf(p);
    const k = p.get("k");
    const there = h.position + k;
    const shown = shownOf(h.count);
    const r = radius(p.w);
    const step = Math.min(p.w / shown.length, 2 * r + 46);
    const left = (p.w - step * shown.length) / 2;
    const adds = shown.map((i, n) => twoHands(p, h, { i, k, r, x: left + step * (n + 0.5), y: 22 + r }));
    const score = scoreOf(h, k);
    const top = 2 * r + 100;
    const wide = p.w >= WIDE;
    const half = wide ? p.w * 0.48 : p.w;
    arrows(p, { x: 8, y: top, w: half - 16, h: 288 }, h, k, score);
    curve(
      p,
      { x: wide ? half + 50 : 40, y: wide ? top : top + 350, w: p.w - (wide ? half + 66 : 56), h: wide ? 226 : 190 },
      h,
      k,
      score,
    );
    const where = `position ${h.position}, offset ${k}, d_model ${h.width}`;
    return {
      alt: `${where}: the codes of ${h.position} and ${say(there)} have the dot product ${fixed(score, 3)}`.replace(
        "offset -",
        "offset −",
      ),
      numbers: { score: [score], adds },
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
    };
  },
});

// One hand at both positions, and the angle between: it adds that angle's cosine to the score.
function twoHands(p, h, { i, k, r, x, y }) {
  const { ctx, color } = p;
  const [here, there] = [h.position, h.position + k].map((position) => position * h.speeds[i]);
  const gap = wrap(there - here);
  const start = here - Math.PI / 2; // canvas angles begin at 3 o'clock
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.arc(x, y, r * 0.6, start, start + gap, gap < 0);
  ctx.fillStyle = color.line;
  ctx.fill();
  p.circle(x, y, r, i === h.lit ? color.ink : color.soft, i === h.lit ? 2 : 1);
  p.line(x, y - r, x, y - r * 0.88, color.soft);
  const add = Math.cos(k * h.speeds[i]);
  p.dot(x - 22, y - r - 11, h.colors[i], 4);
  p.text(`hand ${i}`, x - 14, y - r - 11, { size: p.w < 420 ? 10 : 12, color: color.soft });
  p.text(fixed(add), x, y + r + 13, { align: "center", weight: 600 });
  for (const [name, angle, tone, width] of [
    ["position", here, color.sin, 4.5],
    ["k", there, color.cos, 2.5],
  ]) {
    const tip = [x + r * Math.sin(angle), y - r * Math.cos(angle)];
    p.line(x, y, ...tip, tone, width);
    p.grab(`${name} ${i}`, {
      hit: (a, b) => toSegment(a, b, x, y, ...tip) + (name === "k" ? 0 : 0.5),
      move: (a, b, begun) => turnTo(p, h, { name, i, angle: Math.atan2(a - x, y - b), begun, from: angle }),
      says: `hand ${i}: ${fixed((gap * 360) / TURN, 0)}° apart, adds ${fixed(add)}`,
      lights: { hand: i },
    });
  }
  return add;
}

// Dragging the blue hand moves the position, dragging the vermilion one the offset.
function turnTo(p, h, { name, i, angle, begun, from }) {
  begun.turned ??= from;
  begun.turned += wrap(angle - (begun.last ?? begun.turned));
  begun.last = angle;
  const token = begun.turned / h.speeds[i];
  p.set(name, nearest(p.values(name), name === "k" ? token - h.position : token));
}

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
  const unit = Math.min(box.w / (reach.right - reach.left), (box.h - 20) / (reach.up - reach.down));
  const x0 = box.x - reach.left * unit;
  const y0 = box.y + 10 + reach.up * unit;
  p.text(`${h.count} arrows, one per hand, tip to tail`, box.x, box.y - 16, { weight: 600, size: 13 });
  p.line(box.x, y0, x0 + reach.right * unit, y0, color.line);
  const ends = chainOf(h, k).map(([x, y]) => [x0 + unit * x, y0 - unit * y]);
  const end = ends.at(-1);
  for (let n = 0; n < h.count; n += 1) {
    const i = h.count - 1 - n;
    p.arrow(ends[n], ends[n + 1], h.colors[i], i === h.lit ? 6 : Math.max(2, Math.min(4, unit / 5)));
    p.grab(`arrow ${i}`, {
      hit: (a, b) => toSegment(a, b, ...ends[n], ...ends[n + 1]),
      says: `hand ${i} adds cos(${say(k)}·${amount(h.speeds[i])}) = ${fixed(Math.cos(k * h.speeds[i]))}`,
      lights: { hand: i },
    });
  }
  const side = end[1] > y0 ? -1 : 1; // the bar of K(k) lies beside the chain, not on it
  const level = y0 + 11 * side;
  p.line(end[0], end[1], end[0], level, color.cos, 1.5, [4, 4]);
  p.line(x0, level, end[0], level, color.cos, 4);
  p.dot(x0, y0, color.ink, 4);
  p.dot(end[0], level, color.cos, 5);
  p.text(`K(${say(k)}) = ${fixed(score)}`, Math.max((x0 + end[0]) / 2, 56), level + 15 * side, {
    color: color.cos,
    weight: 600,
    align: "center", // at 56 its left half is still in the picture
    size: 13,
  });
}

function curve(p, box, h, k, score) {
  const { color } = p;
  const ks = p.values("k");
  const scores = ks.map((offset) => scoreOf(h, offset));
  const low = Math.min(0, Math.floor(Math.min(...scores)));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => ks[Math.round(part * (ks.length - 1))]);
  const { x, y } = p.axes(box, {
    x: [ks[0], ks.at(-1)],
    y: [low, h.count],
    xticks: ticks,
    yticks: [...new Set([low, 0, h.count])],
    xlabel: "offset k (tokens)",
  });
  p.text("K(k), the score of codes k apart", box.x, box.y - 16, { weight: 600, size: 13 });
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
