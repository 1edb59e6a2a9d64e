// Five hands at x = −1 and at x = 1, each twice as fast as the one before: turn the first until the rows are alike.
import { handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const HANDS = 5;
const PI = 3.14; // the slider's last value stands for π
const ROWS = [-1, 1];

export default view({
  height: (w) => 2 * (2 * radiusOf(w) + 16) + 24,
  draw(p) {
    const { color } = p;
    const chosen = p.get("factor");
    const factor = chosen === PI ? Math.PI : chosen;
    const turned = Array.from({ length: HANDS }, (_, k) => factor * 2 ** k);
    const beside = p.values("reads").indexOf(p.get("reads")) === 1 ? 2 : 0;
    const apart = Math.hypot(2 * Math.hypot(...turned.map(Math.sin)), beside);
    const R = radiusOf(p.w);
    const step = (p.w - LEFT - 8) / HANDS;
    const centre = (row, k) => [LEFT + step * (k + 0.5), 30 + R + row * (2 * R + 16)];
    const same = apart < 0.005;
    ROWS.forEach((x, row) => {
      const [, middle] = centre(row, 0);
      p.text(`x = ${x < 0 ? "−1" : "1"}`, 4, middle, {
        size: 13,
        weight: 600,
        color: beside ? color.green : color.soft,
      });
      turned.forEach((angle, k) => {
        const [x0, y0] = centre(row, k);
        const tip = [x0 + 0.86 * R * Math.sin(x * angle), y0 - 0.86 * R * Math.cos(x * angle)];
        p.circle(x0, y0, R, same ? color.cos : color.soft, same ? 2.5 : 1);
        p.stroke([[x0, y0], tip], handColor(p, k, HANDS), 3.5);
        p.dot(x0, y0, color.ink, 2.5);
        if (row === 1 && k === 0) p.dot(...tip, handColor(p, k, HANDS), 7);
      });
    });
    turned.forEach((_, k) => {
      const [x0] = centre(0, k);
      p.text(k === 0 ? "x times" : `× ${2 ** k}`, x0, 12, { size: 12, align: "center", color: color.soft });
    });
    const [x0, y0] = centre(1, 0);
    p.grab("first hand", {
      hit: (a, b) => Math.max(0, Math.hypot(a - x0, b - y0) - R),
      move: (a, b) => {
        const angle = Math.atan2(a - x0, y0 - b);
        p.set("factor", nearest(p.values("factor"), angle < -Math.PI / 2 ? Math.PI : angle));
      },
      says: () => `x times ${fixed(p.get("factor"))}`,
    });
    const told = `the codes of −1 and 1 are ${fixed(apart)} apart`;
    return {
      alt: `x times ${fixed(chosen)}, ${p.get("reads")}: ${told}`,
      numbers: { turned, apart: [apart] },
      said: { apart: fixed(apart) },
      reading: ["x times ", scrub("factor"), `, ${p.get("reads")}: ${told}`],
    };
  },
});

const LEFT = 58;
const radiusOf = (w) => Math.min(48, (w - LEFT - 8) / HANDS / 2 - 4);
