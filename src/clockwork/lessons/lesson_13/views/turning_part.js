// The turning part of a head as a dial: by how much it turns each hand, faint before it is turned further.
import { handColor, toSegment, wrap } from "../../../kit/widgets/static/hands.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

/**
 * Draw the dial round (cx, cy); its longest hand moves the slider `name`. `p.data.hands` has by how much each hand is
 * turned (rad), its length as a share of `r`, and its speed.
 */
export function drawTurningPart(p, name, { cx, cy, r }) {
  const { color } = p;
  const by = p.get(name);
  const [angles, lengths, speeds] = [0, 1, 2].map((row) => Array.from(p.data.hands.row(row)));
  const longest = lengths.indexOf(Math.max(...lengths));
  const tip = (i, further) => {
    const angle = angles[i] + further * speeds[i];
    return [cx + r * lengths[i] * Math.sin(angle), cy - r * lengths[i] * Math.cos(angle)];
  };
  const slowestFirst = lengths.map((_, i) => i).reverse();
  p.circle(cx, cy, r, color.sin, 2);
  slowestFirst.forEach((i) => p.line(cx, cy, ...tip(i, 0), color.line, 3));
  const eased = p.ease(name, by);
  slowestFirst.forEach((i) => p.line(cx, cy, ...tip(i, eased), handColor(p, i, lengths.length), 4));
  p.dot(cx, cy, color.ink, 3);
  p.dot(...tip(longest, eased), handColor(p, longest, lengths.length), 6);
  p.grab("hand", {
    hit: (a, b) => toSegment(a, b, cx, cy, ...tip(longest, by)),
    move: (a, b, begun) => {
      const points = Math.atan2(a - cx, cy - b);
      begun.by ??= by;
      begun.by += wrap(points - (begun.last ?? angles[longest] + by * speeds[longest])) / speeds[longest];
      begun.last = points;
      p.set(name, nearest(p.values(name), begun.by));
    },
    says: "drag: turn it further",
  });
}
