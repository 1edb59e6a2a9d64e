// The map of one head's weights; beside it the chosen query's scores, what joins them, and the weights, key by key.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, roundEnds, say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const SIDE = 256; // of the map on a phone, so that map, bars and controls fit one screen
const KINDS = [
  { name: "score", label: "query · key", tone: "sin" },
  { name: "bias", label: "bias", tone: "pink" },
  { name: "weight", label: "weight", tone: "green" },
];

// The range of a kind of number over a whole map, so that the scale stands still while the query moves.
function rangeOf(values, n, causal) {
  let [low, high] = [0, 0];
  for (let i = 0; i < n; i += 1)
    for (let j = 0; j < (causal ? i + 1 : n); j += 1) {
      low = Math.min(low, values[i * n + j]);
      high = Math.max(high, values[i * n + j]);
    }
  return low === high ? [-1, 1] : roundEnds(low, high);
}

function stateOf(p) {
  const scheme = p.get("scheme");
  const head = p.get("head");
  const query = p.get("position");
  const causal = p.get("causal");
  const steps = p.model.get("steps");
  const n = p.data.weight.shape[2];
  const place = p.values("scheme").indexOf(scheme);
  const part = (name) => Float64Array.from(p.data[name].row(place, head), (v) => v / steps[name]);
  const whole = Object.fromEntries(KINDS.map(({ name }) => [name, part(name)]));
  const seen = causal ? query + 1 : n;
  p.limit("key", seen);
  const key = Math.min(p.get("key"), seen - 1);
  const row = ({ name }) => [name, Array.from(whole[name].subarray(query * n, query * n + seen))];
  return { scheme, head, query, key, causal, n, seen, whole, place, numbers: Object.fromEntries(KINDS.map(row)) };
}

function drawMap(p, box, s) {
  const { n, query, key, causal } = s;
  const cell = box.w / n;
  const weights = s.whole.weight;
  const version = `${s.place} ${s.head}`;
  const title = p.w < 340 ? "weights (row: query, column: key)" : "weights: a row per query, a column per key";
  p.text(title, box.x - 28, box.y - 14, { weight: 600, size: 13 });
  p.heat("map", box, n, n, (i, j) => (causal && j > i ? NaN : weights[i * n + j]), { map: "weights", version });
  if (causal)
    p.text("the mask hides the future", box.x + box.w - 8, box.y + 14, { align: "right", color: p.color.ink });
  p.frame(box.x, box.y + query * cell, causal ? (query + 1) * cell : box.w, cell);
  p.frame(box.x + key * cell, box.y + query * cell, cell, cell);
  p.text(String(query), box.x - 6, box.y + (query + 0.5) * cell, { weight: 600, align: "right" });
  p.text(String(key), box.x + (key + 0.5) * cell, box.y + box.h + 11, { weight: 600, align: "center" });
  p.strip(box.x + 24, box.y + box.h + 32, Math.min(120, box.w / 2), "weights", "0", "weight 1");
  const rowAt = (y) => Math.max(0, Math.min(n - 1, Math.floor((y - box.y) / cell)));
  const columnAt = (x) => Math.max(0, Math.min(n - 1, Math.floor((x - box.x) / cell)));
  const shared = {
    move: (x, y) => {
      p.set("position", nearest(p.values("position"), rowAt(y)));
      p.set("key", columnAt(x));
    },
    says(x, y) {
      const [i, j] = [rowAt(y), columnAt(x)];
      const pair = `query ${i}, key ${j}`;
      return causal && j > i ? `${pair}: hidden by the mask` : `${pair}: weight ${fixed(weights[i * n + j])}`;
    },
    lights: (x) => ({ key: columnAt(x) }),
  };
  p.grab("map", { ...shared, hit: (x, y) => (within(box, x, y) ? 3 : Infinity), wide: true });
  const off = (y) => Math.max(0, Math.abs(y - box.y - (query + 0.5) * cell) - cell / 2);
  p.grab("row", { ...shared, hit: (x, y) => (within(box, x, y, 26) ? off(y) : Infinity) });
}

