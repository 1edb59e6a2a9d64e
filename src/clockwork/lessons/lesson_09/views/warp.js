// A table read at even times of its own fast hand: two maps of how alike rows are, and what one matrix then carries.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const PANELS = ["the fast hand, whose time is used", "the other 12 directions"];
const ARCH = 4; // tokens by which the middle of a stripe falls when the hand's whole wander is undone
const CURVE = 74;

// The amount that is nearest to `wanted`.
function amountNear(amounts, wanted) {
  const off = amounts.map((amount) => Math.abs(amount - wanted));
  return amounts[off.indexOf(Math.min(...off))];
}

function drawMap(p, box, panel, place) {
  const { color, data } = p;
  const [, , farthest, columns] = data.maps.shape;
  const soft = { size: 11, color: color.soft };
  const row = farthest / box.h;
  p.text(PANELS[panel], box.x, box.y - 13, { weight: 600, size: 13 });
  const valueAt = (i, j) => data.maps.at(place, panel, farthest - 1 - i, j);
  p.heat(`map ${panel}`, box, farthest, columns, valueAt, { version: place });
  for (const apart of [1, 20, farthest])
    p.text(String(apart), box.x - 7, box.y + box.h - (apart - 0.5) / row, { ...soft, align: "right" });
  p.ctx.save();
  p.ctx.translate(box.x - 32, box.y + box.h / 2);
  p.ctx.rotate(-Math.PI / 2);
  p.text("tokens apart", 0, 0, { ...soft, align: "center" });
  p.ctx.restore();
  const apartAt = (y) => Math.max(1, Math.min(farthest, Math.ceil((box.y + box.h - y) * row)));
  p.grab(`map ${panel}`, {
    wide: true,
    hit: (x, y) => (within(box, x, y) ? 1 : Infinity),
    move(x, y, begun) {
      begun.amount ??= p.get("amount");
      p.set("amount", amountNear(p.values("amount"), begun.amount + ((y - begun.y) * row) / ARCH));
    },
    says: (x, y) => `${apartAt(y)} tokens apart`,
  });
}

// Which amounts the reader has tried: the curve appears where the hand has been.
function tried(p, place) {
  p.tried ??= p.values("amount").map(() => false);
  p.tried[place] = true;
  return p.tried;
}

function drawCurve(p, box, place) {
  const { color, data } = p;
  const amounts = p.values("amount");
  const [low, high] = [amounts[0] - 0.15, amounts.at(-1) + 0.15];
  const { x, y } = p.axes(box, {
    x: [low, high],
    y: [0.5, 1],
    xticks: [-1, 0, 1, 2],
    yticks: [0.5, 0.75, 1],
    xlabel: "times the hand's wander undone",
  });
  p.text("one matrix carries them 40 tokens: R²", box.x, box.y - 14, { weight: 600, size: 13 });
  tried(p, place).forEach((been, i) => {
    if (been) p.dot(x(amounts[i]), y(data.carried.at(i)), color.sin, 4);
  });
  p.dot(x(amounts[place]), y(data.carried.at(place)), color.paper, 8);
  p.dot(x(amounts[place]), y(data.carried.at(place)), color.cos, 6);
  p.grab("amount", {
    wide: true,
    hit: (a, b) => (within(box, a, b, 12) ? 2 : Infinity),
    move: (a) => p.set("amount", amountNear(amounts, low + ((a - box.x) / box.w) * (high - low))),
    says: `R² ${fixed(data.carried.at(place))}`,
  });
}

// The height of one map.
const tall = (w) => (w >= 560 ? 130 : 110);

export default view({
  height: (w) => 2 * (tall(w) + 34) + CURVE + 92,
  draw(p) {
    const { color, data } = p;
    const amount = p.get("amount");
    const place = p.values("amount").indexOf(amount);
    const box = { x: 48, w: p.w - 64, h: tall(p.w) };
    PANELS.forEach((_, panel) => drawMap(p, { ...box, y: 28 + panel * (box.h + 30) }, panel, place));
    const below = 2 * (box.h + 30) + 12;
    const soft = { size: 11, color: color.soft };
    p.text(String(data.span.at(0)), box.x, below, soft);
    p.text("position (tokens)", box.x + box.w / 2, below, { ...soft, align: "center" });
    p.text(String(data.span.at(1)), box.x + box.w, below, { ...soft, align: "right" });
    drawCurve(p, { x: box.x, y: below + 44, w: box.w, h: CURVE }, place);
    const carried = data.carried.at(place);
    const said = { carried: fixed(carried) };
    return {
      alt:
        `${fixed(amount)} times the hand's wander undone: one matrix carries the other 12 directions ` +
        `40 tokens with R² ${said.carried}`,
      numbers: { carried: [carried] },
      said,
      reading: [scrub("amount"), ` times the hand's wander undone: R² ${said.carried} at 40 tokens`],
      seen: amount === 1,
    };
  },
});
