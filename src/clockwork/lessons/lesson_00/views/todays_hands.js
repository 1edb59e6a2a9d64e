// A published model: eight of its hands, the angles of training shaded, and the angles of a text of any length.
import { arcDial } from "../../../kit/widgets/static/arcs.js";
import { handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { withCommas } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const NAMES = ["GPT-NeoX-20B", "ModernBERT-base", "SmolLM3-3B"];
const [FIRST, LAST] = [7, 20]; // powers of two: the shortest and the longest text
const DIALS = 8;
const SLACK = 1 + 1e-6; // the angles come in single precision
const TICKS = [
  [1000, "1,000"],
  [10000, "10,000"],
  [100000, "100,000"],
  [1000000, "1 million"],
];

function sizesOf(w) {
  const wide = w >= 560;
  const columns = wide ? DIALS : DIALS / 2;
  return { wide, columns, r: Math.min(48, w / columns / 2.6), top: 128 };
}

export default view({
  cycle: [["length", 8192]],
  height(w) {
    const { columns, r, top } = sizesOf(w);
    return top + (DIALS / columns) * 2.6 * r + 26;
  },
  draw(p) {
    const { color, data } = p;
    const { wide, columns, r, top } = sizesOf(p.w);
    const length = p.get("length");
    const at = p.values("length").indexOf(length);
    const x = (tokens) => 10 + ((p.w - 20) * (Math.log2(tokens) - FIRST)) / (LAST - FIRST);

    p.line(x(2 ** FIRST), 34, x(2 ** LAST), 34, color.soft);
    for (const [tokens, words] of wide ? TICKS : TICKS.filter((_, i) => i % 2 === 0)) {
      p.line(x(tokens), 31, x(tokens), 37, color.soft);
      p.text(words, x(tokens), 50, { size: 12, color: color.soft, align: edge(x(tokens), p.w) });
    }
    p.line(x(2 ** FIRST), 34, x(length), 34, color.here, 5);
    p.dot(x(length), 34, color.here, 9);
    p.text(`a text of ${withCommas(length)} tokens`, x(length), 12, {
      size: 15,
      weight: 600,
      color: color.here,
      align: edge(x(length), p.w),
    });
    p.grab("length", {
      hit: (a, b) => Math.max(0, Math.hypot((a - x(length)) / 3, b - 34) - 8),
      move: (a) => {
        const power = FIRST + ((a - 10) / (p.w - 20)) * (LAST - FIRST);
        p.set("length", nearest(p.values("length"), p.values("length")[Math.round(4 * (power - FIRST))] ?? length));
      },
      at: [x(length), 34],
      says: "drag: the length of the text",
    });

    const m = NAMES.indexOf(p.get("model"));
    const count = data.count.at(m);
    const trained = data.trained.at(m);
    const fresh = data.fresh.at(m, at);
    const swept = Array.from(data.swept.row(m, at));
    const points = Array.from(data.points.row(m, at));
    p.line(x(trained), 24, x(trained), 44, color.ink, 2);
    p.text(NAMES[m], 0, 84, { size: 15, weight: 600 });
    p.text(`${data.years.at(m)}, made for texts of ${withCommas(trained)} tokens`, 0, 104, {
      size: 13,
      color: color.soft,
    });
    p.text(wide ? `${fresh} of ${count} hands reach a new angle` : `new angles: ${fresh} of ${count}`, p.w, 84, {
      size: wide ? 16 : 14,
      align: "right",
      weight: 600,
      color: fresh ? color.cos : color.soft,
    });
    swept.forEach((turned, i) => {
      const tone = handColor(p, data.shown.at(m, i), count);
      const dialX = (p.w * ((i % columns) + 0.5)) / columns;
      const dialY = top + (Math.floor(i / columns) + 0.5) * 2.6 * r;
      const met = data.met.at(m, i);
      arcDial(p, dialX, dialY, 0.86 * r, { met, reach: turned, tone });
      const long = 0.74 * r;
      const tip = [dialX + long * Math.sin(points[i]), dialY - long * Math.cos(points[i])];
      p.line(dialX, dialY, ...tip, turned > met * SLACK ? color.cos : tone, 3);
      p.dot(dialX, dialY, color.ink, 2.5);
    });
    const low = top + (DIALS / columns) * 2.6 * r + 14;
    p.text("fastest hand", 0, wide ? low : top - 4, { size: 12, color: color.soft });
    p.text("slowest hand", p.w, low, { size: 12, color: color.soft, align: "right" });
    return {
      alt: `text of ${length} tokens: ${fresh} of ${count} hands of ${NAMES[m]} reach at least one angle that training did not show`,
      numbers: { fresh: [fresh], swept, points },
      said: { fresh: String(fresh) },
    };
  },
});

const edge = (x, width) => (x < 90 ? "left" : x > width - 90 ? "right" : "center");
