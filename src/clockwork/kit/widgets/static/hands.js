// Hands and their pictures: the dial, the phase map with one column a hand, the wave, and the row of a position.
// Hands end at (sin, cos): 12 o'clock at position 0, clockwise. The faster, the longer. One hand, one colour.
import { within } from "./grab.js";
import { colorAt, fixed, say } from "./painter.js";
import { nearest } from "./sliders.js";
import { raised, scrub, term } from "./terms.js";

export const TURN = 2 * Math.PI;
export const SHORTEST = 0.35; // of the radius: the slowest hand
const RIM = 7;
const KNOB = 9; // CSS pixels: the disc on a hand's tip that bears its number
const FEW = 8; // hands of which a finger can grip any; of more, only the chosen one
export const BASE = 10000;

export const speedOf = (i, width, base) => base ** ((-2 * i) / width); // rad a token: lesson 02
export const wrap = (angle) => angle - TURN * Math.round(angle / TURN);
export const amount = (value) => fixed(value, value !== 0 && Math.abs(value) < 0.1 ? 4 : 2);

// What the sliders choose: the hands of a width and base, how far each has turned, and the chosen one.
export function handsOf(p) {
  const width = p.get("d_model");
  const base = p.get("base") ?? BASE;
  const count = width / 2;
  const speeds = Float64Array.from({ length: count }, (_, i) => speedOf(i, width, base));
  p.limit("hand", count);
  const chosen = p.has("hand") ? Math.min(p.get("hand"), count - 1) : null;
  const position = p.get("position");
  const positions = p.values("position");
  const colors = Array.from({ length: count }, (_, i) => handColor(p, i, count));
  p.tints = (name, value) => (name === "hand" ? colors[Math.min(value, count - 1)] : undefined);
  const lit = p.lit("hand") < count ? p.lit("hand") : undefined;
  return { width, base, count, speeds, chosen, lit, position, positions, colors };
}

export function handColor(p, i, count) {
  return colorAt("hands", count > 1 ? i / (count - 1) : 0);
}

export function handSays({ speeds }, i, position) {
  const angle = position * speeds[i];
  return `hand ${i}: ${amount(angle)} rad, sin ${fixed(Math.sin(angle))}, cos ${fixed(Math.cos(angle))}`;
}

// The numbers that captions may show, and the line under the picture.
export function saidOf(h) {
  const speed = h.speeds[h.chosen];
  const angle = h.position * speed;
  return {
    angle: amount(angle),
    turns: amount(angle / TURN),
    sine: fixed(Math.sin(angle)),
    cosine: fixed(Math.cos(angle)),
    speed: amount(speed),
    period: fixed(TURN / speed, 1),
  };
}

export function readingOf(p, h) {
  const said = saidOf(h);
  const base = p.has("base") ? scrub("base") : say(h.base);
  const turned = [
    "At position ",
    scrub("position"),
    " ",
    term("hand", h.chosen, "hand "),
    scrub("hand"),
    ` has turned ${said.angle} rad, ${said.turns} turns`,
  ];
  if (p.model.get("formula") === false) return [...turned, "."];
  const power = [raised("2·"), raised(scrub("hand")), raised("/"), raised(scrub("d_model"))];
  return [...turned, ":\nsin(", scrub("position"), " / ", base, ...power, `) = ${said.sine},  cos(…) = ${said.cosine}`];
}

