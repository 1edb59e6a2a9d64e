// One hand turns and leaves two traces: its height runs to the right, a cosine; its sideways place runs down, a sine.
import {
  TURN,
  glow,
  handSays,
  handsOf,
  readingOf,
  rim,
  saidOf,
  toSegment,
  turning,
} from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

export default view({
  height: (w) => Math.min(0.94 * w, 420),
  draw(p) {
    const h = handsOf(p);
    const { color } = p;
    const speed = h.speeds[h.chosen];
    const now = p.time("position");
    const R = Math.min(p.h * 0.19, 112);
    const dial = { x: R + 36, y: R + 34 };
    const tip = [dial.x + R * Math.sin(now * speed), dial.y - R * Math.cos(now * speed)];
    const [first, last] = span(h.positions, speed, now);
    const part = (t) => (t - first) / (last - first);
    const right = dial.x + R + 46; // where the cosine begins; the sine begins as far below
    const down = dial.y + R + 46;
    const cosine = (t) => [right + (p.w - right - 16) * part(t), dial.y - R * Math.cos(t * speed)];
    const sine = (t) => [dial.x + R * Math.sin(t * speed), down + (p.h - down - 16) * part(t)];
    p.line(right, dial.y, p.w - 8, dial.y, color.line);
    p.line(dial.x, down, dial.x, p.h - 8, color.line);
    for (const [at, tone] of [
      [cosine, color.cos],
      [sine, color.sin],
    ]) {
      pen(p, { h, at, tone, now, tip, first, last });
    }
    p.text("cosine: how high", p.w - 12, dial.y - R - 18, { color: color.cos, weight: 600, align: "right", size: 13 });
    p.text(p.w < 520 ? "sine" : "sine: how far right", dial.x + R + 14, p.h - 14, {
      color: color.sin,
      weight: 600,
      size: 13,
    });
    for (const t of [first, last]) {
      const style = { color: color.soft, size: 11, align: "center" };
      p.text(String(t), cosine(t)[0], dial.y + R + 14, style);
      p.text(String(t), dial.x - R - 14, sine(t)[1], style);
    }
    rim(p, dial.x, dial.y, R + 6);
    p.stroke([[dial.x, dial.y], tip], color.paper, 10);
    p.stroke([[dial.x, dial.y], tip], h.colors[h.chosen], h.lit === h.chosen ? 7 : 5);
    p.dot(...tip, color.paper, 10);
    p.dot(...tip, h.colors[h.chosen], 7.5);
    p.dot(dial.x, dial.y, color.ink, 4);
    facts(p, h, right, down);
    const says = handSays(h, h.chosen, h.position);
    const lights = { hand: h.chosen };
    const from = (share) => nearest(h.positions, first + share * (last - first));
    const along = (x) => p.set("position", from((x - right) / (p.w - right - 16)));
    const downwards = (x, y) => p.set("position", from((y - down) / (p.h - down - 16)));
    const near = (at) => (x, y) => Math.max(0, Math.hypot(x - at(now)[0], y - at(now)[1]) - 6);
    p.grab("hand", {
      hit: (x, y) => Math.min(toSegment(x, y, dial.x, dial.y, ...tip), Math.hypot(x - tip[0], y - tip[1]) - 6),
      ...turning(p, h, h.chosen, dial.x, dial.y),
      says,
      lights,
    });
    p.grab("cosine", {
      hit: (x, y) => (x > right - 4 && Math.abs(y - dial.y) <= R ? 4 : Infinity),
      move: along,
      says,
      lights,
      wide: true,
    });
    p.grab("sine", {
      hit: (x, y) => (y > down - 4 && Math.abs(x - dial.x) <= R ? 4 : Infinity),
      move: downwards,
      says,
      lights,
      wide: true,
    });
    p.grab("cosine's pen", { hit: near(cosine), move: along, says, lights });
    p.grab("sine's pen", { hit: near(sine), move: downwards, says, lights });
    const said = saidOf(h);
    const where = `position ${h.position}, d_model ${h.width}: hand ${h.chosen}`;
    return {
      alt: `${where} ends ${said.sine} to the right of the middle, the sine, and ${said.cosine} above it, the cosine`,
      numbers: { sine: [Math.sin(h.position * speed)], cosine: [Math.cos(h.position * speed)] },
      said,
      reading: readingOf(p, h),
    };
  },
});

// The positions between which the traces run: four turns of the hand, though at least 32 positions and at most all.
function span(positions, speed, now) {
  const [first, last] = [positions[0], positions.at(-1)];
  const length = Math.max(32, Math.ceil((4 * TURN) / speed));
  if (length >= last - first) return [first, last];
  const start = first + length * Math.floor((now - first) / length);
  return [start, start + length];
}

// One trace: all of it faint, what has been traced so far strong, and a pen that the hand's tip leads.
function pen(p, { h, at, tone, now, tip, first, last }) {
  const steps = 900;
  const times = Array.from({ length: steps + 1 }, (_, k) => first + ((last - first) * k) / steps);
  p.ctx.globalAlpha = 0.28;
  p.stroke(times.map(at), tone, 1.5);
  p.ctx.globalAlpha = glow(p, h.lit === h.chosen);
  const past = [...times.filter((t) => t < now), now].map(at);
  p.stroke(past, h.colors[h.chosen], 6);
  p.ctx.globalAlpha = 1;
  p.stroke(past, tone, 2.25);
  if (last - first <= 64) for (const t of h.positions) if (t >= first && t <= now) p.dot(...at(t), tone, 2.6);
  p.stroke([tip, at(now)], tone, 1.5, [4, 4]);
  p.dot(...at(now), p.color.paper, 8);
  p.dot(...at(now), tone, 5.5);
}

// In the quarter that the traces leave free: the two formulas with their numbers, broken where they do not fit.
// Where there is little room, hand and position are left to the line below the picture.
function facts(p, h, left, top) {
  const said = saidOf(h);
  const { color } = p;
  const narrow = p.w < 520;
  const size = narrow ? 11 : 18;
  const x = left + (narrow ? 0 : 40);
  const lines = [
    ...(narrow ? [] : [[`hand ${h.chosen}, position ${h.position}`, color.ink, 600]]),
    [`${h.position} · ω = ${said.angle} rad`, color.soft, 400],
    [`sin ${said.angle} = ${said.sine}`, color.sin, 600],
    [`cos ${said.angle} = ${said.cosine}`, color.cos, 600],
  ].flatMap(([text, tone, weight]) =>
    p.broken(text, p.w - x - 4, { size, weight }).map((part) => [part, { color: tone, weight, size }]),
  );
  const y = top + (p.h - top) / 2 - 0.55 * size * lines.length;
  lines.forEach(([part, style], i) => p.text(part, x, y + 1.55 * size * i, style));
}
