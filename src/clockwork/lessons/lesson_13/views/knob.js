// A trained model's heads turned on by M_k: the text with the answers, where the sharpest head looks, and the knob.
import { within } from "../../../kit/widgets/static/grab.js";
import { handColor, toSegment, wrap } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const TRAINED_BACK = 3;
const WIDE = 560;
const letterOf = (token) => String.fromCharCode(97 + token);

function sizesOf(w) {
  const wide = w >= WIDE;
  const step = Math.min(30, w / 24);
  const side = wide ? Math.min(264, w / 2 - 50) : w * 0.5;
  return { wide, step, size: Math.min(17, 0.8 * step), side, top: 76 + Math.max(24, step) };
}

export default view({
  height(w) {
    const { wide, side, top } = sizesOf(w);
    return top + side + (wide ? 46 : 70);
  },
  draw(p) {
    const { color } = p;
    const { wide, step, size, side, top } = sizesOf(p.w);
    const tokens = p.get("tokens");
    const T = tokens.length;
    const on = p.get("turned_on");
    const back = TRAINED_BACK + on;
    const letter = p.get("letter");
    const cut = p.values("cut").indexOf(p.get("cut"));
    const turn = p.values("turned_on").indexOf(on);
    const answerAt = (i) => p.data.answers.at(cut, turn, i);
    const asked = T - back;
    let right = 0;

    const x = (i) => (p.w - step * T) / 2 + (i + 0.5) * step;
    const [said, below] = [62, 62 + Math.max(24, step)];
    tokens.forEach((token, i) => {
      p.text(letterOf(token), x(i), said, { align: "center", size, weight: i === letter ? 700 : 400 });
      if (i < back) return;
      const good = answerAt(i) === tokens[i - back];
      if (good) right += 1;
      const style = { align: "center", size, weight: good ? 700 : 400, color: good ? color.green : color.cos };
      p.text(letterOf(answerAt(i)), x(i), below, style);
    });
    const at = TRAINED_BACK + p.ease("on", on);
    if (letter >= back) {
      const [from, to] = [x(letter), x(letter - at)];
      const lift = Math.min(44, 14 + 3 * at);
      const arc = new Path2D();
      arc.moveTo(from, said - 14);
      arc.bezierCurveTo(from, said - 14 - lift, to, said - 14 - lift, to, said - 14);
      p.stroke(arc, color.sin, 2.5);
      p.dot(to, said - 14, color.sin, 5);
      p.grab("looks", {
        hit: (a, b) => Math.max(0, Math.hypot(a - to, (b - said + 8) / 2) - 8),
        move: (a) => p.set("turned_on", nearest(p.values("turned_on"), letter - TRAINED_BACK - (a - x(0)) / step)),
        says: "drag: how many tokens back",
      });
    }

    const box = { x: 34, y: top + 8, w: side, h: side };
    const weight = (i, j) => p.data.maps.at(cut, turn, i, j);
    p.heat("map", box, T, T, weight, { map: "magnitude", version: `${cut} ${turn}` });
    p.frame(box.x, box.y + (letter * side) / T, side, side / T, 2);
    p.text("key (position)", box.x + side / 2, box.y + side + 16, { align: "center", size: 12 });
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

    const free = p.w - box.x - side;
    const r = Math.min(wide ? 92 : 70, free / 2 - 8);
    const [cx, cy] = [box.x + side + free / 2, box.y + r + 22];
    const hands = p.data.hands.row(0).length;
    const hand = (row, i) => p.data.hands.at(row, i);
    const tip = (i, by) => {
      const [angle, long] = [hand(0, i) + by * hand(2, i), r * hand(1, i)];
      return [cx + long * Math.sin(angle), cy - long * Math.cos(angle)];
    };
    p.text("the turning part", cx, box.y + 6, { size: 13, align: "center", color: color.soft });
    p.circle(cx, cy, r, color.sin, 2);
    for (let i = hands - 1; i >= 0; i -= 1) p.line(cx, cy, ...tip(i, 0), color.line, 3);
    for (let i = hands - 1; i >= 0; i -= 1) p.line(cx, cy, ...tip(i, p.ease("on", on)), handColor(p, i, hands), 4);
    p.dot(cx, cy, color.ink, 3);
    p.dot(...tip(0, p.ease("on", on)), handColor(p, 0, hands), 6);
    p.grab("hand", {
      hit: (a, b) => toSegment(a, b, cx, cy, ...tip(0, on)),
      move: (a, b, begun) => {
        const points = Math.atan2(a - cx, cy - b);
        begun.on ??= on;
        begun.on += wrap(points - (begun.last ?? hand(0, 0) + on * hand(2, 0))) / hand(2, 0);
        begun.last = points;
        p.set("turned_on", nearest(p.values("turned_on"), begun.on));
      },
      says: "drag: turn it on",
    });
    const lines = [
      [on ? `times M${on < 0 ? "₋" : ""}${subscript(Math.abs(on))}` : "as trained", color.sin],
      [`${back} back`, color.ink],
      [`${right} of ${asked} right`, right === asked ? color.green : color.ink],
    ];
    lines.forEach(([words, tone], i) =>
      p.text(words, cx, cy + r + 20 + 22 * i, { size: wide ? 16 : 13, weight: 600, color: tone, align: "center" }),
    );
    const named = letterOf(answerAt(letter));
    const state = `${p.get("cut")}, turned on by ${say(on)}: ${right} of ${asked} answers ${back} back are right`;
    return {
      alt: `${state}; at position ${letter} it answers ${named}`,
      numbers: { right: [right], weights: Array.from({ length: T }, (_, j) => weight(letter, j)) },
      said: { right: String(right) },
      reading: [
        `scores from ${p.get("cut") === "all of W" ? "" : "the "}${p.get("cut")}, turned on by `,
        scrub("turned_on"),
        `: ${right} of ${asked} answers ${back} back are right; at position `,
        scrub("letter"),
        ` it answers ${named}`,
      ],
    };
  },
});

// A whole number in small digits below the line.
function subscript(number) {
  return String(number).replace(/\d/g, (digit) => String.fromCharCode(0x2080 + Number(digit)));
}
