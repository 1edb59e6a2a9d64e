// Three heads of a published model on a verse: queries and keys are turned here, by hands of which some are stopped.
import { HANDS, MODEL_SPEEDS, handStrip, isStopped, stoppedOf } from "./stops.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const SIZE = 13.5; // of a letter, px
const LINE = 20; // px
const KINDS = { "previous token": "previous", "first token": "first", induction: "induction" };

// A float16 from its bits.
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

function turned(array, stopped) {
  const [count, width] = array.shape;
  const out = Float64Array.from(array.values, half);
  for (let p = 0; p < count; p += 1)
    for (let i = 0; i < HANDS; i += 1) {
      if (isStopped(stopped, i)) continue;
      const [c, s] = [Math.cos(p * MODEL_SPEEDS[i]), Math.sin(p * MODEL_SPEEDS[i])];
      const at = p * width + 2 * i;
      [out[at], out[at + 1]] = [out[at] * c - out[at + 1] * s, out[at] * s + out[at + 1] * c];
    }
  return out;
}

function attentionOf(q, k, count) {
  const width = q.length / count;
  const weights = new Float64Array(count * count);
  for (let i = 0; i < count; i += 1) {
    let most = -Infinity;
    for (let j = 0; j <= i; j += 1) {
      let score = 0;
      for (let n = 0; n < width; n += 1) score += q[i * width + n] * k[j * width + n];
      weights[i * count + j] = score / Math.sqrt(width);
      most = Math.max(most, weights[i * count + j]);
    }
    let total = 0;
    for (let j = 0; j <= i; j += 1) total += weights[i * count + j] = Math.exp(weights[i * count + j] - most);
    for (let j = 0; j <= i; j += 1) weights[i * count + j] /= total;
  }
  return weights;
}

function shareOf(weights, wanted, count) {
  let sum = 0;
  let queries = 0;
  for (let i = 0; i < count; i += 1) {
    let any = 0;
    for (let j = 0; j < count; j += 1) {
      any |= wanted[i * count + j];
      sum += wanted[i * count + j] * weights[i * count + j];
    }
    queries += any;
  }
  return sum / queries;
}

const quoted = (token) => `“${token.trim() || "↵"}”`;

// Where each token of the verse stands: lines break where the verse does, and from its fourth "This" on in a second
// column if there is room.
function laidOut(p, tokens, x, y, columns) {
  const fourth = tokens.map((token, i) => (token === "This" ? i : -1)).filter((i) => i >= 0)[3];
  p.ctx.font = `400 ${SIZE}px ${p.color.font}`;
  let [left, a, b] = [x, x, y];
  return tokens.map((token, i) => {
    if (columns === 2 && i === fourth) [left, a, b] = [x + p.w / 2, x + p.w / 2, y];
    const label = token.trim() || "↵";
    const place = { label, x: a, y: b, w: p.ctx.measureText(label).width + 5 };
    a += place.w;
    if (token === "\n") [a, b] = [left, b + LINE];
    return place;
  });
}

