// A trained model's heads turned further by M_k: which answers are right, where the sharpest head looks, and the knob.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";
import { drawTurningPart } from "./turning_part.js";

const TRAINED_BACK = 3;
const TRAINED_LENGTH = 32;
const MICRO = 1e6; // of a score: knob.py
const WIDE = 560;
const ROW = 66; // where the squares of the text begin
const letterOf = (token) => String.fromCharCode(97 + token);

function sizesOf(w, T) {
  const wide = w >= WIDE;
  const step = Math.min(22, (w - 40) / T);
  const side = wide ? Math.min(280, w / 2 - 50) : w * 0.54;
  return { wide, step, side, top: ROW + Math.max(12, step) + 58 };
}

export default view({
  height(w, p) {
    const { wide, side, top } = sizesOf(w, p.get("tokens").length);
    return top + side + (wide ? 34 : 40);
  },
  draw(p) {
    const { color } = p;
    const tokens = p.get("tokens");
    const T = tokens.length;
    const { wide, step, side, top } = sizesOf(p.w, T);
    const on = p.get("turned_on");
    const back = TRAINED_BACK + on;
    const letter = p.get("letter");
    const cut = p.values("cut").indexOf(p.get("cut"));
    const turn = p.values("turned_on").indexOf(on);
    const scoreOf = (i, j) => p.data.scores.at(cut, i, j + turn) / MICRO;
    const places = tokens.map((_, i) => i);
    const sums = places.map((i) => places.reduce((sum, j) => sum + Math.exp(scoreOf(i, j) - scoreOf(i, 0)), 0));
    const weight = (i, j) => Math.exp(scoreOf(i, j) - scoreOf(i, 0)) / sums[i];
    const answerAt = (i) => p.data.answers.at(cut, turn, i);
    const goodAt = (i) => i >= back && answerAt(i) === tokens[i - back];
    const asked = T - back;
    let [right, key] = [0, 0];
    for (let i = 0; i < T; i += 1) {
      if (goodAt(i)) right += 1;
      if (weight(letter, i) > weight(letter, key)) key = i;
    }

    // the text, and the arc to the key that is weighed most
    const x = (i) => (p.w - step * T) / 2 + (i + 0.5) * step;
    const [tall, half] = [Math.max(12, step), 0.4 * step];
    for (let i = 0; i < T; i += 1) {
      p.ctx.fillStyle = i < back ? color.line : goodAt(i) ? color.green : color.cos;
      const share = i < back ? 0.15 : goodAt(i) ? 1 : 0.4;
      p.ctx.fillRect(x(i) - half, ROW + (1 - share) * tall, 2 * half, share * tall);
    }
    p.text("position", x(0) - half, ROW + tall + 13, { size: 11, color: color.soft });
    if (T > TRAINED_LENGTH) {
      const edge = x(TRAINED_LENGTH) - step / 2;
      p.line(edge, ROW - 4, edge, ROW + tall + 6, color.soft, 1.5, [3, 3]);
      p.text("training ended here", edge, ROW + tall + 13, { size: 11, color: color.soft, align: "center" });
    }
    p.frame(x(letter) - half, ROW, 2 * half, tall, 1.5);
    const tone = goodAt(letter) ? color.green : color.cos;
    const [from, to] = [x(letter), x(key)];
    if (letter >= back) {
      p.line(x(letter - back), ROW - 9, x(letter - back), ROW - 1, color.ink, 2);
      const lift = Math.min(36, 14 + 3 * Math.abs(letter - key));
      const arc = new Path2D();
      arc.moveTo(from, ROW - 10);
      arc.bezierCurveTo(from, ROW - 10 - lift, to, ROW - 10 - lift, to, ROW - 10);
      p.stroke(arc, tone, 2.5);
      p.dot(to, ROW - 10, tone, 5);
      const state = `looks most at ${letterOf(tokens[key])}, answers ${letterOf(answerAt(letter))}`;
      const truth = `${back} back: ${letterOf(tokens[letter - back])}`;
      p.text(state, p.w / 2, 12, { align: "center", size: 14, weight: 600, color: tone });
      p.text(truth, p.w - 8, ROW + tall + 13, { align: "right", size: 12, weight: 600 });
    }
    p.grab("text", {
      wide: true,
      hit: (a, b) => (within({ x: x(0) - half, y: ROW, w: step * T, h: tall }, a, b, 4) ? 2 : Infinity),
      move: (a) => p.set("letter", nearest(p.values("letter"), (a - x(0)) / step)),
      says: `position ${letter}`,
    });

    // where the head looks
    const box = { x: 34, y: top, w: side, h: side };
    p.heat("map", box, T, T, weight, { map: "weights", version: `${cut} ${turn}` });
    p.framedRow("map", box, letter);
    if (T > TRAINED_LENGTH) {
      const edge = (TRAINED_LENGTH * side) / T;
      const square = [
        [box.x, box.y + edge],
        [box.x + edge, box.y + edge],
        [box.x + edge, box.y],
      ];
      p.stroke(square, color.soft, 1.5, [4, 4]);
      p.text("trained", box.x + edge - 4, box.y + 10, { size: 11, align: "right", color: color.soft });
    }
    p.text("key (position)", box.x + side / 2, box.y + side + 14, { align: "center", size: 12 });
    p.ctx.save();
    p.ctx.translate(16, box.y + side / 2);
    p.ctx.rotate(-Math.PI / 2);
    p.text("query (position)", 0, 0, { size: 12, align: "center" });
    p.ctx.restore();
    p.grab("map", {
      wide: true,
      hit: (a, b) => (within(box, a, b) ? 2 : Infinity),
      move: (_, b) => p.set("letter", nearest(p.values("letter"), ((b - box.y) / side) * T - 0.5)),
      says: `position ${letter}`,
    });

    // the knob
    const free = p.w - box.x - side;
    const r = Math.min(wide ? 92 : 66, free / 2 - 8);
    const [cx, cy] = [box.x + side + free / 2, box.y + r + 22];
    p.text("the turning part", cx, box.y + 6, { size: 13, align: "center", color: color.soft });
    drawTurningPart(p, "turned_on", { cx, cy, r });
    const lines = [
      [on ? `times M${on < 0 ? "₋" : ""}${subscript(Math.abs(on))}` : "not turned", color.sin],
      [`asked: ${back} back`, color.ink],
      [`${right} of ${asked} right`, right > 0.9 * asked ? color.green : color.cos],
    ];
    lines.forEach(([words, shade], i) =>
      p.text(words, cx, cy + r + 20 + 22 * i, { size: wide ? 16 : 13, weight: 600, color: shade, align: "center" }),
    );
    const named = letterOf(answerAt(letter));
    const state = `${p.get("cut")}, turned further by ${say(on)}: ${right} of ${asked} answers ${back} back are right`;
    const looks = ` looks most at ${key}, ${letterOf(tokens[key])}, and answers ${named}`;
    return {
      alt: `${state}; position ${letter}${looks}`,
      numbers: { right: [right], weights: Array.from({ length: T }, (_, j) => weight(letter, j)) },
      said: { right: String(right) },
      reading: [
        `scores from ${p.get("cut") === "all of W" ? "" : "the "}${p.get("cut")}, turned further by `,
        scrub("turned_on"),
        `: ${right} of ${asked} answers ${back} back are right; position `,
        scrub("letter"),
        looks,
      ],
    };
  },
});

// A whole number in small digits below the line.
function subscript(number) {
  return String(number).replace(/\d/g, (digit) => String.fromCharCode(0x2080 + Number(digit)));
}