export function dial(p, box, h, { angles, grabbed = true, key = "hand", title = "", from = null }) {
  const { ctx, color } = p;
  const x0 = box.x + box.w / 2;
  const y0 = box.y + box.h / 2;
  const R = Math.min(box.w, box.h) / 2 - 30;
  rim(p, x0, y0, R);
  const length = (i) => R * (h.count > 1 ? 1 - ((1 - SHORTEST) * i) / (h.count - 1) : 1);
  const tip = (i) => [x0 + length(i) * Math.sin(angles[i]), y0 - length(i) * Math.cos(angles[i])];
  // Of hands that point to 12 still, and lie on one another, the longest and the chosen one show their numbers.
  const labelled = (i) => {
    const [x, y] = tip(i);
    return h.count <= FEW && (i === 0 || i === h.chosen || Math.abs(x - x0) >= 3 || y >= y0);
  };
  const thick = Math.max(1.2, Math.min(5, 14 / Math.sqrt(h.count)));
  const faint = h.count > 64 ? 0.7 : 1;
  for (let i = h.count - 1; i >= 0; i -= 1) {
    ctx.globalAlpha = faint;
    p.stroke([[x0, y0], tip(i)], h.colors[i], thick);
    ctx.globalAlpha = 1;
    if (h.count > 16) p.dot(...tip(i), h.colors[i], thick / 2 + 0.9);
  }
  if (from !== null) {
    const [x, y] = [x0 + length(h.chosen) * Math.sin(from), y0 - length(h.chosen) * Math.cos(from)];
    p.line(x0, y0, x, y, h.colors[h.chosen], 2, [2, 6]); // where the hand would be with the others
  }
  for (const i of new Set([h.chosen, h.lit ?? h.chosen])) {
    const wide = Math.max(thick + 1.5, 3.5) + (i === h.lit ? 2 : 0);
    p.stroke([[x0, y0], tip(i)], color.paper, wide + 5);
    p.stroke([[x0, y0], tip(i)], h.colors[i], wide);
    p.dot(...tip(i), color.paper, wide + 3.5);
    p.dot(...tip(i), h.colors[i], wide + 1.5);
  }
  if (h.count <= FEW)
    for (let i = 0; i < h.count; i += 1) {
      const [x, y] = tip(i);
      if (!labelled(i)) continue;
      p.dot(x, y, h.colors[i], KNOB);
      p.text(String(i), x, y + 0.5, { color: color.paper, size: 11, align: "center", weight: 600 });
    }
  p.dot(x0, y0, color.ink, 4);
  if (title) p.text(title, x0 - R - 24, y0 - R - 18, { weight: 600, size: 13 });
  for (let i = 0; i < h.count; i += 1) {
    const [x, y] = tip(i);
    const area = {
      hit: (a, b) => {
        if (labelled(i) && Math.hypot(a - x, b - y) < KNOB) return 0;
        return toSegment(a, b, x0, y0, x, y) + (i === h.chosen ? 0.5 : 1); // of hands on one another, the one in sight
      },
      says: () => handSays(h, i, h.position),
      lights: { hand: i },
      wide: h.count > FEW && i !== h.chosen,
    };
    if (grabbed) Object.assign(area, turning(p, h, i, x0, y0));
    p.grab(`${key} ${i}`, area);
  }
}

// The rim is the key to the phase map: at each angle it has the colour of that phase.
export function rim(p, x0, y0, R) {
  p.layer(`rim ${x0}`, `${y0} ${R}`, () => drawRim(p, x0, y0, R));
}

function drawRim(p, x0, y0, R) {
  const { ctx, color } = p;
  const around = ctx.createConicGradient(-Math.PI / 2, x0, y0);
  for (let share = 0; share <= 1; share += 1 / 32) around.addColorStop(share, colorAt("angle", share));
  ctx.beginPath();
  ctx.arc(x0, y0, R + 4 + RIM / 2, 0, TURN);
  Object.assign(ctx, { strokeStyle: around, lineWidth: RIM });
  ctx.stroke();
  for (const edge of [R + 4, R + 4 + RIM]) p.circle(x0, y0, edge, color.soft, 0.75);
  for (let hour = 0; hour < 12; hour += 1) {
    const [x, y] = [Math.sin((hour * TURN) / 12), -Math.cos((hour * TURN) / 12)];
    const inner = hour % 3 ? R : R - 3;
    p.line(x0 + x * inner, y0 + y * inner, x0 + x * (R + 4), y0 + y * (R + 4), color.soft);
    if (hour % 3) continue;
    const far = R + RIM + 13;
    p.text(String(hour || 12), x0 + x * far, y0 + y * far, { color: color.soft, size: 12, align: "center" });
  }
}

export function toSegment(x, y, x0, y0, x1, y1) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const part = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy);
}

// Dragging a hand sets the position that brings it there; with Shift it turns alone.
export function turning(p, h, i, x0, y0) {
  const angleAt = (x, y) => Math.atan2(x - x0, y0 - y);
  return {
    move(x, y, begun, event) {
      const angle = angleAt(x, y);
      begun.alone ??= event.shiftKey && p.has("alone");
      begun.turned ??= h.position * h.speeds[i];
      begun.turned += wrap(angle - (begun.last ?? angleAt(begun.x, begun.y)));
      begun.last = angle;
      if (p.get("hand") !== i) p.set("hand", i);
      if (begun.alone)
        return p.set("alone", nearest(p.values("alone"), (wrap(angle - h.position * h.speeds[i]) * 360) / TURN));
      p.set("position", nearest(h.positions, begun.turned / h.speeds[i]));
    },
    click: () => p.set("hand", i),
  };
}

