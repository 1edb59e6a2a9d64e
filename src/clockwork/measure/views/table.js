// Shares as colours; where a pointer lies, or the largest, is said below.
import { view } from "../../kit/widgets/static/kit.js";
import { fixed } from "../../kit/widgets/static/painter.js";

export default view({
  height: (_, p) => Math.min(400, Math.max(190, 110 + 24 * p.model.get("rows").length)),
  draw(p) {
    const { color, data } = p;
    const [rows, columns] = ["rows", "columns"].map((name) => p.model.get(name));
    const page = p.get("shown");
    const at = p.values("shown").indexOf(page);
    const box = { x: 64, y: 56, w: p.w - 84, h: p.h - 104 };
    const scale = p.model.get("scale");
    const value = (i, j) => data.share.at(at, i, j);
    p.text(page, 6, 12, { weight: 600, size: 12.5 });
    p.strip(p.w - 100, 12, 66, scale, "0", "1");
    p.text(p.model.get("ylabel"), 6, 40, { size: 11, color: color.soft });
    p.heat("shares", box, rows.length, columns.length, value, {
      map: scale,
      limit: 1,
      version: `${at} ${color.theme}`,
    });
    p.ctx.strokeStyle = color.line;
    p.ctx.strokeRect(box.x, box.y, box.w, box.h);
    const [tall, wide] = [box.h / rows.length, box.w / columns.length];
    const every = (count, room, space) => Math.ceil((count * space) / room);
    const down = every(rows.length, box.h, 14);
    rows.forEach((name, i) => {
      if (i % down === 0)
        p.text(name, box.x - 6, box.y + (i + 0.5) * tall, { size: 11, align: "right", color: color.soft });
    });
    const across = every(columns.length, box.w, p.w < 560 ? 60 : 76);
    columns.forEach((name, j) => {
      if (j % across === 0)
        p.text(name, box.x + (j + 0.5) * wide, box.y + box.h + 6, {
          size: 11,
          align: "center",
          baseline: "top",
          color: color.soft,
        });
    });
    p.text(p.model.get("xlabel"), box.x + box.w / 2, box.y + box.h + 24, {
      size: 11,
      align: "center",
      baseline: "top",
      color: color.soft,
    });
    const shown = Array.from(data.share.row(at));
    const place = shown.indexOf(Math.max(...shown));
    const [row, column] = [Math.floor(place / columns.length), place % columns.length];
    p.frame(box.x + column * wide, box.y + row * tall, wide, tall);
    const said = `largest ${fixed(shown[place])}, ${rows[row]}, ${columns[column]}`;
    return {
      alt: `${page}: ${said}`,
      numbers: { largest: [row, column] },
      reading: [said],
    };
  },
});
