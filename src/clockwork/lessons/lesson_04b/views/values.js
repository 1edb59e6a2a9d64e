// What arrives at the reader of a word's value: left alone, turned by its place, and turned back at the reader's.
import { RULER, face, ruler, turnedPair } from "./pairs.js";
import { BASE, handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const SPEED = speedOf(1, 16, BASE);
const NAMES = { alone: "left alone", turned: "turned", back: "and back" };

const radius = (w) => Math.min(110, w / 6 - 8);

export default view({
  height: (w) => RULER + 34 + 2 * radius(w) + 16,
  draw(p) {
    const { color } = p;
    const [position, apart] = [p.get("position"), p.get("apart")];
    const own = p.model.get("value");
    const arrives = { alone: 0, turned: position * SPEED, back: -apart * SPEED };
    const pairs = Object.fromEntries(Object.entries(arrives).map(([name, by]) => [name, turnedPair(own, by)]));
    ruler(p, ["bit", "reader"]);
    const r = radius(p.w);
    Object.entries(pairs).forEach(([name, pair], n) => {
      const [x, y] = [((n + 0.5) * p.w) / 3, RULER + 34 + r];
      /** @param {number[]} pair */
      const at = ([up, right]) => [x + (r / 1.25) * right, y - (r / 1.25) * up];
      p.text(NAMES[name], x, y - r - 16, { align: "center", size: 14, weight: 600 });
      face(p, { x, y, r }, `${name} dial`, SPEED);
      p.line(x, y, ...at(own), color.soft, 1.75, [3, 5]);
      p.arrow([x, y], at(pair), name === "alone" ? color.ink : handColor(p, 1, 4), 4.5);
      p.dot(x, y, color.ink, 3.5);
    });
    p.began ??= position;
    p.walked ||= Math.abs(position - p.began) > 8;
    const told = Object.entries(pairs).map(([name, pair]) => `${name} ${pair.map((value) => fixed(value)).join(", ")}`);
    return {
      alt: `bit at ${position}, read at ${position + apart}: ${told.join("; ")}`,
      numbers: pairs,
      seen: p.walked,
    };
  },
});
