// A head's matrix averaged over more and more starting points: the map, and the corner of hands 0 and 1 in numbers.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const CORNER = 4;

function sizesOf(w) {
  const wide = w >= WIDE;
  const side = wide ? Math.min(340, 0.52 * w) : 0.54 * (w - 30);
  const near = wide ? Math.min(0.8 * side, w - side - 66) : w - side - 52;
  return { wide, side, near };
}

export default view({
  height(w) {
    const { wide, side } = sizesOf(w);
    return side + (wide ? 60 : 88);
  },
  draw(p) {
    const { color } = p;
    const { wide, side, near: wideNear } = sizesOf(p.w);
    const counts = p.values("count");
    const count = p.get("count");
    const index = counts.indexOf(count);
    const d = Math.sqrt(p.data.means.row(0).length);
    const at = (i, j) => p.data.means.at(index, i, j);
    p.most ??= Math.max(...Array.from(p.data.means.row(0), Math.abs));
    const limit = p.most / 4;
    const box = { x: 30, y: 30, w: side, h: side };
    const title = count === 1 ? "W, from one starting point" : `averaged over ${count.toLocaleString("en")}`;
    p.text(title, box.x, 14, { size: 14, weight: 600 });
    p.heat("mean", box, d, d, at, { limit, version: index });
    p.text("number of the key’s code", box.x + side / 2, box.y + side + 14, { align: "center", size: 12 });
    p.ctx.save();
    p.ctx.translate(14, box.y + side / 2);
    p.ctx.rotate(-Math.PI / 2);
    p.text("number of the query’s code", 0, 0, { size: 12, align: "center" });
    p.ctx.restore();
    p.frame(box.x, box.y, (CORNER * side) / d, (CORNER * side) / d, 2);
    p.grab("map", {
      wide: true,
      hit: (a, b) => (within(box, a, b, 8) ? 1 : Infinity),
      move: (a) => {
        const place = Math.floor(((a - box.x) / side) * counts.length);
        p.set("count", counts[Math.max(0, Math.min(counts.length - 1, place))]);
      },
      says: `${count} starting points`,
    });

    const near = { x: p.w - wideNear - 6, y: wide ? 56 : 30 + side - wideNear, w: wideNear, h: wideNear };
    p.text(wide ? "its corner: hands 0 and 1" : "hands 0 and 1", near.x, near.y - 14, { size: 13, color: color.soft });
    p.heat("corner", near, CORNER, CORNER, at, { limit, version: index });
    const cell = near.w / CORNER;
    const corner = [];
    for (let i = 0; i < CORNER; i += 1)
      for (let j = 0; j < CORNER; j += 1) {
        corner.push(at(i, j));
        const style = { align: "center", size: Math.min(15, cell / (wide ? 3.4 : 2.9)), weight: 600, halo: true };
        p.text(fixed(at(i, j), wide ? 2 : 1), near.x + (j + 0.5) * cell, near.y + (i + 0.5) * cell, style);
      }
    for (let hand = 0; hand < CORNER / 2; hand += 1)
      p.frame(near.x + 2 * hand * cell, near.y + 2 * hand * cell, 2 * cell, 2 * cell, 2);
    const outside = p.data.outside.at(index);
    const told = wide
      ? [near.x, near.y + near.h + 26, { size: 15, weight: 600 }]
      : [box.x, box.y + side + 38, { size: 13, weight: 600 }];
    p.text(`left outside the blocks: ${fixed(outside)}`, ...told);
    return {
      alt: `starting points ${count}: the block of hand 0 is ${[0, 1, CORNER, CORNER + 1].map((i) => fixed(corner[i])).join(", ")}; ${fixed(outside)} is left outside the blocks`,
      numbers: { corner, outside: [outside] },
      reading: ["averaged over ", scrub("count"), count === 1 ? " starting point" : " starting points"],
    };
  },
});
