// Two documents in one row, and how far each token's answer is from the one for its document alone.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const LENGTH = 32;
const GAP = 10; // CSS pixels between documents that the mask keeps apart
const NAMES = ["first document", "second document"];

function stateOf(p) {
  const border = p.get("border");
  const restart = p.get("positions") === "restart";
  const apart = p.get("mask") === "each document alone";
  const encoding = p.values("encoding").indexOf(p.get("encoding"));
  const run = Number(restart) + 2 * Number(apart); // neither, restart, mask, both
  const moved = Array.from(p.data.moved.row(encoding, run, p.values("border").indexOf(border)));
  const ids = moved.map((_, place) => (restart && place >= border ? place - border : place));
  const many = [moved.slice(0, border), moved.slice(border)].map((part) => part.filter((value) => value > 0.5).length);
  return { border, apart, moved, ids, many };
}

function drawRow(p, s, left, cell) {
  const { color } = p;
  const gap = p.ease("gap", s.apart ? GAP : 0);
  const at = (place) => left + place * cell + (place >= s.border ? gap : 0);
  const every = cell >= 17 ? 1 : 4;
  s.ids.forEach((id, place) => {
    const tone = place < s.border ? color.sin : color.cos;
    p.ctx.globalAlpha = 0.28;
    p.ctx.fillStyle = tone;
    p.ctx.fillRect(at(place) + 1, 34, cell - 2, 30);
    p.ctx.globalAlpha = 1;
    const shown = every === 1 || id % every === 0;
    if (shown) p.text(String(id), at(place) + cell / 2, 49, { size: 11, align: "center" });
  });
  p.text(NAMES[0], at(0), 18, { size: 12, weight: 600, color: color.sin });
  const room = cell * (LENGTH - s.border) > 110 && cell * s.border > 96; // for the second name, and for the first
  p.text(NAMES[1], room ? at(s.border) + 6 : at(LENGTH - 1) + cell, 18, {
    size: 12,
    weight: 600,
    color: color.cos,
    align: room ? "left" : "right",
  });
  const x = at(s.border) - gap / 2;
  p.line(x, 28, x, 72, color.ink, 3);
  p.dot(x, 74, color.ink, 6);
  const values = p.values("border");
  const borderAt = (a) => Math.max(values[0], Math.min(values.at(-1), Math.round((a - left) / cell)));
  p.grab("border", {
    hit: (a, b) => (b > 20 && b < 88 ? Math.max(0, Math.abs(a - x) - 4) : Infinity),
    move: (a) => p.set("border", borderAt(a)),
    says: `the second document begins at token ${s.border}`,
  });
  return at;
}

function drawBars(p, s, at, cell, box) {
  const { color } = p;
  p.text("how far each answer has moved", box.x, box.y - 16, { size: 12, color: color.soft });
  for (const value of [0, 0.5, 1]) {
    const y = box.y + box.h * (1 - value);
    p.line(box.x, y, box.x + box.w, y, color.line, 1);
    p.text(String(value), box.x - 6, y, { size: 11, color: color.soft, align: "right" });
  }
  s.moved.forEach((value, place) => {
    const h = Math.max(1.5, p.ease(`bar ${place}`, value) * box.h);
    p.ctx.fillStyle = place < s.border ? color.sin : color.cos;
    p.ctx.fillRect(at(place) + 1, box.y + box.h - h, cell - 2, h);
    p.grab(`bar ${place}`, {
      wide: true,
      hit: (a, b) => (a >= at(place) && a < at(place) + cell && b > box.y && b < box.y + box.h ? 3 : Infinity),
      says: `token ${place}, position ${s.ids[place]}: moved by ${fixed(value)}`,
    });
  });
}

export default view({
  height: () => 270,
  draw(p) {
    const s = stateOf(p);
    const left = 30;
    const cell = (p.w - left - GAP - 4) / LENGTH;
    const at = drawRow(p, s, left, cell);
    drawBars(p, s, at, cell, { x: left, y: 122, w: p.w - left - 4, h: 132 });
    const [first, second] = s.many;
    return {
      alt:
        `border ${s.border}, ${p.get("encoding")}, positions ${p.get("positions")}, ${p.get("mask")}: ` +
        `moved by more than half: ${first} answers of the first document, ${second} of the second`,
      numbers: { ids: s.ids, moved: s.moved },
      said: { second: String(second) },
      reading: [
        "second document from token ",
        scrub("border"),
        `: ${second} of its answers moved by more than half, ${first} of the first's`,
      ],
    };
  },
});
