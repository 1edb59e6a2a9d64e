// Which hands are stopped, and a band over an axis of hands that can be dragged to stop others.
import { handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

export const HANDS = 32;
export const STEP = 4;
export const MODEL_SPEEDS = Array.from({ length: HANDS }, (_, i) => speedOf(i, 2 * HANDS, 100000)); // rad a token, SmolLM2's

export function stoppedOf(p) {
  const first = p.get("first");
  return { first, count: Math.min(p.get("count"), HANDS - first) };
}

export const isStopped = ({ first, count }, hand) => hand >= first && hand < first + count;

// One colour a hand from x on; the stopped ones grey.
export function handRow(p, { x, y, w, h }, stopped) {
  const cell = w / HANDS;
  for (let i = 0; i < HANDS; i += 1) {
    p.ctx.fillStyle = isStopped(stopped, i) ? p.color.line : handColor(p, i, HANDS);
    p.ctx.fillRect(x + i * cell + 0.5, y, cell - 1, h);
  }
}

// The hands along the foot of the box, and a band over the stopped ones that can be grabbed.
export function handStrip(p, box, stopped) {
  const cell = box.w / HANDS;
  const y = box.y + box.h;
  handRow(p, { x: box.x, y, w: box.w, h: 10 }, stopped);
  const left = box.x + stopped.first * cell;
  if (stopped.count) {
    p.ctx.globalAlpha = 0.5;
    p.ctx.fillStyle = p.color.line;
    p.ctx.fillRect(left, box.y, stopped.count * cell, box.h);
    p.ctx.globalAlpha = 1;
  }
  p.line(left + 1, y, left + 1, y + 14, p.color.ink, 2);
  p.grab("band", {
    wide: true,
    hit: (a, b) => (b >= box.y && b <= y + 14 && a >= box.x && a <= box.x + box.w ? 3 : Infinity),
    move: (a, b, begun) => {
      begun.first ??= stopped.first;
      p.set("first", nearest(p.values("first"), begun.first + (a - begun.x) / cell));
    },
    says: stopped.count ? `hands ${stopped.first} to ${stopped.first + stopped.count - 1} stopped` : "no hand stopped",
  });
}
