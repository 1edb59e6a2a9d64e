// Which token a model names that learned 3 back, once its positions are interpolated; beside it, hand 0.
import { arcDial } from "../../../kit/widgets/static/arcs.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const COUNT = 14;
const ASKED_BY = 2;

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 236 : 330),
  draw(p) {
    const { color } = p;
    const factors = p.values("by");
    const by = p.get("by");
    const shares = Array.from(p.data.shares.row(factors.indexOf(by)));
    const covered = p.veiled() && by !== 1;
    const wide = p.w >= WIDE;
    const R = wide ? 56 : 40;
    const [x0, y0] = [wide ? p.w - R - 24 : p.w / 2, wide ? 96 : R + 14];
    const box = wide ? { x: 40, y: 34, w: p.w - 2 * R - 120, h: 140 } : { x: 34, y: 2 * R + 82, w: p.w - 44, h: 120 };
    const step = box.w / COUNT;
    const x = (back) => box.x + (COUNT - back + 0.5) * step; // the text runs to the right: 1 back is the last bar
    const { y } = p.axes(box, {
      x: [0, 1],
      xticks: [],
      y: [0, 1],
      yticks: [0, 0.5, 1],
      ylabel: "share of the answers",
      xlabel: "",
    });
    for (let back = 1; back <= COUNT; back += 1) {
      const height = p.ease(`bar ${back}`, shares[back - 1]);
      if (!covered) {
        p.ctx.fillStyle = color.green;
        p.ctx.fillRect(x(back) - 0.36 * step, y(height), 0.72 * step, y(0) - y(height));
      }
      p.text(String(back), x(back), box.y + box.h + 12, { size: 12, color: color.soft, align: "center" });
    }
    p.text("tokens back", box.x + box.w / 2, box.y + box.h + 30, { size: 12, color: color.soft, align: "center" });
    if (covered) p.veil(box.x + 1, box.y, box.w, box.h - 1);
    p.guess((back) => [x(back), box.y + box.h + 12]);
    const factorAt = (a) => nearest(factors, (COUNT + 0.5 - (a - box.x) / step) / 3);
    p.grab("bars", {
      wide: true,
      hit: (a, b) => (within(box, a, b, 8) ? 1 : Infinity),
      move: (a) => p.set("by", factorAt(a)),
      at: [x(3 * by), y(0) - 20],
      way: "←",
      says: "drag: interpolate by less or more",
    });
    const turned = p.ease("three", 3 / by);
    arcDial(p, x0, y0, R, { met: 32, reach: 32, tone: handColor(p, 0, 4), mark: [3, turned] });
    p.text("hand 0, three tokens", x0, y0 + R + 24, { size: 12, align: "center", color: color.soft });
    p.text(`${fixed(3 / by)} rad, 3 in training`, x0, y0 + R + 40, { size: 12, align: "center", color: color.soft });
    const state = `interpolated by ${fixed(by)}`;
    if (covered)
      return {
        alt: `${state}: what the model names is hidden until you have guessed`,
        numbers: {},
        reading: ["Interpolated by ", scrub("by")],
        seen: false,
      };
    const most = shares.indexOf(Math.max(...shares));
    const said = `${fixed(shares[most])} of the answers are the symbol ${most + 1} back`;
    return {
      alt: `${state}: ${said}`,
      numbers: { shares },
      reading: ["Interpolated by ", scrub("by"), `: ${said}`],
      seen: !p.veiled() && by >= ASKED_BY,
    };
  },
});
