// A query and a key as cells; arches join the two cells that are turned together; below, their score.
import { RULER, dotProduct, ruler, turnedPair } from "./pairs.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const WIDTH = 8; // numbers in a head
const HANDS = WIDTH / 2;
const HEADS_BASE = 100;
const NAMES = ["bit", "dog"];
const ARCH = 34;
const CELL = 34; // how tall a cell is

// Where the two numbers of a hand stand.
const pairOf = (order, hand) => (order === "half" ? [hand, hand + HANDS] : [2 * hand, 2 * hand + 1]);

const stored = (row, order) => {
  const cells = new Array(WIDTH);
  for (let hand = 0; hand < HANDS; hand += 1)
    pairOf(order, hand).forEach((place, n) => (cells[place] = row[2 * hand + n]));
  return cells;
};

function turnedRow(row, order, position) {
  const cells = new Array(WIDTH);
  for (let hand = 0; hand < HANDS; hand += 1) {
    const pair = pairOf(order, hand);
    const both = turnedPair([row[pair[0]], row[pair[1]]], position * speedOf(hand, WIDTH, HEADS_BASE));
    pair.forEach((place, n) => (cells[place] = both[n]));
  }
  return cells;
}

export default view({
  height: () => RULER + 2 * (ARCH + CELL + 30) + 56,
  draw(p) {
    const { color } = p;
    const [order, program, position, apart] = ["stored", "program", "position", "apart"].map((name) => p.get(name));
    const rows = [p.model.get("query"), p.model.get("key")].map((row) => stored(row, order));
    const scoreBy = (by) => dotProduct(...rows.map((row, n) => turnedRow(row, by, position + n * apart)));
    const [score, learned] = [scoreBy(program), scoreBy(order)];
    ruler(p, NAMES);
    rows.forEach((row, n) => {
      const box = { x: 56, y: RULER + n * (ARCH + CELL + 30) + ARCH + 8, w: p.w - 104, h: CELL };
      p.text(NAMES[n], 8, box.y + CELL / 2, { weight: 600, size: 14, color: [color.sin, color.cos][n] });
      cells(p, box, turnedRow(row, program, position + n * apart), order, program, n);
    });
    const wrong = program !== order;
    const low = RULER + 2 * (ARCH + CELL + 30) + 26;
    const told = wrong ? `score ${fixed(score)} ✘ the model learned ${fixed(learned)}` : `score ${fixed(score)} ✔`;
    p.text(told, 8, low, { size: p.w < 500 ? 14 : 16, weight: 600, color: wrong ? color.cos : color.green });
    p.began ??= position;
    p.walked ||= wrong && position !== p.began;
    const where = `bit at ${position}, dog at ${position + apart}`;
    const says = `score ${fixed(score)}${wrong ? ` instead of ${fixed(learned)}` : ""}`;
    return {
      alt: `stored ${order}, turned ${program}, ${where}: ${says}`,
      numbers: { score: [score], learned: [learned] },
      seen: p.walked,
    };
  },
});

// A row of cells with their numbers; a click anywhere on it takes the program's other order.
function cells(p, box, values, order, program, row) {
  const { color, ctx } = p;
  const each = box.w / WIDTH;
  const middle = (place) => box.x + (place + 0.5) * each;
  for (let hand = 0; hand < HANDS; hand += 1) {
    const tone = handColor(p, hand, HANDS);
    for (const place of pairOf(order, hand)) {
      Object.assign(ctx, { strokeStyle: tone, lineWidth: 3 });
      ctx.strokeRect(box.x + place * each + 3, box.y + 1.5, each - 6, box.h - 3);
      p.text(fixed(values[place], 1), middle(place), box.y + box.h / 2, { align: "center", size: each > 44 ? 14 : 11 });
    }
    const [from, to] = pairOf(program, hand).map(middle);
    const rise = program === "half" ? ARCH * (0.55 + 0.14 * hand) : ARCH * 0.5;
    ctx.beginPath();
    ctx.moveTo(from, box.y - 3);
    ctx.bezierCurveTo(from, box.y - 1.3 * rise, to, box.y - 1.3 * rise, to, box.y - 3);
    Object.assign(ctx, { strokeStyle: color.ink, lineWidth: 2 });
    ctx.stroke();
  }
  const other = program === "half" ? "interleaved" : "half";
  p.grab(`row ${row}`, {
    wide: true,
    hit: (a, b) => (within({ ...box, y: box.y - ARCH, h: box.h + ARCH }, a, b) ? 3 : Infinity),
    click: () => p.set("program", other),
    says: `click: turn by the order ${other}`,
  });
}
