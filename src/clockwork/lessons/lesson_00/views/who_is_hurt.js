// "tom bit a dog": tom is dragged along the positions, and a trained model says who is hurt.
import { BASE, handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const SENTENCE = ["tom", "bit", "a", "dog"];
const LAST = 6; // tokens
const FASTEST = 4; // hands that are drawn
const ASKED = ["dog", "tom"];
const SMALL = 8; // megabytes
const WIDTH = 32; // d_model of the model

// The sizes of a picture w wide: a word with its clock is `tall`, and tom passes above the others.
function sizesOf(w) {
  const wide = w >= 560;
  const r = wide ? 32 : 18;
  const tall = 2 * r + (wide ? 36 : 26);
  const margin = r + 2;
  return { wide, r, tall, margin, word: wide ? 22 : 16, axis: 2 * tall + 14, step: (w - 2 * margin) / LAST };
}

export default view({
  height: (w) => sizesOf(w).axis + 92,
  cycle: [["tom", 2]],
  build(p) {
    p.models = p.model.get("models").map((one) => engine.revived(one, new engine.Memory({ megabytes: SMALL })));
    p.words = p.model.get("models")[0].words;
    p.tokens = SENTENCE.map((word) => p.words.indexOf(word));
  },
  draw(p) {
    const { color, ctx } = p;
    const { wide, r, tall, margin, word: size, axis, step } = sizesOf(p.w);
    const at = p.get("tom");
    const on = p.get("clocks") === "on";
    const shares = sharesOf(p, at, on);
    const answer = shares[0] >= shares[1] ? 0 : 1;
    const covered = p.veiled() && (at > 0 || !on); // the lesson says what the model answers at first
    if (p.veiled()) p.answers = new Set();
    else if (on) p.answers?.add(answer);
    const x = (place) => margin + place * step;

    p.line(x(0), axis, x(LAST), axis, color.line);
    for (let place = 0; place <= LAST; place += 1) {
      p.line(x(place), axis - 3, x(place), axis + 3, color.soft);
      p.text(String(place), x(place), axis + 14, { align: "center", size: 12, color: color.soft });
    }
    p.text("position", x(LAST), axis + 30, { align: "right", size: 12, color: color.soft });
    p.guess((value) => [x(value), axis]);

    const shown = p.ease("clocks", on ? 1 : 0);
    const near = Math.min(...[1, 2, 3].map((place) => Math.abs(at - place))) * step;
    const over = at > 1 && at < 3 ? 1 : Math.max(0, Math.min(1, (step - near) / (step - 2 * r - 4)));
    const places = [at, 1, 2, 3];
    const held = p.lit("tom") !== undefined;
    for (let i = SENTENCE.length - 1; i >= 0; i -= 1) {
      const top = 4 + tall - (i ? 0 : tall * over);
      const moved = i === 0;
      p.text(SENTENCE[i], x(places[i]), top + size / 2, {
        align: "center",
        size,
        weight: moved ? 700 : 400,
        color: moved ? color.here : color.ink,
      });
      clock(p, x(places[i]), top + size + 8 + r, r, places[i], shown, moved && held);
    }
    const top = 4 + tall * (1 - over);
    p.line(x(at), top + tall, x(at), axis, color.here, 1.5, [2, 4]);
    p.dot(x(at), axis, color.here, 6);
    const hit = (a, b) => Math.hypot(Math.max(0, Math.abs(a - x(at)) - r), Math.max(0, top - b, b - axis - 8));
    p.grab("tom", {
      hit,
      move: (a, b, begun) => {
        begun.off ??= begun.x - x(at);
        p.set("tom", nearest(p.values("tom"), (a - begun.off - margin) / step));
      },
      says: `tom at ${fixed(at, 1)}`,
      lights: { tom: 1 },
      at: [x(at), top + size + 8 + r],
    });

    // The answer: one bar that the two names share.
    const y = axis + 68;
    const style = (row) => ({ size: wide ? 16 : 14, weight: !covered && row === answer ? 700 : 400 });
    const named = (row) => (covered ? ASKED[row] : `${ASKED[row]} ${fixed(shares[row])}`);
    const [from, to] = [wide ? 84 : 72, p.w - (wide ? 84 : 72)];
    p.text(wide ? "who is hurt?" : "hurt?", from, y - 22, { size: 14, color: color.soft });
    p.text(named(0), 0, y, style(0));
    p.text(named(1), p.w, y, { ...style(1), align: "right" });
    const middle = from + (to - from) * p.ease("dog", shares[0]);
    if (covered) p.veil(from, y - 11, to - from, 22);
    else {
      ctx.fillStyle = answer ? color.line : color.green;
      ctx.fillRect(from, y - 11, middle - from - 1, 22);
      ctx.fillStyle = answer ? color.green : color.line;
      ctx.fillRect(middle + 1, y - 11, to - middle - 1, 22);
    }
    p.line((from + to) / 2, y - 15, (from + to) / 2, y + 15, color.soft, 1);
    const where = `tom at ${fixed(at, 1)}, clocks ${p.get("clocks")}`;
    if (covered) return { alt: `${where}: what the model answers is hidden until you have guessed`, numbers: {} };
    return {
      alt:
        `${where}: the model answers ${ASKED[answer]}; ` +
        `dog has ${fixed(shares[0])} of the answer, tom ${fixed(shares[1])}`,
      numbers: { shares },
      said: { dog: fixed(shares[0]), tom: fixed(shares[1]) },
      seen: p.answers?.size === 2,
    };
  },
});

// What the model answers: the probabilities of the two names.
function sharesOf(p, at, on) {
  const count = p.words.length;
  const { logits } = p.models[on ? 0 : 1].forward(p.tokens, 1, { positions: [at, 1, 2, 3] });
  const sums = p.words.map((_, w) => p.tokens.reduce((sum, _t, i) => sum + logits.data[i * count + w], 0) / 4);
  const best = Math.max(...sums);
  const all = sums.reduce((sum, value) => sum + Math.exp(value - best), 0);
  return ASKED.map((word) => Math.exp(sums[p.words.indexOf(word)] - best) / all);
}

function clock(p, x, y, r, place, shown, held) {
  const { color, ctx } = p;
  ctx.globalAlpha = 1;
  p.dot(x, y, color.paper, r);
  p.circle(x, y, r, held ? color.here : color.soft, held ? 2 : 1);
  ctx.globalAlpha = shown;
  for (let i = FASTEST - 1; i >= 0; i -= 1) {
    const angle = place * speedOf(i, WIDTH, BASE);
    const long = r * (0.92 - 0.16 * i);
    p.line(x, y, x + long * Math.sin(angle), y - long * Math.cos(angle), handColor(p, i, FASTEST), r > 20 ? 3 : 2.2);
  }
  p.dot(x, y, color.ink, 2);
  ctx.globalAlpha = 1;
}
