// A trained model whose turning part is turned further: where each letter of a text looks, and what is answered.
import { view } from "../../../kit/widgets/static/kit.js";
import { say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { drawTurningPart } from "./turning_part.js";

const TRAINED_BACK = 3;
const WIDE = 560;
const [TEXT, ANSWER] = [84, 110]; // where the two rows stand
const letterOf = (token) => String.fromCharCode(97 + token);

function sizesOf(w) {
  const wide = w >= WIDE;
  const r = wide ? 66 : 56;
  const from = wide ? 2 * r + 44 : 0;
  return { wide, r, from, step: Math.min(26, (w - from) / 24) };
}

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 184 : 304),
  draw(p) {
    const { color } = p;
    const { wide, r, from, step } = sizesOf(p.w);
    const tokens = p.get("tokens");
    const T = tokens.length;
    const by = p.get("by");
    const back = TRAINED_BACK + by;
    const turn = p.values("by").indexOf(by);
    const answers = Array.from(p.data.answers.row(turn));
    const looks = Array.from(p.data.looks.row(turn));
    const good = (i) => answers[i] === tokens[i - back];
    const asked = T - back;
    const right = answers.filter((_, i) => i >= back && good(i)).length;

    // the text, the arcs and the answers
    const x = (i) => from + (p.w - from - step * T) / 2 + (i + 0.5) * step;
    const size = Math.min(17, 0.8 * step);
    const arc = (i, bold) => {
      const [a, b] = [x(i), x(p.ease(`look ${i}`, looks[i]))];
      const lift = Math.min(60, 10 + 0.16 * Math.abs(a - b));
      const path = new Path2D();
      path.moveTo(a, TEXT - 13);
      path.bezierCurveTo(a, TEXT - 13 - lift, b, TEXT - 13 - lift, b, TEXT - 13);
      p.ctx.globalAlpha = bold ? 1 : 0.4;
      p.stroke(path, good(i) ? color.green : color.cos, bold ? 3 : 1.25);
      p.ctx.globalAlpha = 1;
      if (bold) p.dot(b, TEXT - 13, good(i) ? color.green : color.cos, 5);
    };
    tokens.forEach((token, i) => {
      p.text(letterOf(token), x(i), TEXT, { align: "center", size });
      if (i < back) return;
      const tone = good(i) ? color.green : color.cos;
      p.text(letterOf(answers[i]), x(i), ANSWER, { align: "center", size, weight: 700, color: tone });
      arc(i, i === T - 1);
    });
    const end = x(looks[T - 1]);
    p.grab("asked", {
      hit: (a, b) => Math.max(0, Math.hypot(a - end, (b - TEXT + 6) / 2) - 8),
      move: (a) => p.set("by", nearest(p.values("by"), T - 1 - TRAINED_BACK - (a - x(0)) / step)),
      says: "drag: how many places back",
    });
    const keys = [[color.green, `answers the letter ${back} back: ${right} of ${asked}`]];
    if (right < asked) keys.push([color.cos, "answers another letter"]);
    p.keys(x(0) - 4, ANSWER + 30, p.w - x(0), keys);

    // the dial
    const [cx, cy] = wide ? [r + 8, r + 18] : [r + 8, 176 + r];
    drawTurningPart(p, "by", { cx, cy, r });
    const state = by ? `${by > 0 ? "further" : "back"} by ${Math.abs(by)}` : "not turned";
    const style = { size: wide ? 14 : 16, weight: 600, color: color.sin };
    if (wide) p.text(state, cx, cy + r + 18, { ...style, align: "center" });
    else p.text(state, cx + r + 20, cy, style);
    const named = letterOf(answers[T - 1]);
    return {
      alt:
        `turned further by ${say(by)}: ${right} of ${asked} answers name the letter ${back} back; ` +
        `the last answer is ${named}`,
      numbers: { right: [right], looks },
      said: { right: String(right) },
    };
  },
});