// The side of a cell, of which `count` fit into a space: a whole number of the screen's pixels.
const cellOf = (p, space, count) => Math.max(1, Math.floor((space * p.sharp) / count)) / p.sharp;

// How much of `space` a phase map of all positions fills.
export function mapHeight(p, space) {
  const rows = p.values("position").length;
  return rows * cellOf(p, space, rows);
}

// Phase as hue, one column a hand; every cell is a whole number of the screen's pixels, so that nothing shimmers.
export function phaseMap(p, box, h) {
  const { ctx, color } = p;
  const rows = h.positions.length;
  const tall = cellOf(p, box.h, rows);
  const wide = h.count <= box.w * p.sharp ? cellOf(p, box.w, h.count) : box.w / h.count;
  const map = { x: box.x, y: box.y, w: wide * h.count, h: tall * rows };
  const phase = (row, i) => (h.positions[row] * h.speeds[i]) % TURN;
  p.heat("phases", map, rows, h.count, phase, { map: "angle", limit: TURN, version: `${h.width} ${h.base}` });
  for (let i = 0; i < h.count; i += 1) {
    ctx.fillStyle = h.colors[i];
    ctx.fillRect(map.x + i * wide, map.y - 9, Math.max(wide, 1), 6);
  }
  const row = h.positions.indexOf(h.position);
  // A thin column is shown wider than it is, as a thin row is.
  const { canvas } = p.kept.phases;
  const column = Math.max(wide, 6);
  const x = Math.max(map.x, Math.min(map.x + map.w - column, map.x + (h.chosen + 0.5) * wide - column / 2));
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(canvas, h.chosen, 0, 1, rows, x, map.y, column, map.h);
  p.frame(x, map.y - 10, column, map.h + 10, h.lit === h.chosen ? 3.5 : 1.75);
  const { y, h: band } = p.framedRow("phases", map, row);
  if (h.lit !== undefined && h.lit !== h.chosen) {
    ctx.strokeStyle = color.ink;
    ctx.setLineDash([3, 3]);
    ctx.strokeRect(map.x + (h.lit + 0.5) * wide - column / 2, map.y - 10, column, map.h + 10);
    ctx.setLineDash([]);
  }
  p.text(String(h.position), map.x - 7, Math.max(map.y + 6, Math.min(map.y + map.h - 6, y + band / 2)), {
    align: "right",
    weight: 600,
  });
  p.text("position", map.x - 34, map.y - 22, { color: color.soft });
  p.text(`hand 0 … ${h.count - 1}`, map.x + map.w, map.y - 22, { color: color.soft, align: "right" });
  const rowAt = (b) => h.positions[Math.max(0, Math.min(rows - 1, Math.floor((b - map.y) / tall)))];
  const handAt = (a) => Math.max(0, Math.min(h.count - 1, Math.floor((a - map.x) / wide)));
  const inside = (a, b, top) => a >= map.x && a <= map.x + map.w && b >= map.y - top && b <= map.y + map.h;
  p.grab("map", {
    wide: true,
    hit: (a, b) => (inside(a, b, 0) ? 3 : Infinity),
    move: (a, b) => {
      p.set("hand", handAt(a));
      p.set("position", rowAt(b));
    },
    says: (a, b) => `position ${rowAt(b)}, ${handSays(h, handAt(a), rowAt(b))}`,
    lights: (a) => ({ hand: handAt(a) }),
  });
  p.grab("heads", {
    wide: true,
    hit: (a, b) => (inside(a, b, 14) && b < map.y ? 0 : Infinity),
    move: (a) => p.set("hand", handAt(a)),
    says: "drag: choose a hand",
  });
  p.grab("row", {
    hit: (a, b) =>
      inside(a, b, 0) || (a > map.x - 34 && a < map.x) ? Math.max(0, Math.abs(b - y - band / 2) - 3) : Infinity,
    move: (a, b) => p.set("position", rowAt(b)),
    says: `position ${h.position}`,
  });
  return map;
}

