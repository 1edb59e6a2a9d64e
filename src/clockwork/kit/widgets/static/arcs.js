// A dial with the angles of training shaded, and a band as far as the hand gets now: vermilion where that is new.
// Angles run clockwise from 12 o'clock, or to both sides of it where no mask hides the later tokens.
import { TURN } from "./hands.js";

function sector(p, x, y, inner, outer, begin, end, bothWays, color) {
  const top = -Math.PI / 2;
  p.ctx.fillStyle = color;
  for (const side of bothWays ? [1, -1] : [1]) {
    p.ctx.beginPath();
    p.ctx.arc(x, y, outer, top + side * begin, top + side * end, side < 0);
    p.ctx.arc(x, y, inner, top + side * end, top + side * begin, side > 0);
    p.ctx.closePath();
    p.ctx.fill();
  }
}

export function arcDial(p, x, y, R, { met, reach, tone, bothWays = false, mark = null }) {
  const { color } = p;
  const whole = bothWays ? TURN / 2 : TURN;
  const known = Math.min(met, whole);
  const now = Math.min(reach, whole);
  sector(p, x, y, 0, R, 0, known, bothWays, color.line);
  p.circle(x, y, R, color.soft, 1);
  const inner = R + Math.max(2, 0.08 * R);
  const outer = inner + Math.max(4, 0.16 * R);
  sector(p, x, y, inner, outer, 0, Math.min(now, known), bothWays, tone);
  if (now > known) sector(p, x, y, inner, outer, known, now, bothWays, color.cos);
  if (mark) {
    const tip = (angle) => [x + 0.86 * R * Math.sin(angle), y - 0.86 * R * Math.cos(angle)];
    p.stroke([[x, y], tip(mark[0])], color.ink, 1.5, [1.5, 4]);
    p.circle(...tip(mark[0]), 4, color.ink, 1.5);
    p.stroke([[x, y], tip(mark[1])], tone, 3);
    p.dot(...tip(mark[1]), tone, 4);
  }
  p.dot(x, y, color.ink, 2.5);
}
