// A text with hidden pads, and how far each token's answer is from the one without them.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const TOKENS = 16;

function stateOf(p) {
  const [before, pads] = [p.get("before"), p.get("pads")];
  const counted = p.get("positions") === "count the pads";
  const chosen = ["encoding", "positions", "pads", "before"].map((name) => p.values(name).indexOf(p.get(name)));
  const moved = Array.from(p.data.moved.row(...chosen));
  const places = moved.map((_, token) => (token >= before ? token + pads : token));
  const ids = moved.map((_, token) => (counted ? places[token] : token));
  return { before, pads, moved, places, ids, many: moved.filter((value) => value > 0.5).length };
}

function drawRow(p, s, left, cell) {
  const { color } = p;
  const box = (place, tone, alpha) => {
    p.ctx.globalAlpha = alpha;
    p.ctx.fillStyle = tone;
    p.ctx.fillRect(left + place * cell + 1, 44, cell - 2, 30);
    p.ctx.globalAlpha = 1;
  };
  s.places.forEach((place, token) => {
    box(place, color.sin, 0.28);
    p.text(String(s.ids[token]), left + (place + 0.5) * cell, 59, { size: cell < 17 ? 9 : 11, align: "center" });
  });
  const [start, end] = [left + s.before * cell, left + (s.before + s.pads) * cell];
  for (let pad = 0; pad < s.pads; pad += 1) box(s.before + pad, color.soft, 0.35);
  p.keys(left, 14, p.w - left, [
    [color.sin, "token and its position"],
    [color.soft, "hidden pad"],
    [color.cos, "its answer moved"],
  ]);
  p.line(start + 1, 84, end - 1, 84, color.ink, 3);
  p.dot((start + end) / 2, 84, color.ink, 6);
  const clamped = (value) => Math.max(0, Math.min(TOKENS, Math.round(value)));
  p.grab("before", {
    hit: (x, y) => (y > 34 && y < 98 ? Math.max(0, start - x, x - end) : Infinity),
    move: (x) => p.set("before", clamped((x - left) / cell - s.pads / 2)),
    says: `${s.before} tokens before the pads`,
  });
}

function drawBars(p, s, left, cell, box) {
  const { color } = p;
  p.text("how far each answer has moved", box.x, box.y - 16, { size: 12, color: color.soft });
  for (const value of [0, 0.5, 1]) {
    const y = box.y + box.h * (1 - value);
    p.line(box.x, y, box.x + box.w, y, color.line, 1);
    p.text(String(value), box.x - 6, y, { size: 11, color: color.soft, align: "right" });
  }
  s.moved.forEach((value, token) => {
    const x = left + s.places[token] * cell;
    const h = Math.max(1.5, p.ease(`bar ${token}`, value) * box.h);
    p.ctx.fillStyle = color.cos;
    p.ctx.fillRect(x + 1, box.y + box.h - h, cell - 2, h);
    p.grab(`bar ${token}`, {
      wide: true,
      hit: (a, b) => (a >= x && a < x + cell && b > box.y && b < box.y + box.h ? 3 : Infinity),
      says: `token ${token}, position ${s.ids[token]}: moved by ${fixed(value)}`,
    });
  });
}

export default view({
  height: () => 250,
  draw(p) {
    const s = stateOf(p);
    const left = 30;
    const cell = Math.min(34, (p.w - left - 4) / (TOKENS + s.pads));
    drawRow(p, s, left, cell);
    drawBars(p, s, left, cell, { x: left, y: 132, w: p.w - left - 4, h: 102 });
    return {
      alt:
        `${s.before} tokens, ${s.pads} pads, ${TOKENS - s.before} tokens; ${p.get("encoding")}, ` +
        `positions ${p.get("positions")}: ${s.many} answers moved by more than half`,
      numbers: { ids: s.ids, moved: s.moved },
      said: { many: String(s.many) },
      reading: [scrub("before"), ` tokens before the pads: ${s.many} answers moved by more than half`],
    };
  },
});
