// A bias drawn by hand, the weights that it gives, and a reader that counts sizes: counting.py does the same in torch.
import { within } from "../../../kit/widgets/static/grab.js";
import { folded, view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const KEYS = 24;
const SYMBOLS = 16;
const ASKED = 3; // steps back
const OLD = 2000; // texts in which sizes are counted
const NEW = 1000; // texts in which symbols are named
const STEP = 0.02;
const SHIFT = 0.37;
const BINS = 52;
const WIDE = 560;
const HIGH = 8; // the largest bias
let drawnTexts = null;

const namesOf = () => Array.from({ length: KEYS }, (_, back) => `back_${back}`);

// The same texts as in Python: every product stays below 2^53.
function someTexts() {
  if (drawnTexts) return drawnTexts;
  drawnTexts = new Uint8Array((OLD + NEW) * KEYS);
  let state = 1;
  for (let i = 0; i < drawnTexts.length; i += 1) {
    state = (state * 16807) % 2147483647;
    drawnTexts[i] = Math.floor((state * SYMBOLS) / 2147483647);
  }
  return drawnTexts;
}

function softmax(bias) {
  const most = Math.max(...bias);
  const grown = bias.map((one) => Math.exp(one - most));
  const total = grown.reduce((a, b) => a + b);
  return grown.map((one) => one / total);
}

// For each text and symbol, the place of its size among the sizes that the reader tells apart.
function binsOf(weights) {
  const texts = someTexts();
  const bins = new Uint8Array((OLD + NEW) * SYMBOLS);
  const sizes = new Float64Array(SYMBOLS);
  for (let text = 0; text < OLD + NEW; text += 1) {
    sizes.fill(0);
    for (let back = 0; back < KEYS; back += 1) sizes[texts[text * KEYS + back]] += weights[back];
    for (let s = 0; s < SYMBOLS; s += 1) bins[text * SYMBOLS + s] = Math.floor(sizes[s] / STEP + SHIFT);
  }
  return bins;
}

function countedFor(bias) {
  const weights = softmax(bias);
  const texts = someTexts();
  const bins = binsOf(weights);
  const every = new Float64Array(BINS);
  const hits = new Float64Array(BINS);
  for (let text = 0; text < OLD; text += 1) {
    for (let s = 0; s < SYMBOLS; s += 1) every[bins[text * SYMBOLS + s]] += 1;
    hits[bins[text * SYMBOLS + texts[text * KEYS + ASKED]]] += 1;
  }
  const shares = Array.from(hits, (hit, i) => hit / (every[i] + 1));
  let right = 0;
  for (let text = OLD; text < OLD + NEW; text += 1) {
    let named = 0;
    for (let s = 1; s < SYMBOLS; s += 1)
      if (shares[bins[text * SYMBOLS + s]] > shares[bins[text * SYMBOLS + named]]) named = s;
    if (named === texts[text * KEYS + ASKED]) right += 1;
  }
  return { weights, shares, right: right / NEW };
}

function foundBy(p) {
  const bias = namesOf().map((name) => p.get(name));
  const key = bias.join(" ");
  if (p.kept.counted?.key !== key) p.kept.counted = { key, bias, ...countedFor(bias) };
  return p.kept.counted;
}

// A drag sets every bar that it has passed since it was last seen.
function paintBars(p, box, begun, [a, b]) {
  const [from, to] = [begun.last ?? [a, b], [a, b]];
  begun.last = to;
  const wide = box.w / KEYS;
  namesOf().forEach((name, back) => {
    const at = box.x + (back + 0.5) * wide;
    if (at < Math.min(from[0], to[0]) - wide / 2 || at > Math.max(from[0], to[0]) + wide / 2) return;
    const part = from[0] === to[0] ? 1 : Math.max(0, Math.min(1, (at - from[0]) / (to[0] - from[0])));
    const height = from[1] + (to[1] - from[1]) * part;
    p.set(name, nearest(p.values(name), HIGH - ((height - box.y) / box.h) * 2 * HIGH));
  });
}

function drawHead(p, box, { bias, weights }) {
  const { color, ctx } = p;
  const half = { ...box, h: box.h * 0.52 };
  const below = { ...box, y: box.y + box.h * 0.7, h: box.h * 0.3 };
  const above = p.axes(half, { x: [-0.5, KEYS - 0.5], y: [-HIGH, HIGH], xticks: [], yticks: [-HIGH, 0, HIGH] });
  const under = p.axes(below, {
    x: [-0.5, KEYS - 0.5],
    y: [0, 1],
    xticks: [0, 3, 6, 9, 12, 15, 18, 21],
    yticks: [0, 1],
    xlabel: "steps back",
  });
  p.text("bias", box.x, half.y - 14, { weight: 600, size: 13 });
  p.text("drag sideways", box.x + box.w, half.y - 14, { align: "right", color: color.soft });
  p.text("weight", box.x, below.y - 14, { weight: 600, size: 13 });
  p.text(`three back ${fixed(weights[ASKED])}`, box.x + box.w, below.y - 14, {
    align: "right",
    weight: 600,
    color: color.cos,
  });
  p.line(box.x, above.y(0), box.x + box.w, above.y(0), color.soft);
  const wide = (box.w / KEYS) * 0.76;
  for (let back = 0; back < KEYS; back += 1) {
    const left = above.x(back) - wide / 2;
    const [top, zero] = [above.y(bias[back]), above.y(0)];
    ctx.fillStyle = color.pink;
    ctx.fillRect(left, Math.min(top, zero), wide, Math.max(Math.abs(top - zero), 2));
    ctx.fillStyle = back === ASKED ? color.cos : color.green;
    ctx.fillRect(left, under.y(weights[back]), wide, under.y(0) - under.y(weights[back]));
  }
  const backAt = (a) => Math.max(0, Math.min(KEYS - 1, Math.floor(((a - box.x) / box.w) * KEYS)));
  p.grab("bias", {
    wide: true,
    hit: (a, b) => (within(half, a, b, 4) ? 1 : Infinity),
    move: (a, b, begun) => paintBars(p, half, begun, [a, b]),
    says: (a) => `${backAt(a)} back: bias ${say(bias[backAt(a)])}, weight ${fixed(weights[backAt(a)], 3)}`,
  });
}

function drawReader(p, box, { weights, shares, right }) {
  const { color } = p;
  const { x, y } = p.axes(box, {
    x: [0, 1],
    y: [0, 1],
    xticks: [0, 0.5, 1],
    yticks: [0, 0.5, 1],
    xlabel: "total weight of a symbol: its size",
  });
  p.text(`${fixed(right)} right`, box.x, box.y - 34, { size: 17, weight: 600 });
  p.text("of this size: share that stood three back", box.x, box.y - 13, { size: 12, color: color.soft });
  const edges = shares.flatMap((share, i) =>
    [i - SHIFT, i + 1 - SHIFT].map((edge) => [x(Math.max(0, Math.min(1, edge * STEP))), y(share)]),
  );
  p.stroke(edges, color.ink, 2);
  const named = []; // where a label stands: of places with nearly the same weight one is named, three back first
  for (const back of [ASKED, 0, 1, 2, 4]) {
    const asked = back === ASKED;
    const row = asked ? 0 : 1 + (back % 2);
    const across = x(weights[back]);
    const at = y(1) + 10 + 14 * row;
    if (named.some((other) => other.row === row && Math.abs(other.across - across) < 11)) continue;
    named.push({ row, across });
    p.line(across, at + 7, across, y(0), asked ? color.cos : color.line, asked ? 2 : 1);
    p.text(String(back), across, at, {
      align: "center",
      color: asked ? color.cos : color.soft,
      weight: 600,
      halo: true,
    });
  }
}

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 330 : 560),
  build(p) {
    const sliders = folded("Set the bars by sliders", p.controls.querySelectorAll(".pe-slider"));
    p.root.querySelector(".pe-note").after(sliders);
  },
  tells: {
    right: (p) => Math.floor(100 * foundBy(p).right + 1e-9),
    rises: (p) => foundBy(p).bias.some((one, back, all) => back > 0 && one > all[back - 1]),
  },
  draw(p) {
    const found = foundBy(p);
    const wide = p.w >= WIDE;
    drawHead(p, wide ? { x: 36, y: 30, w: p.w * 0.56 - 50, h: 250 } : { x: 36, y: 30, w: p.w - 48, h: 240 }, found);
    drawReader(
      p,
      wide ? { x: p.w * 0.56 + 36, y: 54, w: p.w * 0.44 - 50, h: 226 } : { x: 36, y: 366, w: p.w - 52, h: 150 },
      found,
    );
    const { weights, shares, right } = found;
    const most = weights.indexOf(Math.max(...weights));
    const said = { weight: fixed(weights[ASKED]), right: fixed(right) };
    return {
      alt:
        `most weight, ${fixed(weights[most])}, goes to ${most} back, and ${said.weight} to three back; ` +
        `${said.right} of the answers are right`,
      numbers: { weights, shares, right: [right] },
      said,
      reading: [`Three back gets ${said.weight} of the weight. Right answers: ${said.right}.`],
    };
  },
});
