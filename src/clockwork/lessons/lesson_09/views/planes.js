// The rows of a table in the plane of two of its directions, with a hand to the row of the position; the turns beside.
import { within } from "../../../kit/widgets/static/grab.js";
import { TURN, handColor, toSegment, wrap } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const TRAIL = 12; // rows that the line joins
const OUTER = 0.99; // of the rows lie within the frame's reach
const SIDE_BY_SIDE = 620;

const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))];

function stateOf(p) {
  const { points, turns, lengths } = p.data;
  const table = p.get("table");
  const t = p.values("table").indexOf(table);
  const pair = p.get("pair");
  const length = lengths.at(t);
  const row = Math.min(p.get("position"), length - 1);
  const key = `${t} ${pair}`;
  if (p.kept.plane?.key !== key) {
    const rows = Array.from({ length }, (_, i) => [points.at(t, pair, i, 0), points.at(t, pair, i, 1)]);
    const steps = Array.from({ length }, (_, i) => turns.at(t, pair, i));
    const real = steps.slice(1);
    const radius = rows.map(([x, y]) => Math.hypot(x, y));
    p.kept.plane = {
      key,
      rows,
      steps,
      mean: real.reduce((sum, v) => sum + v, 0) / real.length,
      size: radius.reduce((sum, v) => sum + v, 0) / radius.length,
      reach: 1.12 * quantile(radius, OUTER),
      steady: quantile(real, 0.02) > 0 && quantile(real, 0.98) < 2,
    };
  }
  return { table, pair, length, row, ...p.kept.plane };
}

// The angle from 12 o'clock, clockwise.
const angleOf = ([x, y]) => Math.atan2(x, y);

function drawPlane(p, box, s) {
  const { color, ctx } = p;
  const R = box.w / 2;
  const [x0, y0] = [box.x + R, box.y + R];
  const at = ([x, y]) => [x0 + (x / s.reach) * R, y0 - (y / s.reach) * R];
  const tone = (i) => handColor(p, i, s.length);
  p.circle(x0, y0, (s.size / s.reach) * R, color.line, 1.5);
  ctx.save();
  ctx.beginPath();
  ctx.arc(x0, y0, R + 2, 0, TURN);
  ctx.clip();
  s.rows.forEach((point, i) => p.dot(...at(point), tone(i), 2.3));
  const now = Math.min(p.time("position"), s.length - 1);
  const [low, part] = [Math.floor(now), now - Math.floor(now)];
  const [from, to] = [s.rows[low], s.rows[Math.min(low + 1, s.length - 1)]];
  const tip = at([from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]);
  const past = s.rows.slice(Math.max(0, low - TRAIL), low + 1).map(at);
  const trail = [...past, tip];
  for (let i = 1; i < trail.length; i += 1) {
    ctx.globalAlpha = 0.15 + (0.85 * i) / trail.length;
    p.stroke([trail[i - 1], trail[i]], color.cos, 1.75);
    p.dot(...trail[i - 1], color.cos, 3.2);
  }
  ctx.globalAlpha = 1;
  p.stroke([[x0, y0], tip], color.paper, 9);
  p.stroke([[x0, y0], tip], tone(s.row), 4.5);
  p.dot(...tip, color.paper, 9);
  p.dot(...tip, tone(s.row), 6.5);
  ctx.restore();
  p.dot(x0, y0, color.ink, 3.5);
  p.text(`directions ${s.pair} and ${s.pair + 1}`, box.x, box.y - 18, { weight: 600, size: 13 });
  p.strip(box.x + R - 50, box.y + 2 * R + 18, 100, "hands", "row 0", String(s.length - 1));
  const speed = Math.max(Math.abs(s.mean), 0.02);
  const clamp = (row) => Math.max(0, Math.min(s.length - 1, Math.round(row)));
  p.grab("hand", {
    hit: (x, y) => Math.min(toSegment(x, y, x0, y0, ...tip), Math.hypot(x - tip[0], y - tip[1]) - 6),
    move: (x, y, begun) => {
      const angle = Math.atan2(x - x0, y0 - y);
      begun.row ??= s.row;
      begun.turned ??= 0;
      begun.turned += wrap(angle - (begun.last ?? Math.atan2(begun.x - x0, y0 - begun.y)));
      begun.last = angle;
      p.set("position", clamp(begun.row + begun.turned / speed));
    },
    says: `row ${s.row}`,
  });
  p.grab("row", {
    wide: true,
    hit: (x, y) => (Math.hypot(x - x0, y - y0) <= R ? 4 : Infinity),
    click: (x, y) => p.set("position", nearestRow(s, at, x, y)),
    says: (x, y) => `row ${nearestRow(s, at, x, y)}`,
  });
}