function drawBars(p, box, s, { name, label, tone }) {
  const { n, query, key } = s;
  const { soft, line } = p.color;
  const values = s.numbers[name];
  const absent = s.whole[name].every((v) => v === 0);
  const [low, high] = name === "weight" ? [0, 1] : rangeOf(s.whole[name], n, s.causal);
  const step = box.w / n;
  const y = (v) => box.y + box.h - ((v - low) / (high - low)) * box.h;
  const lit = p.lit("key") < s.seen ? p.lit("key") : key;
  p.ctx.fillStyle = line;
  p.ctx.globalAlpha = 0.7;
  p.ctx.fillRect(box.x + lit * step, box.y - 4, step, box.h + 8);
  p.ctx.globalAlpha = 1;
  p.dot(box.x + 4, box.y - 15, p.color[tone], 4.5);
  p.text(label, box.x + 14, box.y - 15, { weight: 600, size: 13 });
  p.text(`key ${lit}: ${fixed(values[lit])}`, box.x + box.w, box.y - 15, { align: "right", weight: 600 });
  for (const v of new Set(absent ? [0] : [low, 0, high]))
    p.text(say(v), box.x - 6, y(v), { size: 11, align: "right", color: soft });
  if (absent) p.text(`no ${label}`, box.x + box.w, box.y + box.h / 4, { align: "right", color: soft });
  values.forEach((v, j) => {
    p.ctx.fillStyle = p.color[tone];
    p.ctx.globalAlpha = j === lit ? 1 : 0.6;
    p.ctx.fillRect(
      box.x + j * step + step * 0.12,
      Math.min(y(v), y(0)),
      step * 0.76,
      Math.max(Math.abs(y(v) - y(0)), 1),
    );
  });
  p.ctx.globalAlpha = 1;
  p.line(box.x, y(0), box.x + box.w, y(0), soft);
  p.line(box.x + (query + 1) * step, box.y - 4, box.x + (query + 1) * step, box.y + box.h + 4, soft, 1, [2, 4]);
  const keyAt = (x) => Math.max(0, Math.min(s.seen - 1, Math.floor((x - box.x) / step)));
  p.grab(name, {
    wide: true,
    hit: (a, b) => (within(box, a, b, 5) ? 2 : Infinity),
    move: (a) => p.set("key", keyAt(a)),
    says: (a) => `key ${keyAt(a)}: ${name} ${fixed(values[keyAt(a)])}`,
    lights: (a) => ({ key: keyAt(a) }),
  });
}

export default view({
  height: (w) => (w >= WIDE ? 366 : Math.min(w - 44, SIDE) + 356),
  draw(p) {
    const s = stateOf(p);
    const wide = p.w >= WIDE;
    const side = wide ? Math.min(300, p.w * 0.4) : Math.min(p.w - 44, SIDE);
    const [panel, step] = wide ? [66, 104] : [50, 82]; // its height, and from one panel to the next
    drawMap(p, { x: 34, y: 26, w: side, h: side }, s);
    const left = wide ? side + 92 : 48;
    const top = wide ? 36 : side + 100;
    const width = p.w - left - 8;
    KINDS.forEach((kind, i) => drawBars(p, { x: left, y: top + i * step, w: width, h: panel }, s, kind));
    const small = { size: 11, align: "center", color: p.color.soft };
    const every = Math.ceil((24 * s.n) / width);
    const below = top + 2 * step + panel;
    for (let j = 0; j < s.n; j += every) p.text(String(j), left + ((j + 0.5) * width) / s.n, below + 12, small);
    p.text("key (position, tokens)", left + width / 2, below + 28, small);
    const { score, bias, weight } = s.numbers;
    const best = weight.indexOf(Math.max(...weight));
    const [q, b] = [score[s.key], bias[s.key]];
    const where = `position ${s.query}, scheme ${s.scheme}, head ${s.head}`;
    const most = `most weight, ${fixed(weight[best])}, goes to position ${best}`;
    return {
      alt: `${where}: ${most}; key ${s.key} gets ${fixed(weight[s.key])}`,
      numbers: s.numbers,
      reading: [
        "Query ",
        scrub("position"),
        " and key ",
        scrub("key"),
        `: score ${fixed(q)}, bias ${fixed(b)}.\nweight = exp(${fixed(q)} ${b < 0 ? "−" : "+"} ${fixed(Math.abs(b))}) / ` +
          `Σ exp(score + bias) = ${fixed(weight[s.key])}`,
      ],
    };
  },
});
