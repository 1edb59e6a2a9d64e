// A model that learned "three back": turn the clock of each letter that looks, and it answers any number back.
import { BASE, handColor, speedOf, toSegment, wrap } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const TRAINED_BACK = 3;
const SMALL = 8; // megabytes
const HANDS = 5; // of the model's sixteen, the fastest
const WIDTH = 32; // d_model
const ASKED_BY = 5; // letters by which the question turns the clock back
const letterOf = (token) => String.fromCharCode(97 + token);

function sizesOf(w) {
  const wide = w >= 560;
  const step = Math.min(30, w / 24);
  return { wide, step, size: Math.min(17, 0.8 * step), text: 66 + 2 * Math.max(24, step), r: wide ? 82 : 70 };
}

// The picture's model: its answers to the text and whom the head listens to, with the clocks turned back by some letters.
function answered(p, by) {
  const asked = p.tokens.map((_, i) => i - by);
  const { logits, maps } = p.shown.forward(p.tokens, 1, { asked });
  const answers = p.tokens.map((_, i) => engine.argmax(logits.data.subarray(16 * i, 16 * i + 16)));
  return { answers, map: maps[0].slice() };
}

export default view({
  cycle: [
    ["by", 2],
    ["by", 0],
  ],
  height(w) {
    const { text, r } = sizesOf(w);
    return text + 2 * r + 44;
  },
  build(p) {
    p.tokens = p.model.get("tokens");
    p.shown = engine.revived(p.model.get("kept"), new engine.Memory({ megabytes: SMALL }));
  },
  draw(p) {
    const { color } = p;
    const { wide, step, size, text, r } = sizesOf(p.w);
    const { tokens } = p;
    const T = tokens.length;
    const by = p.get("by");
    const back = TRAINED_BACK + by;
    const { answers, map } = answered(p, by);
    const right = tokens.filter((_, i) => i >= back && answers[i] === tokens[i - back]).length;
    const at = TRAINED_BACK + p.ease("by", by);

    const x = (i) => (p.w - step * T) / 2 + (i + 0.5) * step;
    const covered = p.veiled() && by !== 0; // the lesson says what the model names at first
    const [top, below] = [62, 62 + Math.max(24, step)];
    tokens.forEach((token, i) => {
      p.text(letterOf(token), x(i), top, { align: "center", size });
      if (i < back || covered) return;
      const good = answers[i] === tokens[i - back];
      const style = { align: "center", size, weight: good ? 700 : 400, color: good ? color.right : color.wrong };
      p.text(letterOf(answers[i]), x(i), below, style);
    });
    p.guess((places) => [x(T - 1 - places), top - 10]);
    if (covered) p.veil(x(0) - step / 2, below - 12, step * T, 24);
    else drawArc(p, x(T - 1), x(T - 1 - at), top - 14, Math.min(44, 14 + 3 * at));
    if (!p.veiled())
      p.grab("asked", {
        hit: (a, b) => Math.max(0, Math.hypot(a - x(T - 1 - at), (b - top + 8) / 2) - 8),
        move: (a) => p.set("by", nearest(p.values("by"), T - 1 - TRAINED_BACK - (a - x(0)) / step)),
        says: "drag: how many places back",
      });

    const speeds = Array.from({ length: HANDS }, (_, i) => speedOf(i, WIDTH, BASE));
    const [cx, cy] = [wide ? p.w * 0.3 : r + 4, text + 24 + r];
    const stands = T - 1 - (at - TRAINED_BACK); // where the clock says that the last letter stands
    const tip = (i, place) => {
      const [angle, long] = [place * speeds[i], r * (0.94 - 0.14 * i)];
      return [cx + long * Math.sin(angle), cy - long * Math.cos(angle)];
    };
    p.text("the last letter’s clock", cx, text + 8, { size: 13, align: "center", color: color.soft });
    p.circle(cx, cy, r, color.here, 2);
    for (let i = HANDS - 1; i >= 0; i -= 1) p.line(cx, cy, ...tip(i, T - 1), color.line, 3);
    for (let i = HANDS - 1; i >= 0; i -= 1) p.line(cx, cy, ...tip(i, stands), handColor(p, i, HANDS), 4);
    p.dot(cx, cy, color.ink, 3);
    p.dot(...tip(0, stands), handColor(p, 0, HANDS), 6);
    p.grab("hand", {
      hit: (a, b) => toSegment(a, b, cx, cy, ...tip(0, T - 1 - by)),
      move: (a, b, begun) => {
        const points = Math.atan2(a - cx, cy - b);
        begun.back ??= by;
        begun.back -= wrap(points - (begun.last ?? (T - 1 - by) * speeds[0])) / speeds[0];
        begun.last = points;
        p.set("by", nearest(p.values("by"), begun.back));
      },
      at: tip(0, stands),
      way: "↻",
      says: "drag: turn the clock",
    });
    const asked = T - back;
    const left = wide ? p.w * 0.5 : 2 * r + 24;
    const turned = [by ? `turned ${by > 0 ? "back" : "on"} by ${Math.abs(by)}` : "not turned", color.here];
    const named = [
      [`${wide ? "it names the" : "the"} letter ${back} back`, color.ink],
      [`${right} of ${asked}${wide ? " answers" : ""} right`, right === asked ? color.right : color.ink],
    ];
    [turned, ...(covered ? [] : named)].forEach(([words, tone], i) =>
      p.text(words, left, cy - 30 + 30 * i, { size: wide ? 18 : 14, weight: 600, color: tone }),
    );
    if (covered)
      return { alt: `clock turned by ${by}: what the model names is hidden until you have guessed`, numbers: {} };
    const last = letterOf(answers[T - 1]);
    const state = `${back} back: ${right} of ${asked} answers are right; the last letter's answer is ${last}`;
    return {
      alt: state,
      numbers: { right: [right], weights: map.subarray((T - 1) * T) },
      said: { right: String(right) },
      seen: by === ASKED_BY,
    };
  },
});

function drawArc(p, from, to, y, lift) {
  const arc = new Path2D();
  arc.moveTo(from, y);
  arc.bezierCurveTo(from, y - lift, to, y - lift, to, y);
  p.stroke(arc, p.color.here, 2.5);
  p.dot(to, y, p.color.here, 5);
}
