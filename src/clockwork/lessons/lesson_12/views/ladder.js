// The hands of a published model at their wavelengths, the distance between two tokens, and eight dials.
import { handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, withCommas } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const CLOSE = 1e-3;
const TOP = 8.6; // 400 million tokens

export default view({
  height: (w) => (w >= 620 ? 314 : 450),
  draw(p) {
    const { color, ctx } = p;
    const name = p.get("model");
    const m = p.values("model").indexOf(name);
    const distance = p.get("distance");
    const d = p.values("distance").indexOf(distance);
    const [, turning] = p.data.counts.row(m);
    const at = Math.log10(distance);
    const waves = Array.from(p.data.waves.row(m)).slice(0, turning);
    const limits = Array.from(p.data.limits.row(m)).slice(0, turning);
    const reach = p.data.reaches.at(m);
    const been = waves.filter((wave) => wave <= at + CLOSE).length;
    const fresh = limits.map((limit) => at > limit + CLOSE);
    const count = fresh.filter(Boolean).length;
    const tints = waves.map((_, i) => handColor(p, i, turning));

    const box = { x: 14, y: 44, w: p.w - 28, h: 84 };
    /** @type {[number, string][]} */
    const ticks = [
      [0, "1"],
      [1, "10"],
      [2, "100"],
      [3, "1,000"],
      [4, "10,000"],
      [5, "100,000"],
      [6, "1 million"],
      [7, "10 million"],
      [8, "100 million"],
    ];
    const { x, y } = p.axes(box, {
      x: [0, TOP],
      y: [-1, 1],
      xticks: p.w >= 620 ? ticks : ticks.filter(([power]) => power % 3 === 0),
      yticks: [],
      xlabel: "tokens for a whole turn",
    });
    p.line(x(reach), box.y, x(reach), box.y + box.h, color.ink, 6);
    p.text("reach before slowing", x(reach), box.y - 10, {
      color: color.ink,
      size: 11,
      align: edge(x(reach), p.w),
    });
    waves.forEach((wave, i) => {
      const tone = fresh[i] ? color.cos : tints[i];
      p.dot(x(wave), y(0), tone, 4.2);
      if (!Number.isNaN(limits[i])) p.dot(x(wave), y(0), color.paper, 2.6);
    });
    p.line(x(at), box.y - 4, x(at), box.y + box.h, color.sin, 2);
    p.dot(x(at), box.y + box.h, color.sin, 7);
    p.text(`${withCommas(distance)} tokens`, x(at), box.y - 26, {
      color: color.sin,
      weight: 600,
      align: edge(x(at), p.w),
    });
    const key = box.y + box.h + 48;
    p.keys(box.x, key, box.w, [
      [color.sin, "distance between two tokens"],
      [color.cos, "turns further than in the reach before slowing"],
    ]);
    const hollow = key + (p.w >= 620 ? 18 : 36);
    p.keys(box.x, hollow, box.w, [[color.soft, "did not come round within it, before slowing"]]);
    p.dot(box.x + 4, hollow, color.paper, 2.5);
    p.grab("distance", {
      hit: (a, b) => (b >= box.y - 34 && b <= box.y + box.h + 8 ? Math.max(0, Math.abs(a - x(at)) - 8) / 4 : Infinity),
      move: (a) => {
        const power = ((a - box.x) / box.w) * TOP;
        p.set(
          "distance",
          p
            .values("distance")
            .reduce((best, value) =>
              Math.abs(Math.log10(value) - power) < Math.abs(Math.log10(best) - power) ? value : best,
            ),
        );
      },
      says: `distance ${withCommas(distance)} tokens`,
    });

    const shown = p.data.shown.row(m);
    const angles = Array.from(p.data.angles.row(m, d));
    const arcs = p.data.arcs.row(m);
    const columns = p.w >= 620 ? 8 : 4;
    const cell = { w: (p.w - 28) / columns, h: 118 };
    const radius = Math.min(36, cell.w / 2 - 6);
    angles.forEach((angle, i) => {
      const x0 = 14 + cell.w * ((i % columns) + 0.5);
      const y0 = box.y + box.h + (p.w >= 620 ? 124 : 142) + Math.floor(i / columns) * cell.h;
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      ctx.arc(x0, y0, radius, -Math.PI / 2, -Math.PI / 2 + arcs[i]);
      ctx.closePath();
      ctx.fillStyle = color.line;
      ctx.fill();
      p.circle(x0, y0, radius, color.soft, 1);
      const tone = fresh[shown[i]] && angle > arcs[i] ? color.cos : tints[shown[i]];
      p.stroke(
        [
          [x0, y0],
          [x0 + radius * Math.sin(angle), y0 - radius * Math.cos(angle)],
        ],
        tone,
        3.5,
      );
      p.dot(x0, y0, color.ink, 2.5);
      p.text(`hand ${shown[i]}`, x0, y0 + radius + 14, { color: color.soft, size: 11, align: "center" });
    });
    return {
      alt:
        `model ${name}, distance ${distance} tokens: of ${turning} turning hands ` +
        `${been}, as slowed, have been round at least once, and ${count} turn further than in the reach before slowing`,
      numbers: { been: [been], fresh: [count], angles },
      said: { been: fixed(been, 0), fresh: fixed(count, 0) },
      reading: [
        `${name}, two tokens `,
        scrub("distance"),
        ` apart:\nas slowed, ${been} of ${turning} hands have been round, ${count} turn further than in the reach before slowing`,
      ],
    };
  },
});

const edge = (x, width) => (x < 90 ? "left" : x > width - 90 ? "right" : "center");
