// The hands' tips wound along the positions: one with its shadows, the bundle, and the dial where it is cut.
import { within } from "../../../kit/widgets/static/grab.js";
import { dial, handSays, handsOf, readingOf, saidOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { polyline } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const WIDE = 620;
const LANES = 8; // corkscrews of a bundle; of more hands, some are shown
const ONE = 142; // CSS pixels: the picture of the chosen hand
const DIAL = 268;
const NARROW = { bundle: 120, dial: 165 }; // on a phone, one below the other
const SHEAR = [0.2, -0.5]; // where one unit of sine goes, to the right and up
const WALL = -2.5;
const FLOOR = -2.2;

const shownOf = (count) => {
  const many = Math.min(count, LANES);
  const places = Array.from({ length: many }, (_, n) => (many > 1 ? Math.round((n * (count - 1)) / (many - 1)) : 0));
  return [...new Set(places)];
};

// A path through points (sine, cosine) at every quarter token or finer.
function wound(speed, first, last, place, keep = (_height) => true) {
  const count = Math.ceil((last - first) * Math.max(2, 5 * speed));
  const path = new Path2D();
  let down = false;
  for (let n = 0; n <= count; n += 1) {
    const t = first + ((last - first) * n) / count;
    const [sine, cosine] = [Math.sin(t * speed), Math.cos(t * speed)];
    if (!keep(sine)) {
      down = false;
      continue;
    }
    const [x, y] = place(t, sine, cosine);
    if (down) path.lineTo(x, y);
    else path.moveTo(x, y);
    down = true;
  }
  return path;
}

function alone(p, box, h, at) {
  const { color } = p;
  const [first, last] = [h.positions[0], h.positions.at(-1)];
  const unit = (box.h - 16) / 5.8;
  const each = (box.w - 5 * unit * SHEAR[0]) / (last - first);
  const x0 = box.x - WALL * unit * SHEAR[0];
  const y0 = box.y + 8 + 2.67 * unit;
  const place = (t, sine, cosine) => [
    x0 + (t - first) * each + unit * SHEAR[0] * sine,
    y0 - unit * (cosine + SHEAR[1] * sine),
  ];
  const tone = h.colors[h.chosen];
  const speed = h.speeds[h.chosen];
  const turned = at * speed;
  const [sine, cosine] = [Math.sin(turned), Math.cos(turned)];
  p.layer("alone", [h.chosen, speed, tone, color.paper, box.w].join(" "), () => {
    const side = (corners, alpha) => {
      const { ctx } = p;
      ctx.globalAlpha = alpha;
      ctx.fillStyle = color.line;
      ctx.fill(polyline(corners.map((corner) => place(...corner))));
      ctx.globalAlpha = 1;
    };
    side([[first, WALL, FLOOR], [last, WALL, FLOOR], [last, WALL, 1.2], [first, WALL, 1.2]], 0.45); // prettier-ignore
    side([[first, WALL, FLOOR], [last, WALL, FLOOR], [last, 1.2, FLOOR], [first, 1.2, FLOOR]], 0.9); // prettier-ignore
    p.stroke(
      wound(speed, first, last, (t, _, c) => place(t, WALL, c)),
      color.cos,
      1.75,
    );
    p.stroke(
      wound(speed, first, last, (t, s) => place(t, s, FLOOR)),
      color.sin,
      1.75,
    );
    p.line(...place(first, 0, 0), ...place(last, 0, 0), color.soft, 0.8);
    p.ctx.globalAlpha = 0.45;
    p.stroke(wound(speed, first, last, place), tone, 1.4);
    p.ctx.globalAlpha = 1;
    const near = (s) => s >= 0;
    p.stroke(wound(speed, first, last, place, near), tone, 2.8);
    const size = { size: 11.5, weight: 600 };
    p.text("the wall sees the cosine", ...place(last, WALL, 1.42), { ...size, color: color.cos, align: "right" });
    p.text("the floor sees the sine", ...place(last, 1.2, FLOOR - 0.3), { ...size, color: color.sin, align: "right" });
    const [x, y] = place(first, WALL, 1.42);
    p.dot(x + 5, y, tone, 5);
    p.text(p.w < WIDE ? `hand ${h.chosen}` : `hand ${h.chosen} alone`, x + 16, y, { weight: 600, size: 13 });
  });
  const tip = place(at, sine, cosine);
  for (const [there, shadow] of [
    [place(at, WALL, cosine), color.cos],
    [place(at, sine, FLOOR), color.sin],
  ]) {
    p.line(...tip, ...there, color.soft, 0.9, [2, 4]);
    p.dot(...there, color.paper, 6);
    p.dot(...there, shadow, 4.5);
  }
  p.line(...place(at, 0, 0), ...tip, tone, 3.5);
  p.dot(...tip, color.paper, 8);
  p.dot(...tip, tone, 6);
  p.grab("alone", {
    wide: true,
    hit: (a, b) => (within(box, a, b) ? 2 : Infinity),
    move: (a) => p.set("position", nearest(h.positions, first + (a - x0) / each)),
    says: handSays(h, h.chosen, h.position),
    lights: { hand: h.chosen },
  });
}

function bundle(p, box, h, at) {
  const { color } = p;
  const [first, last] = [h.positions[0], h.positions.at(-1)];
  const lanes = shownOf(h.count);
  const deep = box.h / lanes.length;
  const tall = Math.min(13, deep * 0.4);
  const aside = 4; // where one unit of sine goes: the cut is a disc, seen from the side
  const x = (t) => box.x + ((t - first) / (last - first)) * box.w;
  const middle = (n) => box.y + (n + 0.5) * deep;
  p.ctx.globalAlpha = 0.7;
  p.ctx.fillStyle = color.line;
  p.ctx.fillRect(x(at) - aside - 2, box.y - 4, 2 * aside + 4, box.h + 8);
  p.ctx.globalAlpha = 1;
  lanes.forEach((i, n) => {
    const tone = h.colors[i];
    const marked = i === h.chosen || i === h.lit;
    const place = (t, sine, cosine) => [x(t) + aside * sine, middle(n) - tall * cosine];
    p.layer(`lane ${n}`, [i, h.speeds[i], tone, marked, box.x, box.y, box.w, deep].join(" "), () => {
      p.ctx.globalAlpha = 0.45;
      p.stroke(wound(h.speeds[i], first, last, place), tone, 1);
      p.ctx.globalAlpha = 1;
      const near = (sine) => sine >= 0;
      p.stroke(wound(h.speeds[i], first, last, place, near), tone, marked ? 2.6 : 1.7);
      p.text(String(i), box.x - 12, middle(n), { color: tone, weight: marked ? 700 : 500, align: "right" });
    });
    const turned = at * h.speeds[i];
    const dot = place(at, Math.sin(turned), Math.cos(turned));
    p.dot(...dot, color.paper, 6.5);
    p.dot(...dot, tone, 5);
  });
  p.text(`position ${h.position}`, Math.max(box.x + 32, Math.min(box.x + box.w - 34, x(at))), box.y - 14, {
    weight: 600,
    align: "center",
  });
  const laneAt = (b) => lanes[Math.max(0, Math.min(lanes.length - 1, Math.floor((b - box.y) / deep)))];
  p.grab("bundle", {
    wide: true,
    hit: (a, b) => (a >= box.x - 24 && a <= box.x + box.w + 4 && b >= box.y - 22 && b <= box.y + box.h ? 2 : Infinity),
    move: (a) => p.set("position", nearest(h.positions, first + ((a - box.x) / box.w) * (last - first))),
    click: (_, b) => p.set("hand", laneAt(b)),
    says: (_, b) => handSays(h, laneAt(b), h.position),
    lights: (_, b) => ({ hand: laneAt(b) }),
  });
}

export default view({
  height: (w) => (w >= WIDE ? ONE + 26 + DIAL : ONE + 46 + NARROW.bundle + NARROW.dial),
  draw(p) {
    const h = handsOf(p);
    const wide = p.w >= WIDE;
    const at = p.time("position");
    alone(p, { x: 8, y: 4, w: p.w - 16, h: ONE - 8 }, h, at);
    const below = ONE + 30;
    const w = wide ? p.w - DIAL - 48 : p.w - 42;
    bundle(p, { x: 30, y: below, w, h: wide ? DIAL - 20 : NARROW.bundle }, h, at);
    const angles = h.speeds.map((speed) => at * speed);
    const side = wide ? DIAL : NARROW.dial;
    dial(p, { x: wide ? p.w - DIAL : (p.w - side) / 2, y: wide ? ONE + 22 : p.h - side, w: side, h: side }, h, {
      angles,
    });
    const numbers = {
      hands: Array.from(h.speeds).flatMap((speed) => [Math.sin(h.position * speed), Math.cos(h.position * speed)]),
    };
    const said = saidOf(h);
    const alt =
      `position ${h.position}, d_model ${h.width}: the cut through ${h.count} hands; ` +
      `hand ${h.chosen} has turned ${said.angle} rad`;
    return { alt, numbers, said, reading: readingOf(p, h) };
  },
});
