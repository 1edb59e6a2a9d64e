// Four pairs of two words' numbers on dials, of which the first ones turn; below, what each adds to the score.
import { RULER, dotProduct, face, ruler, turnedPair, wedge } from "./pairs.js";
import { handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const WIDTH = 8; // numbers in a head
const PAIRS = WIDTH / 2;
const HEADS_BASE = 100;
const NAMES = ["bit", "dog"];
const BARS = 110;
const MOST = 1.5; // what a pair adds at most

const radius = (w) => Math.min(74, w / (2 * PAIRS) - 8);

export default view({
  height: (w) => RULER + 30 + 2 * radius(w) + 30 + BARS + 26,
  draw(p) {
    const { color } = p;
    const [position, apart, turning] = ["position", "apart", "turning"].map((name) => p.get(name));
    const rows = [p.model.get("query"), p.model.get("key")];
    const r = radius(p.w);
    ruler(p, NAMES);
    const adds = Array.from({ length: PAIRS }, (_, i) => {
      const speed = speedOf(i, WIDTH, HEADS_BASE);
      const turns = i < turning;
      const own = rows.map((row) => [row[2 * i], row[2 * i + 1]]);
      const pairs = own.map((pair, n) => turnedPair(pair, turns ? (position + n * apart) * speed : 0));
      const round = { x: ((i + 0.5) * p.w) / PAIRS, y: RULER + 30 + r, r };
      dialOf(p, round, i, pairs, turns ? speed : 0);
      return dotProduct(...pairs);
    });
    const score = adds.reduce((sum, value) => sum + value, 0);
    const middle = RULER + 30 + 2 * r + 36 + BARS / 2;
    p.line(0, middle, p.w, middle, color.line);
    adds.forEach((value, i) => {
      const x = ((i + 0.5) * p.w) / PAIRS;
      const long = (value / MOST) * (BARS / 2);
      p.line(x, middle, x, middle - long, i < turning ? handColor(p, i, PAIRS) : color.grey, 18);
      p.text(fixed(value), x + 16, middle - long / 2, { size: 13 });
    });
    p.text(`score ${fixed(score)}`, p.w / 2, middle + BARS / 2 + 14, { size: 15, weight: 600, align: "center" });
    p.began ??= { apart, turning };
    p.walked ||= apart !== p.began.apart && turning !== p.began.turning;
    const where = `bit at ${position}, dog at ${position + apart}`;
    return {
      alt: `${turning} of ${PAIRS} pairs turn, ${where}: score ${fixed(score)}`,
      numbers: { adds, score: [score] },
      seen: p.walked,
    };
  },
});

function dialOf(p, { x, y, r }, i, pairs, speed) {
  const { color } = p;
  const unit = r / 1.35;
  if (speed) face(p, { x, y, r }, `dial ${i}`, speed);
  else p.circle(x, y, r, color.line, 1.5);
  p.text(speed ? `pair ${i}` : `pair ${i}, still`, x, y - r - 14, { align: "center", size: 13, color: color.soft });
  wedge(p, { x, y, r: 0.3 * r }, pairs, { told: false });
  const tones = [color.sin, color.cos];
  pairs.forEach(([up, right], n) => p.arrow([x, y], [x + unit * right, y - unit * up], tones[n], 3.5));
  p.dot(x, y, color.ink, 3);
  if (speed) p.circle(x, y, r, handColor(p, i, PAIRS), 2.5);
}
