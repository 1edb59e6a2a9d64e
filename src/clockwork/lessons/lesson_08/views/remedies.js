// Two maps: hands 0 and 1 slowed by any two factors, and the recorded accuracy of 3 back, with a mask and without.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const NAMES = ["as trained", "interpolation", "NTK-aware", "YaRN"];
const MASKS = ["causal mask", "no mask"];
const TICKS = [1, 2, 4];

function sizesOf(w) {
  const wide = w >= WIDE;
  return { wide, side: wide ? Math.min(300, w / 2 - 62) : Math.min(168, w - 60) }; // both on one screen of a phone
}

function drawMap(p, box, task, here) {
  const { color } = p;
  const factors = p.values("hand0");
  const count = factors.length;
  const cell = box.w / count;
  const share = (x, y) => p.data.shares.at(task, x, y);
  const soft = { color: color.soft, size: 11 };
  p.text(`3 back, 128 tokens, ${MASKS[task]}`, box.x, box.y - 36, { size: 12, color: color.soft });
  const covered = p.veiled() && task === 1;
  p.text(covered ? "?" : `${fixed(share(...here))} right`, box.x, box.y - 15, { size: 17, weight: 600 });
  if (covered) p.veil(box.x, box.y, box.w, box.h);
  else p.heat(`map ${task}`, box, count, count, (i, j) => share(j, count - 1 - i), { map: "shares" });
  for (const factor of TICKS) {
    const at = (factors.indexOf(factor) + 0.5) * cell;
    p.text(String(factor), box.x + at, box.y + box.h + 11, { ...soft, align: "center" });
    p.text(String(factor), box.x - 7, box.y + box.h - at, { ...soft, align: "right" });
  }
  p.text("hand 0 slower by", box.x + box.w / 2, box.y + box.h + 28, { size: 12, align: "center" });
  p.ctx.save();
  p.ctx.translate(box.x - 26, box.y + box.h / 2);
  p.ctx.rotate(-Math.PI / 2);
  p.text("hand 1 slower by", 0, 0, { size: 12, align: "center" });
  p.ctx.restore();
  NAMES.forEach((name, n) => {
    const [i, j] = p.data.places.row(n);
    const [x, y] = [box.x + (i + 0.5) * cell, box.y + box.h - (j + 0.5) * cell];
    const left = i < count / 2;
    p.text(name, x + (left ? 10 : -10), y, { size: 11, align: left ? "left" : "right", weight: 600, halo: true });
    p.dot(x, y, color.paper, 6);
    p.dot(x, y, color.cos, 4.5);
  });
  const [x, y] = [p.ease("hand 0", here[0]), p.ease("hand 1", here[1])];
  p.frame(box.x + x * cell, box.y + box.h - (y + 1) * cell, cell, cell, 2.5);
  const placeAt = (a, b) =>
    [(a - box.x) / cell, (box.y + box.h - b) / cell].map((at) => Math.max(0, Math.min(count - 1, Math.floor(at))));
  p.grab(`map ${task}`, {
    wide: true,
    hit: (a, b) => (within(box, a, b) ? 1 : Infinity),
    move(a, b) {
      const [i, j] = placeAt(a, b);
      p.set("hand0", factors[i]);
      p.set("hand1", factors[j]);
    },
    says(a, b) {
      const [i, j] = placeAt(a, b);
      return `hand 0 slower by ${fixed(factors[i])}, hand 1 by ${fixed(factors[j])}${covered ? "" : `: ${fixed(share(i, j))}`}`;
    },
  });
}

export default view({
  height(w) {
    const { wide, side } = sizesOf(w);
    return (wide ? 1 : 2) * (side + 96);
  },
  draw(p) {
    const { wide, side } = sizesOf(p.w);
    const factors = p.values("hand0");
    const here = [p.get("hand0"), p.get("hand1")].map((factor) => factors.indexOf(factor));
    MASKS.forEach((_, task) => {
      const box = wide
        ? { x: 40 + task * (p.w / 2), y: 54, w: side, h: side }
        : { x: 40, y: 54 + task * (side + 96), w: side, h: side };
      drawMap(p, box, task, here);
    });
    const known = p.veiled() ? [0] : [0, 1];
    const shares = known.map((task) => p.data.shares.at(task, ...here));
    const said = shares.map((share, task) => `${MASKS[task]} ${fixed(share)}`).join(", ");
    const found = NAMES.findIndex((_, n) => p.data.places.row(n).every((at, i) => at === here[i]));
    const remedy = found < 0 ? "" : ` (${NAMES[found]})`;
    const [slow0, slow1] = here.map((at) => fixed(factors[at]));
    p.began ??= here.join();
    const state = `hand 0 slower by ${slow0}, hand 1 by ${slow1}${remedy}`;
    return {
      alt: `${state}: 3 back at 128 tokens, ${said}`,
      numbers: { shares },
      reading: ["hand 0 slower by ", scrub("hand0"), ", hand 1 by ", scrub("hand1"), `${remedy}: ${said}`],
      seen: !p.veiled() && here.join() !== p.began,
    };
  },
});
