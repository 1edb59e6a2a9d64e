// The hands of a position, the matrix M_k, and the hands that it makes of them. A riddle covers the matrix.
import { face } from "./faces.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { amount, handsOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { lowered, scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 620;
const [LIGHT, DARK] = ["#fff", "#1a1a1a"]; // of numbers: the map's colours are those of a light page on a dark one, too

function sizesOf(w) {
  if (w >= WIDE) {
    const side = Math.min(288, w * 0.34);
    return { wide: true, side, r: Math.min(108, (w - side - 120) / 4) };
  }
  return { wide: false, side: Math.min(300, w - 40), r: Math.min(84, w / 4 - 12) };
}

const entryOf = (h, k, row, column) => {
  if (row >> 1 !== column >> 1) return 0;
  const turn = k * h.speeds[row >> 1];
  if (row === column) return Math.cos(turn);
  return row < column ? Math.sin(turn) : -Math.sin(turn);
};

export default view({
  wide: WIDE,
  height(w) {
    const { wide, side, r } = sizesOf(w);
    return wide ? side + 46 : 2 * r + side + 100;
  },
  draw(p) {
    const { color } = p;
    const { wide, side, r } = sizesOf(p.w);
    const h = handsOf(p);
    const k = p.get("k");
    const there = h.position + k;
    const top = 30;
    const box = wide
      ? { x: (p.w - side) / 2, y: top, w: side, h: side }
      : { x: (p.w - side) / 2, y: 2 * r + 74, w: side, h: side };
    const y = wide ? top + side / 2 : top + r;
    const [left, right] = wide ? [r + 6, p.w - r - 6] : [p.w / 4, (3 * p.w) / 4];
    const name = { align: "center", weight: 600, size: 15 };
    p.text(`PE(${h.position})`, left, y - r - 14, { ...name, color: color.here });
    p.text(`PE(${say(there)})`, right, y - r - 14, { ...name, color: color.there });
    const covered = p.model.get("covered");
    if (!covered) p.text(`M${lowDigits(k)}`, box.x + side / 2, box.y - 14, { ...name, size: 17 });
    if (wide) {
      p.arrow([left + r + 10, y], [box.x - 10, y], color.soft, 2);
      p.arrow([box.x + side + 10, y], [right - r - 10, y], color.soft, 2);
    }
    const move = (which, token) => p.set(which, nearest(p.values(which), token));
    face(p, h, { x: left, y, r, at: h.position, tone: color.here, name: "here", turn: (to) => move("position", to) });
    face(p, h, {
      x: right,
      y,
      r,
      at: there,
      tone: color.there,
      name: "there",
      turn: (to) => move("k", to - h.position),
    });
    const ends = Array.from(h.speeds, (speed) => [Math.sin(there * speed), Math.cos(there * speed)]).flat();
    const where = `position ${h.position}, k ${say(k)}, d_model ${h.width}`;
    const journey = [" takes the code of ", scrub("position"), ` to that of ${say(there)}; k = `, scrub("k")];
    if (covered) {
      frame(p, box);
      return {
        alt: `${where}: the hands of ${h.position}, an empty frame, and the hands of ${say(there)}`,
        numbers: { there: ends },
        said: { there: say(there) },
        reading: ["Which matrix", ...journey],
      };
    }
    matrix(p, box, h, k);

    p.began ??= { position: h.position, k };
    p.walked ||= h.position !== p.began.position;
    p.shifted ||= k !== p.began.k;
    const slowest = h.count - 1;
    const turns =
      `hand 0 by ${fixed(k)} rad` + (slowest ? `, hand ${slowest} by ${amount(k * h.speeds[slowest])} rad` : "");
    const d = h.width;
    return {
      alt: `${where}: the matrix turns ${turns}, ` + `and the hands of ${h.position} become those of ${say(there)}`,
      numbers: {
        matrix: Array.from({ length: d * d }, (_, n) => entryOf(h, k, Math.floor(n / d), n % d)),
        there: ends,
      },
      said: { there: say(there) },
      reading: ["M", lowered(say(k)), ...journey],
      seen: p.walked && p.shifted,
    };
  },
});

// An empty frame in the matrix's place.
function frame(p, box) {
  p.ctx.strokeStyle = p.color.line;
  p.ctx.lineWidth = 1;
  p.ctx.strokeRect(box.x, box.y, box.w, box.h);
  p.text("?", box.x + box.w / 2, box.y + box.h / 2, { align: "center", size: 64, weight: 600, color: p.color.soft });
}

// The matrix as colours, with its numbers where there is room, and a frame round each hand's block.
function matrix(p, box, h, k) {
  const { ctx } = p;
  const d = h.width;
  const cell = box.w / d;
  p.heat("matrix", box, d, d, (i, j) => entryOf(h, k, i, j), { version: k });
  const sized = Math.min(14, cell / 3.2);
  for (let n = 0; n < 2 * d; n += 1) {
    const [i, j] = [n >> 1, 2 * (n >> 2) + (n & 1)];
    if (sized < 9) break;
    const entry = entryOf(h, k, i, j);
    const slowest = i >> 1 === h.count - 1; // in two decimals its block would look like no turn at all
    const size = slowest ? 0.8 * sized : sized;
    const style = { align: "center", size, weight: 600, color: Math.abs(entry) > 0.6 ? LIGHT : DARK };
    p.text(fixed(entry, slowest ? 3 : 2), box.x + (j + 0.5) * cell, box.y + (i + 0.5) * cell, style);
  }
  Object.assign(ctx, { strokeStyle: p.color.line, lineWidth: 1 });
  ctx.strokeRect(box.x, box.y, box.w, box.h);
  for (let i = 0; i < h.count; i += 1) {
    const block = { x: box.x + 2 * i * cell, y: box.y + 2 * i * cell, w: 2 * cell, h: 2 * cell };
    Object.assign(ctx, { strokeStyle: h.colors[i], lineWidth: i === h.lit ? 5 : 2.5 });
    ctx.strokeRect(block.x, block.y, block.w, block.h);
    p.grab(`block ${i}`, {
      hit: (a, b) => (within(block, a, b) ? 1 : Infinity),
      says: `turns hand ${i} by ${say(k)} · ${amount(h.speeds[i])} = ${amount(k * h.speeds[i])} rad`,
      lights: { hand: i },
    });
  }
}

// A whole number in small digits below the line.
function lowDigits(number) {
  const digits = String(Math.abs(number)).replace(/\d/g, (digit) => String.fromCharCode(0x2080 + Number(digit)));
  return (number < 0 ? "₋" : "") + digits;
}
