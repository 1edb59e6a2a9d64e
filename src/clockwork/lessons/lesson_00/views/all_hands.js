// A secret clock, the reader's clock, and for each hand that has been read the positions that fit it.
import { handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";

const COUNT = 128;
const HANDS = 4;
const SURE = 0.4;
const SECRETS = { A: 89, B: 37, C: 114 };

function sizesOf(w) {
  const wide = w >= 560;
  return { wide, r: wide ? 68 : 52, strip: wide ? 18 : 16, label: wide ? 62 : 50 };
}

export default view({
  cycle: [["guess", 40]],
  height: (w) => 2 * sizesOf(w).r + 40 + (HANDS + 1) * (sizesOf(w).strip + 6) + 34,
  draw(p) {
    const { ctx, color } = p;
    const { wide, r, strip, label } = sizesOf(p.w);
    const [read, guess, name] = [p.get("read"), p.get("guess"), p.get("secret")];
    const secret = SECRETS[name];
    const speeds = Array.from({ length: HANDS }, (_, i) => speedOf(i, 2 * HANDS, 256));
    const tones = speeds.map((_, i) => handColor(p, i, HANDS));
    const order = [3, 2, 1, 0];
    const fit = (i, q) => Math.cos((q - secret) * speeds[i]) >= Math.cos(SURE);
    const all = (q) => order.slice(0, read).every((i) => fit(i, q));
    const left = Array.from({ length: COUNT }, (_, q) => q).filter(all);

    const far = wide ? p.w * 0.2 : p.w * 0.25;
    const yours = speeds.map((speed, i) => p.ease(`hand ${i}`, guess * speed));
    const hidden = speeds.map((speed, i) => p.ease(`secret ${i}`, secret * speed));
    const cy = 30 + r;
    p.text(`secret ${name}`, far, 10, { size: 15, align: "center", weight: 600 });
    clock(p, far, cy, r, hidden, tones, (i) => (order.indexOf(i) < read ? 1 : 0.15));
    const mine = p.w - far;
    p.text(`yours: ${guess}`, mine, 10, { size: 15, align: "center", weight: 600, color: color.here });
    clock(p, mine, cy, r, yours, tones, (i) => (order.indexOf(i) < read ? 1 : 0.15));
    const found = guess === secret;
    const noun = left.length === 1 ? "position" : "positions";
    const words = wide ? [`${left.length} ${noun}`, "left"] : [String(left.length), "left"];
    words.forEach((line, i) => p.text(line, p.w / 2, cy - 14 + 22 * i, { size: wide ? 17 : 14, align: "center" }));
    if (found)
      p.text("this is it", p.w / 2, cy + 36, {
        size: wide ? 17 : 14,
        weight: 700,
        align: "center",
        color: color.green,
      });

    const x = (q) => label + ((p.w - label) * q) / COUNT;
    const cell = (p.w - label) / COUNT;
    const top = 2 * r + 44;
    const shown = p.ease("read", read);
    order.forEach((i, turn) => {
      const y = top + i * (strip + 6);
      const strong = Math.max(0, Math.min(1, shown - turn));
      p.text(`hand ${i}`, 0, y + strip / 2, { size: wide ? 13 : 12, color: turn < read ? color.ink : color.soft });
      ctx.fillStyle = color.line;
      ctx.globalAlpha = 0.5;
      ctx.fillRect(x(0), y, p.w - label, strip);
      ctx.globalAlpha = strong;
      ctx.fillStyle = tones[i];
      for (let q = 0; q < COUNT; q += 1) if (fit(i, q)) ctx.fillRect(x(q), y, cell + 0.3, strip);
      ctx.globalAlpha = 1;
    });
    const y = top + HANDS * (strip + 6);
    p.text("all", 0, y + strip / 2, { size: 13, weight: 600 });
    ctx.fillStyle = color.line;
    ctx.fillRect(x(0), y, p.w - label, strip);
    ctx.fillStyle = color.ink;
    for (const q of left) ctx.fillRect(x(q), y - 1, Math.max(cell, 3), strip + 2);
    const here = x(p.ease("guess", guess) + 0.5);
    p.line(here, top - 4, here, y + strip + 4, color.here, 2);
    p.dot(here, y + strip + 12, color.here, 8);
    p.text("0", x(0), y + strip + 14, { size: 12, color: color.soft });
    p.text(String(COUNT - 1), p.w, y + strip + 14, { size: 12, color: color.soft, align: "right" });
    p.grab("guess", {
      wide: true,
      hit: (a, b) => (a >= label - 8 && b >= top - 4 && b <= y + strip + 24 ? 0 : Infinity),
      move: (a) => p.set("guess", Math.max(0, Math.min(COUNT - 1, Math.floor((a - label) / cell)))),
      at: [here, y + strip + 12],
      says: `position ${guess}`,
    });
    const hands = read === 1 ? "1 hand" : `${read} hands`;
    return {
      alt:
        `secret ${name}, ${hands} read: ${left.length} of ${COUNT} positions left; yours is ${guess}, ` +
        (found ? "this is it" : "the clocks differ"),
      numbers: {
        secret: speeds.map((speed) => secret * speed),
        yours: speeds.map((speed) => guess * speed),
        left,
      },
    };
  },
});

function clock(p, x, y, r, angles, tones, strong) {
  p.circle(x, y, r, p.color.soft, 1.5);
  for (let i = HANDS - 1; i >= 0; i -= 1) {
    const long = r * (0.94 - 0.15 * i);
    p.ctx.globalAlpha = strong(i);
    p.line(x, y, x + long * Math.sin(angles[i]), y - long * Math.cos(angles[i]), tones[i], 4.5);
  }
  p.ctx.globalAlpha = 1;
  p.dot(x, y, p.color.ink, 3);
}
