// What the pictures of this lesson share: a text with two words on it, pairs of numbers as arrows, and hatching.
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

export const RULER = 58; // CSS pixels that the text takes
const LINE = 34; // where in them it runs
const LEFT = 56;
const NARROW = 520; // where the words' names stand above and below the line

export const degrees = (angle) => `${fixed((angle * 180) / Math.PI, 0)}°`;
export const dotProduct = (one, two) => one.reduce((sum, value, i) => sum + value * two[i], 0);
export const between = (one, two) => Math.atan2(one[0] * two[1] - one[1] * two[0], dotProduct(one, two));

// A pair is a number up and one to the right; an angle turns it clockwise.
/** @param {number[]} pair @param {number} angle  in rad */
export function turnedPair([up, right], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [up * cos - right * sin, up * sin + right * cos];
}

// The text as a line of places; a drag of the line moves both words, of the second word that one alone.
export function ruler(p, names) {
  const [position, apart] = [p.get("position"), p.get("apart")];
  const [positions, distances] = [p.values("position"), p.values("apart")];
  const tones = [p.color.sin, p.color.cos];
  const last = positions.at(-1) + distances.at(-1);
  const wide = p.w - LEFT - 48;
  const x = (place) => LEFT + (place / last) * wide;
  const placeAt = (a) => Math.round(((a - LEFT) / wide) * last);
  const places = [position, position + apart];
  p.line(x(0), LINE, x(last), LINE, p.color.line, 2);
  for (let place = 0; place <= last; place += 4) p.line(x(place), LINE - 3, x(place), LINE + 3, p.color.soft);
  p.line(x(places[0]), LINE, x(places[1]), LINE, p.color.ink, 5);
  p.grab("both", {
    wide: true,
    hit: (a, b) => (Math.abs(b - LINE) < 22 ? 3 : Infinity),
    move: (a, b, begun) => {
      begun.from ??= position - placeAt(begun.x);
      p.set("position", nearest(positions, begun.from + placeAt(a)));
    },
    says: "drag: both words",
  });
  places.forEach((place, n) => {
    p.dot(x(place), LINE, p.color.paper, 9);
    p.dot(x(place), LINE, tones[n], 7);
    const [align, shift] = n ? ["left", -3] : ["right", 3];
    const look = { align, weight: 600, size: 14, color: tones[n] };
    const above = n === 0 || p.w >= NARROW;
    p.text(`${names[n]} ${place}`, x(place) + shift, above ? LINE - 20 : LINE + 18, look);
  });
  p.grab("second", {
    hit: (a, b) => Math.max(0, Math.hypot(a - x(places[1]), b - LINE) - 8),
    move: (a) => p.set("apart", nearest(distances, placeAt(a) - position)),
    says: `drag: ${names[1]} alone, ${apart} after ${names[0]}`,
  });
}

// An empty dial; a turn of it by the pointer moves both words, by as many tokens as its hand takes for that.
export function face(p, { x, y, r }, key, speed) {
  const { color } = p;
  p.circle(x, y, r, color.line, 1.5);
  for (let hour = 0; hour < 12; hour += 1) {
    const [a, b] = [Math.sin((hour * Math.PI) / 6), -Math.cos((hour * Math.PI) / 6)];
    p.line(x + a * r * 0.95, y + b * r * 0.95, x + a * r, y + b * r, color.soft);
  }
  p.grab(key, {
    wide: true,
    hit: (a, b) => (Math.hypot(a - x, b - y) < r ? 4 : Infinity),
    move: (a, b, begun) => {
      const angle = Math.atan2(a - x, y - b);
      const step = angle - (begun.last ?? angle);
      begun.place ??= p.get("position");
      begun.place += (step - 2 * Math.PI * Math.round(step / (2 * Math.PI))) / speed;
      begun.last = angle;
      p.set("position", nearest(p.values("position"), begun.place));
    },
    says: "turn it, and both words move",
  });
}

// The angle from one pair to another as a wedge with its degrees.
export function wedge(p, { x, y, r }, [one, two], { told = true } = {}) {
  const [from, by] = [Math.atan2(one[1], one[0]), between(one, two)];
  const { ctx } = p;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.arc(x, y, r, from - Math.PI / 2, from + by - Math.PI / 2, by < 0);
  ctx.closePath();
  ctx.fillStyle = p.color.ink;
  ctx.globalAlpha = 0.16;
  ctx.fill();
  ctx.globalAlpha = 1;
  if (!told) return;
  const middle = from + by / 2;
  const place = [x + (r + 16) * Math.sin(middle), y - (r + 16) * Math.cos(middle)];
  p.text(degrees(Math.abs(by)), ...place, { align: "center", size: 13, weight: 600, halo: true });
}

// How far a pair has turned, clockwise from where it began, without whole turns.
export function swept(p, { x, y, r }, [up, right], angle, tone) {
  const from = Math.atan2(right, up) - Math.PI / 2;
  const { ctx } = p;
  ctx.beginPath();
  ctx.arc(x, y, r, from, from + (angle % (2 * Math.PI)));
  Object.assign(ctx, { strokeStyle: tone, lineWidth: 2 });
  ctx.stroke();
}

// Where nothing is drawn yet.
export function hatched(p, { x, y, w, h }) {
  const { ctx } = p;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, w, h);
  ctx.clip();
  const lines = [];
  for (let a = x - h; a < x + w; a += 9) lines.push([a, a + h]);
  for (const [low, high] of lines) p.line(low, y + h, high, y, p.color.line);
  ctx.restore();
}