export default view({
  height: (w) => (w >= WIDE ? 10 * LINE : 20 * LINE) + 168,
  draw(p) {
    const { color, data } = p;
    const stopped = stoppedOf(p);
    const kind = p.get("kind");
    const tokens = p.model.get("tokens");
    const count = tokens.length;
    const query = p.get("query");
    const name = KINDS[kind];
    const attention = (hands) =>
      attentionOf(...["q", "k"].map((part) => turned(data[`${name}_${part}`], hands)), count);
    const version = `${kind} ${stopped.first} ${stopped.count}`;
    if (p.turnedTo !== version) {
      const targets = data[`${name}_targets`].values;
      p.weights = attention(stopped);
      p.share = shareOf(p.weights, targets, count);
      p.whole = attention({ first: 0, count: 0 });
      p.wholeShare = shareOf(p.whole, targets, count);
      p.turnedTo = version;
    }
    const rowOf = (weights) => Array.from(weights.subarray(query * count, (query + 1) * count));
    const row = rowOf(p.weights);
    const best = row.indexOf(Math.max(...row));
    const whole = rowOf(p.whole);
    const before = whole.indexOf(Math.max(...whole));

    const places = laidOut(p, tokens, 8, 20, p.w >= WIDE ? 2 : 1);
    const lines = (p.w >= WIDE ? 10 : 19) * LINE;
    places.forEach((place, j) => {
      if (j <= query) {
        p.ctx.globalAlpha = p.ease(`weight ${j}`, row[j]);
        p.ctx.fillStyle = color.green;
        p.ctx.fillRect(place.x - 2, place.y - LINE / 2 + 1, place.w - 1, LINE - 2);
        p.ctx.globalAlpha = 1;
      }
      p.text(place.label, place.x, place.y, { size: SIZE, color: j > query ? color.faint : color.ink });
    });
    const outlined = ({ x, y, w }, ink, dash) => {
      const [a, b, c, d] = [x - 3, y - LINE / 2, x + w - 2, y + LINE / 2 - 1];
      const corners = [
        [a, b],
        [c, b],
        [c, d],
        [a, d],
        [a, b],
      ];
      p.stroke(corners, ink, 2, dash);
    };
    outlined(places[before], color.green, [4, 4]);
    outlined(places[query], color.sin, []);
    const at = (a, b) => {
      const off = places.map(({ x, y, w }) => Math.hypot(Math.max(x - a, 0, a - x - w), 3 * (b - y)));
      return off.indexOf(Math.min(...off));
    };
    p.grab("query", {
      wide: true,
      hit: (a, b) => (b >= 8 && b <= 12 + lines ? 2 : Infinity),
      move: (a, b) => p.set("query", nearest(p.values("query"), at(a, b))),
      says: (a, b) => {
        const j = at(a, b);
        return j > query ? `${quoted(tokens[j])} comes later` : `${quoted(tokens[j])}: weight ${fixed(row[j])}`;
      },
    });

    const top = lines + (p.w >= WIDE ? 26 : 26 + LINE);
    [
      ["all hands turn", p.wholeShare],
      ["these stopped", p.share],
    ].forEach(([label, share], i) => {
      const [x, y, w] = [p.w >= WIDE ? 330 : 128, top + 20 * i, p.w >= WIDE ? p.w - 390 : p.w - 180];
      p.text(label, x - 8, y, { size: 12, align: "right", color: color.soft });
      p.ctx.fillStyle = color.line;
      p.ctx.fillRect(x, y - 6, w, 12);
      p.ctx.fillStyle = color.green;
      p.ctx.fillRect(x, y - 6, w * p.ease(`share ${i}`, share), 12);
      p.text(fixed(share), x + w + 8, y, { size: 12, weight: 600 });
    });
    if (p.w >= WIDE) p.text("weight where it should look,", 8, top, { size: 12, weight: 600 });
    if (p.w >= WIDE) p.text("mean of all queries", 8, top + 20, { size: 12, weight: 600 });
    else p.text("weight where it should look, mean of all queries", 8, top - LINE, { size: 12, weight: 600 });
    const strip = { x: 8, y: top + 46, w: p.w - 16, h: 30 };
    handStrip(p, strip, stopped);
    p.text("hand 0, the fastest", strip.x, strip.y + strip.h + 22, { size: 11, color: color.soft });
    p.text("hand 31", strip.x + strip.w, strip.y + strip.h + 22, { size: 11, color: color.soft, align: "right" });
    return {
      alt:
        `head ${kind}, first stopped hand ${stopped.first}, stopped hands ${stopped.count}, ` +
        `query ${query} ${quoted(tokens[query])}: most weight, ${fixed(row[best])}, goes to token ${best} ` +
        `${quoted(tokens[best])}; share ${fixed(p.share)}`,
      numbers: { row, share: [p.share] },
      said: { share: fixed(p.share) },
      reading: [
        "Query ",
        scrub("query"),
        ` ${quoted(tokens[query])}, `,
        scrub("count"),
        stopped.count === 1 ? " hand stopped from hand " : " hands stopped from hand ",
        scrub("first"),
        ` on:\nmost weight, ${fixed(row[best])}, goes to token ${best} ${quoted(tokens[best])}`,
      ],
    };
  },
});
