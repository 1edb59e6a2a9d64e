// A clock face with a hand for each pair of a code, in the hands' own colours; hands can be dragged.
import { amount, toSegment, wrap } from "../../../kit/widgets/static/hands.js";
import { say } from "../../../kit/widgets/static/painter.js";

// `at` is the position that the hands show, `tone` the colour of the rim; a dragged hand calls `turn` with the position
// to which it was turned. A finger grips the fastest hand; the others it takes by a tap or sideways.
export function face(p, h, { x, y, r, at, tone, name, turn }) {
  const long = (i) => r * (h.count > 1 ? 0.94 - (0.5 * i) / (h.count - 1) : 0.94);
  const tip = (i) => [x + long(i) * Math.sin(at * h.speeds[i]), y - long(i) * Math.cos(at * h.speeds[i])];
  const thick = Math.max(1.2, Math.min(4.5, 10 / Math.sqrt(h.count)));
  p.circle(x, y, r, tone, 2.5);
  p.line(x, y - r, x, y - r * 0.9, p.color.soft);
  for (let i = h.count - 1; i >= 0; i -= 1) p.line(x, y, ...tip(i), h.colors[i], i === h.lit ? thick + 2.5 : thick);
  p.dot(x, y, p.color.ink, 3);
  for (let i = 0; i < h.count; i += 1) {
    p.grab(`${name} ${i}`, {
      wide: i > 0,
      hit: (a, b) => toSegment(a, b, x, y, ...tip(i)) + (i ? 0.5 : 0),
      move: (a, b, begun) => {
        const angle = Math.atan2(a - x, y - b);
        begun.turned ??= at * h.speeds[i];
        begun.turned += wrap(angle - (begun.last ?? begun.turned));
        begun.last = angle;
        turn(begun.turned / h.speeds[i]);
      },
      says: `hand ${i} at position ${say(at)}: ${amount(at * h.speeds[i])} rad`,
      lights: { hand: i },
    });
  }
}
