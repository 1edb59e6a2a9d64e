// All hands of a position on a dial, beside the phases of all positions. A hand that is turned alone fits no position.
import { TURN, dial, handsOf, mapHeight, phaseMap, readingOf, saidOf, wrap } from "./hands.js";
import { view } from "./kit.js";
import { say } from "./painter.js";
import { term } from "./terms.js";

const WIDE = 560;
const ABOVE = 46; // the map's heads and names

// The position whose hands come nearest to these angles: the one whose worst hand is least wrong.
function nearestPosition(h, angles) {
  let best = { off: Infinity };
  for (const position of h.positions) {
    let off = 0;
    for (let i = 0; i < h.count && off < best.off; i += 1)
      off = Math.max(off, Math.abs(wrap(position * h.speeds[i] - angles[i])));
    if (off < best.off) best = { position, off };
  }
  return best;
}

export default view({
  wide: WIDE,
  height: (w, p) => mapHeight(p, w >= 760 ? 400 : 270) + ABOVE + 8 + (w >= WIDE ? 0 : Math.min(w, 420)),
  draw(p) {
    const h = handsOf(p);
    const wide = p.w >= WIDE;
    const side = wide ? Math.min(p.h, p.w * 0.46) : Math.min(p.w, 420);
    const alone = (p.get("alone") * TURN) / 360;
    const angles = h.speeds.map((speed, i) => p.time("position") * speed + (i === h.chosen ? alone : 0));
    const left = wide ? side + 54 : 44;
    const top = wide ? ABOVE : side + ABOVE;
    const box = { x: left, y: top, w: p.w - left - 8, h: p.h - top - 8 };
    const secret = p.model.get("secret");
    const named = Number.isInteger(secret);
    const place = { x: wide ? 0 : (p.w - side) / 2, y: wide ? (p.h - side) / 2 : 0, w: side, h: side };
    dial(p, place, h, { angles, title: named ? "your dial" : "", from: alone ? angles[h.chosen] - alone : null });
    if (named) {
      const size = Math.min(box.w, wide ? side : box.h + ABOVE);
      const there = { x: wide ? p.w - size : (p.w - size) / 2, y: wide ? place.y : side, w: size, h: size };
      const hidden = h.speeds.map((speed) => secret * speed);
      dial(
        p,
        there,
        { ...h, position: secret },
        { angles: hidden, grabbed: false, key: "secret", title: "the secret dial" },
      );
    } else phaseMap(p, box, h);
    const hands = Array.from(angles).flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
    return { ...words(p, h, angles, alone), numbers: { hands }, said: saidOf(h) };
  },
});

function words(p, h, angles, alone) {
  const where = `position ${h.position}, d_model ${h.width}: hand ${h.chosen} of ${h.count}`;
  const hour = Math.round((angles[h.chosen] / TURN) * 12 + 1200) % 12 || 12;
  if (!alone) return { alt: `${where} points to ${hour} o'clock`, reading: readingOf(p, h) };
  const { position, off } = nearestPosition(h, angles);
  const misfit = Math.round((off * 360) / TURN);
  const verdict = `no position has these hands: ${position} comes nearest, with a hand ${misfit}° off`;
  const fits = `position ${position} has these hands`;
  const turned = `turned alone by ${say(p.get("alone"))}°`;
  return {
    alt: `${where} ${turned} points to ${hour} o'clock; ${misfit ? verdict : fits}`,
    reading: [term("hand", h.chosen, `Hand ${h.chosen}`), ` ${turned}:\n${misfit ? verdict : fits}.`],
  };
}