// One hand's sine and cosine along the positions: thin in the colours of sine and cosine, on a glow of the hand's own.
export function wave(p, box, h, i = h.chosen, at = h.position) {
  const { color } = p;
  const [first, last] = [h.positions[0], h.positions.at(-1)];
  const ticks = [first, Math.round((first + last) / 2), last];
  const { x, y } = p.axes(box, {
    x: [first, last],
    y: [-1.1, 1.1],
    xticks: ticks,
    yticks: [-1, 0, 1],
    xlabel: "position (tokens)",
  });
  p.line(box.x, y(0), box.x + box.w, y(0), color.line);
  p.line(x(at), box.y, x(at), box.y + box.h, color.soft);
  const sides = [
    ["sin", Math.sin, color.sin],
    ["cos", Math.cos, color.cos],
  ];
  p.layer("wave", [i, h.speeds[i], h.colors[i], i === h.lit, box.y].join(" "), () => {
    for (const [, turn, tone] of sides) {
      const path = sinusoid(turn, h.speeds[i], first, last, x, y);
      p.ctx.globalAlpha = glow(p, i === h.lit);
      p.stroke(path, h.colors[i], 6);
      p.ctx.globalAlpha = 1;
      p.stroke(path, tone, 1.75);
    }
  });
  for (const [, turn, tone] of sides) {
    if (box.w / (last - first) >= 5) for (const q of h.positions) p.dot(x(q), y(turn(q * h.speeds[i])), tone, 2.2);
    p.dot(x(at), y(turn(at * h.speeds[i])), color.paper, 7);
    p.dot(x(at), y(turn(at * h.speeds[i])), tone, 5);
  }
  const atPointer = (a) => nearest(h.positions, first + ((a - box.x) / box.w) * (last - first));
  p.grab("wave", {
    wide: true,
    hit: (a, b) => (a >= box.x - 6 && a <= box.x + box.w + 6 && b >= box.y && b <= box.y + box.h ? 2 : Infinity),
    move: (a) => p.set("position", atPointer(a)),
    says: `position ${h.position}: ${handSays(h, i, h.position)}`,
    lights: { hand: i },
  });
}

// Math.sin or Math.cos of t · speed from `first` to `last` as a path of cubics, eight a period: smooth however fast it is.
function sinusoid(turn, speed, first, last, x, y) {
  const path = new Path2D();
  const slope = (t) => turn(t * speed + TURN / 4) * speed;
  path.moveTo(x(first), y(turn(first * speed)));
  const step = (last - first) / Math.ceil((8 * (last - first) * speed) / TURN);
  for (let from = first; from < last - step / 2; from += step) {
    const to = from + step;
    const third = step / 3;
    const [a, b] = [turn(from * speed), turn(to * speed)];
    path.bezierCurveTo(
      x(from + third),
      y(a + slope(from) * third),
      x(to - third),
      y(b - slope(to) * third),
      x(to),
      y(b),
    );
  }
  return path;
}

// How strong a hand's own colour is under the colours of its sine and cosine, which it must not hide.
export const glow = (p, lit) => (p.color.theme === "dark" ? 0.2 : 0.4) + (lit ? 0.3 : 0);

// The row of a position: two numbers a hand.
export function rowOf(p, box, h) {
  const { color, ctx } = p;
  const { x, y } = p.axes(box, {
    x: [-0.5, h.count - 0.5],
    y: [-1.1, 1.1],
    xticks: [0, h.count - 1],
    yticks: [-1, 0, 1],
    xlabel: "hand",
  });
  const each = box.w / h.count;
  const marked = h.lit ?? h.chosen;
  ctx.globalAlpha = h.lit === undefined ? 0.22 : 0.45;
  ctx.fillStyle = h.colors[marked];
  ctx.fillRect(x(marked) - Math.max(each, 3) / 2, box.y, Math.max(each, 3), box.h);
  ctx.globalAlpha = 1;
  p.line(box.x, y(0), box.x + box.w, y(0), color.line);
  const turned = (i) => h.position * h.speeds[i];
  for (const [side, turn, tone] of [
    [-1, Math.sin, color.sin],
    [1, Math.cos, color.cos],
  ]) {
    const ends = Array.from({ length: h.count }, (_, i) => [x(i), y(turn(turned(i)))]);
    if (each < 5) {
      p.stroke(ends, tone, 1.5);
      continue;
    }
    const wide = Math.min(14, each * 0.36);
    ctx.fillStyle = tone;
    for (const [a, b] of ends)
      ctx.fillRect(a + (side * wide) / 2 - wide / 2, Math.min(b, y(0)), wide, Math.max(1, Math.abs(b - y(0))));
  }
  const handAt = (a) => Math.max(0, Math.min(h.count - 1, Math.floor((a - box.x) / each)));
  p.grab("bars", {
    wide: true,
    hit: (a, b) => (within(box, a, b) ? 2 : Infinity),
    move: (a) => p.set("hand", handAt(a)),
    says: (a) => handSays(h, handAt(a), h.position),
    lights: (a) => ({ hand: handAt(a) }),
  });
}
