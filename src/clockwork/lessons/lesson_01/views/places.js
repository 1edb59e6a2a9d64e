// The codes one would try first; tables are small, so they are computed here, as places.py computes them.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const ABOVE = 40;
const WIDE = 640;

function tableOf(code, length, width) {
  const digits = Math.ceil(Math.log2(length)); // as many as the text needs
  const number = (place, i) => {
    if (code === "one-hot") return place === i ? 1 : 0;
    if (code === "index") return i ? 0 : place;
    if (code === "index / length") return i ? 0 : place / (length - 1);
    const count = code === "Gray code" ? place ^ (place >> 1) : place;
    return i < digits ? 2 * ((count >> i) & 1) - 1 : 0;
  };
  return Array.from({ length }, (_, place) => Array.from({ length: width }, (_, i) => number(place, i)));
}

function draw(p) {
  const code = p.get("code");
  const length = p.get("length");
  const width = p.get("d_model");
  p.limit("position", length);
  const place = Math.min(p.get("position"), length - 1);
  const table = tableOf(code, length, width);
  const distances = table.map((row) => Math.hypot(...row.map((value, i) => value - table[place][i])));
  const limit = 1.4 * Math.max(...table.flat().map(Math.abs)); // the darkest ends of the colours hide the frame
  const wide = p.w >= WIDE;
  const deep = wide ? p.h : p.h * 0.56;
  const map = { x: 44, y: ABOVE, w: (wide ? p.w * 0.4 : p.w) - 56, h: deep - ABOVE - 26 };
  const x = wide ? p.w * 0.4 + 44 : 44;
  const box = { x, y: wide ? ABOVE : deep + ABOVE, w: p.w - x - 16, h: (wide ? p.h : p.h - deep) - ABOVE - 46 };
  drawMap(p, map, table, place, limit, `${code} ${length} ${width}`);
  drawDistances(p, box, distances, place);
  const last = place === length - 1;
  const changed = last ? 0 : table[place].filter((value, i) => value !== table[place + 1][i]).length;
  const told = last
    ? `position ${place} is the last`
    : `from ${place} to ${place + 1}, ${changed} ${changed === 1 ? "number changes" : "numbers change"}, distance ${fixed(distances[place + 1])}`;
  const digits = table[place].slice(0, 8).map((value) => say(value, 2));
  const more = width > 8 ? ", …" : "";
  const reading = ["code of position ", scrub("position"), ` = (${digits.join(", ")}${more})\n${told}`];
  const alt = `position ${p.get("position")}, d_model ${width}, ${code}, length ${length}: ${told}`;
  return { alt, numbers: { row: table[place], distances }, reading };
}

function drawMap(p, box, table, place, limit, mark) {
  const rows = table.length;
  const cols = table[0].length;
  const tall = box.h / rows;
  const wide = box.w / cols;
  p.text(`the codes of ${rows} positions`, box.x, 10, { weight: 600, size: 13 });
  p.heat("table", box, rows, cols, (i, j) => table[i][j], { limit, version: mark });
  Object.assign(p.ctx, { strokeStyle: p.color.line, lineWidth: 1 });
  p.ctx.strokeRect(box.x, box.y, box.w, box.h);
  const framed = p.framedRow("table", box, place);
  const size = 11;
  p.text(String(place), box.x - 8, box.y + (place + 0.5) * tall, { align: "right", weight: 600, size: 12 });
  if (place * tall > 16) p.text("0", box.x - 8, box.y + tall / 2, { align: "right", size, color: p.color.soft });
  if ((rows - 1 - place) * tall > 16)
    p.text(String(rows - 1), box.x - 8, box.y + box.h - tall / 2, { align: "right", size, color: p.color.soft });
  p.text("number 0", box.x, box.y + box.h + 12, { size, color: p.color.soft });
  p.text(String(cols - 1), box.x + box.w, box.y + box.h + 12, { size, align: "right", color: p.color.soft });
  const rowAt = (y) => Math.max(0, Math.min(rows - 1, Math.floor((y - box.y) / tall)));
  const numberAt = (x) => Math.max(0, Math.min(cols - 1, Math.floor((x - box.x) / wide)));
  const offRow = (y) => Math.max(0, Math.abs(y - framed.y - framed.h / 2) - framed.h / 2);
  const shared = {
    move: (x, y) => p.set("position", rowAt(y)),
    says: (x, y) => `number ${numberAt(x)} of position ${rowAt(y)}: ${say(table[rowAt(y)][numberAt(x)], 2)}`,
  };
  p.grab("map", { ...shared, hit: (x, y) => (within(box, x, y) ? 1 : Infinity), wide: true });
  p.grab("row", { ...shared, hit: (x, y) => (x >= box.x - 30 && x <= box.x + box.w ? offRow(y) : Infinity) });
}

function drawDistances(p, box, distances, place) {
  const last = distances.length - 1;
  const most = Math.max(...distances);
  const scale = p.axes(box, {
    x: [0, last],
    y: [0, most * 1.08],
    xticks: [0, Math.round(last / 2), last],
    yticks: [0, [most, say(most, 2)]],
    xlabel: "position (tokens)",
  });
  p.text(`distance from position ${place}`, box.x, box.y - 30, { weight: 600, size: 13 });
  p.stroke(
    distances.map((value, q) => [scale.x(q), scale.y(value)]),
    p.color.line,
    1.5,
  );
  const small = last > 40 ? 2.4 : 3.4;
  distances.forEach((value, q) => p.dot(scale.x(q), scale.y(value), p.color.sin, small));
  p.line(scale.x(place), box.y, scale.x(place), box.y + box.h, p.color.ink, 1.25, [3, 4]);
  p.dot(scale.x(place), scale.y(0), p.color.ink, 6);
  const placeAt = (x) => Math.max(0, Math.min(last, Math.round(((x - box.x) / box.w) * last)));
  const inside = (x, y) => x > box.x - 12 && x < box.x + box.w + 12 && y > box.y && y < box.y + box.h + 16;
  p.grab("distances", {
    wide: true,
    hit: (x, y) => (inside(x, y) ? 4 : Infinity),
    move: (x) => p.set("position", placeAt(x)),
  });
  distances.forEach((value, q) =>
    p.grab(`dot ${q}`, {
      wide: true,
      hit: (x, y) => Math.max(0, Math.hypot(x - scale.x(q), y - scale.y(value)) - 2),
      move: (x) => p.set("position", placeAt(x)),
      says: `position ${q}: ${fixed(value)} from position ${place}`,
    }),
  );
}

export default view({ wide: WIDE, height: (w) => (w >= WIDE ? 330 : 500), draw });
