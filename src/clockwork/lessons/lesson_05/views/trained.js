// Every model's accuracy is a line, the chosen one is lit; beside it the attention map of its sharpest head.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const ABOVE = 40;

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 330 : 300 + Math.min(w - 50, 340) + 70),
  draw(p) {
    const { data } = p;
    const [names, lengths, seeds] = ["names", "lengths", "seeds"].map((name) => p.get(name));
    const chosen = names.indexOf(p.get("model"));
    const seed = seeds.indexOf(p.get("seed"));
    const at = lengths.indexOf(p.get("length"));
    const wide = p.w >= WIDE;
    const side = wide ? Math.min(p.h - ABOVE - 50, p.w * 0.45) : Math.min(p.w - 60, 340);
    const box = { x: 40, y: ABOVE, w: wide ? p.w - side - 110 : p.w - 60, h: wide ? p.h - ABOVE - 50 : 200 };
    curves(p, box, { names, lengths, seeds, chosen, seed, at });
    const corner = wide ? { x: p.w - side - 6, y: ABOVE } : { x: 46, y: ABOVE + 290 };
    const target = map(p, { ...corner, w: side, h: side }, [chosen, seed, at], p.get("length"));
    const percent = data.percent.at(chosen, seed, at);
    const [layer, head] = [0, 1].map((i) => data.heads.at(chosen, seed, i));
    const which = lengths[at] > p.get("trained_to") ? "longer than any in training" : "as in training";
    return {
      alt: `${names[chosen]}, seed ${seeds[seed]}, ${lengths[at]} tokens: ${percent}% right`,
      numbers: {
        accuracy: [...data.accuracy.row(chosen, seed)],
        map: [...data.maps.row(chosen, seed, at)],
        target: [target],
      },
      reading: [
        `${names[chosen]}, seed `,
        scrub("seed"),
        ", at ",
        scrub("length"),
        ` tokens (${which}): ${percent}% right\n`,
        `layer ${layer}, head ${head} gives ${fixed(target)} of its weight to the token ${p.get("back")} back`,
      ],
    };
  },
});

function curves(p, box, { names, lengths, seeds, chosen, seed, at }) {
  const { color, data } = p;
  const ends = [lengths[0], lengths.at(-1)];
  const span = ends[0] === ends[1] ? [ends[0] - 1, ends[1] + 1] : ends;
  const { x, y } = p.axes(box, {
    x: span,
    xticks: lengths.filter((n, i) => i === 0 || (n - ends[0]) / (span[1] - span[0]) > 0.1),
    y: [0, 1],
    yticks: [0, 0.5, 1],
    xlabel: "test length (tokens)",
  });
  p.text("accuracy", box.x, box.y - 24, { weight: 600, size: 13 });
  const chance = y(p.get("chance"));
  p.line(box.x, chance, box.x + box.w, chance, color.soft, 1, [2, 4]);
  const line = (i, j, ink, width) =>
    p.stroke(
      lengths.map((n, k) => [x(n), y(data.accuracy.at(i, j, k))]),
      ink,
      width,
    );
  names.forEach((_, i) => {
    if (i !== chosen) seeds.forEach((__, j) => line(i, j, color.grey, 1));
  });
  seeds.forEach((_, j) => line(chosen, j, color.sin, j === seed ? 3.5 : 1.25));
  const accuracy = data.accuracy.at(chosen, seed, at);
  const percent = data.percent.at(chosen, seed, at);
  p.line(x(lengths[at]), box.y, x(lengths[at]), box.y + box.h, color.soft, 1, [3, 4]);
  p.text("a guess", box.x + box.w, chance - 8, { size: 11, color: color.soft, align: "right", halo: true });
  p.dot(x(lengths[at]), y(accuracy), color.paper, 8.5);
  p.dot(x(lengths[at]), y(accuracy), color.pink, 6.5);
  p.text(`${percent}% right`, box.x + box.w, box.y - 24, { align: "right", weight: 600, size: 13 });
  const lengthAt = (a) => {
    const wanted = span[0] + ((a - box.x) / box.w) * (span[1] - span[0]);
    return lengths.reduce((best, n) => (Math.abs(n - wanted) < Math.abs(best - wanted) ? n : best));
  };
  p.grab("length", {
    hit: (a, b) => (within(box, a, b, 12) ? 2 : Infinity),
    move: (a) => p.set("length", lengthAt(a)),
    says: `${lengths[at]} tokens: ${percent}% right`,
    wide: true,
  });
}

// The map, with the diagonal that the task asks for between two thin lines; returns the mean weight on it.
function map(p, box, [chosen, seed, at], length) {
  const { color, data, ctx } = p;
  const window = data.maps.row(chosen, seed, at);
  const n = data.maps.shape[3];
  const back = p.get("back");
  const cell = box.w / n;
  const first = length - n;
  const edge = p.get("trained_to") - first;
  p.heat("map", box, n, n, (i, j) => window[i * n + j], { map: "weights", version: `${chosen} ${seed} ${at}` });
  p.text("where its sharpest head looks", box.x, box.y - 24, { weight: 600, size: 13 });
  p.text("query: this token …", box.x, box.y - 8, { size: 11, color: color.soft });
  for (const step of [back - 1, back + 1])
    p.line(box.x, box.y + step * cell, box.x + (n - step) * cell, box.y + box.h, color.soft, 0.75, [2, 3]);
  if (edge < n) {
    const y = box.y + Math.max(0, edge) * cell;
    Object.assign(ctx, { strokeStyle: color.pink, lineWidth: 2 });
    ctx.strokeRect(box.x, y, box.w, box.y + box.h - y);
  }
  const size = 11;
  for (let i = 0; i < n; i += 8) {
    p.text(String(first + i), box.x - 5, box.y + (i + 0.5) * cell, { align: "right", size, color: color.soft });
    p.text(String(first + i), box.x + (i + 0.5) * cell, box.y + box.h + 9, {
      align: "center",
      size,
      color: color.soft,
    });
  }
  p.text("… looks at this key", box.x + box.w, box.y + box.h + 24, { align: "right", size, color: color.soft });
  const diagonal = Array.from({ length: n - back }, (_, i) => window[(i + back) * n + i]);
  return diagonal.reduce((a, b) => a + b, 0) / diagonal.length;
}