function nearestRow(s, at, x, y) {
  let [best, least] = [0, Infinity];
  s.rows.forEach((point, i) => {
    const [a, b] = at(point);
    const distance = Math.hypot(a - x, b - y);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

function drawTurns(p, box, s) {
  const { color } = p;
  const [low, high] = s.steady ? [0, 2.25] : [-Math.PI, Math.PI];
  const { x, y } = p.axes(box, {
    x: [0, s.length - 1],
    y: [low, high],
    yticks: s.steady ? [0, 1, 2] : [[-Math.PI, "−π"], 0, 1, [Math.PI, "π"]],
    xticks: [0, Math.round((s.length - 1) / 2), s.length - 1],
    xlabel: "position (tokens)",
  });
  p.text("turn from the row before (rad)", box.x - 22, box.y - 18, { weight: 600, size: 13 });
  p.line(box.x, y(1), box.x + box.w, y(1), color.soft, 1.25, [5, 4]);
  s.steps.forEach((step, i) => {
    if (i) p.dot(x(i), Math.max(box.y, Math.min(box.y + box.h, y(step))), handColor(p, i, s.length), 1.9);
  });
  p.line(x(s.row), box.y, x(s.row), box.y + box.h, color.soft, 1);
  if (s.row) {
    p.dot(x(s.row), y(s.steps[s.row]), color.paper, 7.5);
    p.dot(x(s.row), y(s.steps[s.row]), color.cos, 5);
  }
  const at = (a) => Math.max(0, Math.min(s.length - 1, Math.round(((a - box.x) / box.w) * (s.length - 1))));
  p.grab("turns", {
    wide: true,
    hit: (a, b) => (within(box, a, b, 8) ? 2 : Infinity),
    move: (a) => p.set("position", at(a)),
    says: (a) => (at(a) ? `row ${at(a)}: ${fixed(s.steps[at(a)])} rad` : "row 0"),
  });
}

export default view({
  wide: SIDE_BY_SIDE,
  height: (w) => (w >= SIDE_BY_SIDE ? 0.44 * w + 56 : 0.8 * w + 290),
  draw(p) {
    const s = stateOf(p);
    const wide = p.w >= SIDE_BY_SIDE;
    const side = wide ? 0.44 * p.w - 10 : 0.8 * p.w - 20;
    drawPlane(p, { x: wide ? 8 : (p.w - side) / 2, y: 34, w: side }, s);
    const right = { x: side + 62, y: 34, w: p.w - side - 78, h: side - 24 };
    drawTurns(p, wide ? right : { x: 36, y: side + 100, w: p.w - 50, h: 160 }, s);
    const turn = fixed(s.steps[s.row]);
    const came = s.row ? `it has turned ${turn} rad from the row before` : "the first row";
    const ended = p.get("position") > s.row ? ` (the table ends at ${s.row})` : "";
    return {
      alt:
        `table ${s.table}, directions ${s.pair} and ${s.pair + 1}, row ${s.row}: ${came}; ` +
        `on average ${fixed(s.mean)} rad`,
      numbers: { angle: [angleOf(s.rows[s.row])], turn: [s.steps[s.row]], mean: [s.mean] },
      said: { turn, mean: fixed(s.mean) },
      reading: [
        `${s.table}, position `,
        scrub("position"),
        `${ended}: the hand of directions `,
        scrub("pair"),
        ` and ${s.pair + 1} has turned ${turn} rad from the row before;\non average ${fixed(s.mean)} rad per token, `,
        `2π / ${fixed(s.mean, 3)} = ${fixed(TURN / s.mean, 1)} tokens per turn`,
      ],
    };
  },
});
