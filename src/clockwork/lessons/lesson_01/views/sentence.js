// The words are buttons that change places. Ribbons carry each word's output from the sentence as typed to the present
// order; the layer is small enough to be computed here, from the letters alone, as sentence.py computes it.
import "./sentence.css";
import { element, keepKeys } from "../../../kit/widgets/static/elements.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { LOOKUP, fixed } from "../../../kit/widgets/static/painter.js";
import { drawnFrom, keepWords, ownSentence, short } from "../../../kit/widgets/static/typed.js";

const D = 8;
const HEAD = 34;
const GAP = 16;
const FLAT = 0.16; // the share of a ribbon that is straight at either end
const WIDE = 640;
const VIVID = 0.92;

function product(x, w) {
  return x.map((row) =>
    Float64Array.from(
      { length: D },
      (_, j) => row.reduce((sum, value, i) => sum + value * w[i * D + j], 0) / Math.sqrt(D),
    ),
  );
}

const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

// The attention weights (place, place) and the outputs (place, 8) of words in this order.
function attend(words, scheme) {
  const coded = scheme === "position codes";
  const code = (p, i) => (coded ? (i % 2 ? Math.cos : Math.sin)(p / 10000 ** ((i - (i % 2)) / D)) : 0);
  const x = words.map((word, p) => drawnFrom(word, D).map((value, i) => value + code(p, i)));
  const [q, k, v] = ["q", "k", "v"].map((name) => product(x, drawnFrom(name, D * D)));
  const weights = q.map((query, i) => {
    const hidden = (j) => scheme === "a causal mask" && j > i;
    const shares = k.map((key, j) => (hidden(j) ? 0 : Math.exp(dot(query, key) / Math.sqrt(D))));
    const sum = shares.reduce((a, b) => a + b);
    return shares.map((share) => share / sum);
  });
  const outputs = weights.map((row) => v[0].map((_, i) => row.reduce((sum, share, j) => sum + share * v[j][i], 0)));
  return { weights, outputs };
}

const away = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));
const meanOf = (rows) => rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);

// All that is drawn now; kept until words, order or scheme change.
function stateOfLayer(p) {
  const given = p.get("given");
  const order = p.get("order");
  const scheme = p.get("scheme");
  const mark = JSON.stringify([given, order, scheme]);
  if (p.heard?.mark === mark) return p.heard;
  const before = attend(given, scheme).outputs;
  const { weights, outputs } = attend(
    order.map((word) => given[word]),
    scheme,
  );
  const after = given.map((_, word) => outputs[order.indexOf(word)]);
  const moved = given.map((_, word) => away(after[word], before[word]));
  const means = [meanOf(before), meanOf(after)];
  const sizes = [...before, ...after].flatMap((row) => Array.from(row, Math.abs)).sort((a, b) => a - b);
  const limit = sizes[Math.floor(VIVID * (sizes.length - 1))]; // few are larger, and those would make all others pale
  return (p.heard = { mark, given, order, scheme, weights, before, after, moved, means, limit, away: away(...means) });
}

function build(p) {
  const row = element("div", {
    class: "pe-words pe-order",
    role: "group",
    "aria-label": "the sentence: arrow keys or dragging move a word",
  });
  const { button } = ownSentence(p, (words) => {
    p.set("given", words);
    p.set("chosen", 0);
    arrange(words.map((_, i) => i));
  });
  const arrange = (order) => {
    p.set("order", order);
    name(p);
    p.rest();
  };
  button("Shuffle", () => arrange(shuffled(p.get("order"))));
  button("As typed", () => arrange(p.get("given").map((_, i) => i)));
  p.root.querySelector(".pe-figure").before(row); // directly above the picture, wherever the controls stand
  let held = null;
  p.place = (from, to) => {
    const order = [...p.get("order")];
    if (to < 0 || to >= order.length || from === to) return from;
    order.splice(to, 0, ...order.splice(from, 1));
    p.set("order", order);
    name(p);
    return to;
  };
  row.addEventListener("keydown", (event) => {
    const from = [...row.children].indexOf(event.target);
    keepKeys(event);
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (from < 0 || !step) return;
    event.preventDefault();
    row.children[p.place(from, from + step)].focus();
    p.rest();
  });
  row.addEventListener("focusin", (event) => {
    const at = [...row.children].indexOf(event.target);
    if (at >= 0) p.set("chosen", p.get("order")[at]);
  });
  row.addEventListener("pointerdown", (event) => {
    held = [...row.children].indexOf(event.target);
    if (held < 0) return (held = null);
    row.setPointerCapture(event.pointerId);
    event.target.focus();
  });
  row.addEventListener("pointermove", (event) => {
    if (held === null) return;
    const over = ({ left, right, top, bottom }) =>
      event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    const to = [...row.children].findIndex((word) => over(word.getBoundingClientRect()));
    if (to < 0 || to === held) return;
    held = p.place(held, to);
    row.children[held].focus();
  });
  for (const end of ["pointerup", "pointercancel"])
    row.addEventListener(end, () => {
      if (held !== null) p.rest();
      held = null;
    });
  p.words = row;
  keepWords(p, ["given", "order"]);
  name(p);
}

// Another order than the present one.
function shuffled(order) {
  const drawn = [...order];
  for (let i = drawn.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [drawn[i], drawn[j]] = [drawn[j], drawn[i]];
  }
  return drawn.some((word, i) => word !== order[i]) ? drawn : [...order.slice(1), order[0]];
}

// Write the words of the present order on their places.
function name(p) {
  const given = p.get("given");
  const order = p.get("order");
  if (!p.words) return;
  while (p.words.children.length > order.length) p.words.lastChild.remove();
  while (p.words.children.length < order.length)
    p.words.append(element("button", { type: "button", class: "pe-word" }));
  order.forEach((word, i) => {
    const button = p.words.children[i];
    if (button.textContent !== given[word]) button.textContent = given[word];
    button.setAttribute("aria-label", `${given[word]}, place ${i + 1} of ${order.length}`);
  });
}

const rowHeight = (n, wide) => Math.max(26, Math.min(wide ? 42 : 32, 240 / n));

// Where everything is in a picture of this width: the ribbons with their labels, and the square of weights beside or
// below them.
function layout(p, w) {
  const n = p.get("given").length;
  const wide = w >= WIDE;
  const tall = rowHeight(n, wide);
  p.ctx.font = `600 13px ${p.color.font}`;
  const longest = Math.max(...p.get("given").map((word) => p.ctx.measureText(word).width));
  const label = Math.max(38, Math.min(96, longest)) + 10;
  const left = wide ? w * (n > 6 ? 0.56 : 0.62) : w;
  const below = HEAD + n * tall + GAP + tall + GAP;
  const side = wide ? Math.min(w - left - label - 20, n * tall) : Math.min(w - label - 8, Math.max(150, 36 * n), 300);
  const slope = side / n < 24 ? Math.PI / 2.6 : Math.PI / 5; // of the columns' names
  const above = 24 + Math.sin(slope) * (label - 6);
  const square = wide ? { x: left + label + 14, y: HEAD - 20 + above } : { x: label + 4, y: below + above + 16 };
  const ribbons = { x: label, w: left - 2 * label - 58, y: HEAD };
  return { n, tall, label, above, slope, square: { ...square, w: side, h: side }, ribbons };
}

function colorOf(value, limit) {
  const word = LOOKUP.signed[Math.max(0, Math.min(255, Math.round((255 * (value + limit)) / (2 * limit))))];
  return `rgb(${word & 255} ${(word >> 8) & 255} ${(word >> 16) & 255})`;
}

// One ribbon of eight threads from a height to another, each thread going from its number before to the one after.
function ribbon(p, { x, w }, from, to, thick, before, after, limit, strong) {
  const { ctx, color } = p;
  const [a, b] = [x + FLAT * w, x + (1 - FLAT) * w];
  const middle = (a + b) / 2;
  const edge = (off, path = ctx) => {
    path.lineTo(x, from + off);
    path.lineTo(a, from + off);
    path.bezierCurveTo(middle, from + off, middle, to + off, b, to + off);
    path.lineTo(x + w, to + off);
  };
  const back = (off, path = ctx) => {
    path.lineTo(x + w, to + off);
    path.lineTo(b, to + off);
    path.bezierCurveTo(middle, to + off, middle, from + off, a, from + off);
    path.lineTo(x, from + off);
  };
  const outline = (tone, width) => {
    ctx.beginPath();
    edge(-thick / 2);
    back(thick / 2);
    ctx.closePath();
    Object.assign(ctx, { strokeStyle: tone, lineWidth: width, lineJoin: "round" });
    ctx.stroke();
  };
  outline(color.paper, 6);
  if (!before) {
    const path = new Path2D();
    edge(-thick / 2, path);
    back(thick / 2, path);
    path.closePath();
    return p.veil(path);
  }
  for (let i = 0; i < D; i += 1) {
    const [top, bottom] = [(i / D - 0.5) * thick, ((i + 1) / D - 0.5) * thick + 0.3];
    const tone = ctx.createLinearGradient(a, 0, b, 0);
    tone.addColorStop(0, colorOf(before[i], limit));
    tone.addColorStop(1, colorOf(after[i], limit));
    ctx.beginPath();
    edge(top);
    back(bottom);
    ctx.fillStyle = tone;
    ctx.fill();
  }
  outline(strong ? color.ink : color.soft, strong ? 2 : 0.75);
}

function draw(p) {
  const state = stateOfLayer(p);
  const { given, order, before, after, moved, means, limit, weights } = state;
  const at = layout(p, p.w);
  const { n, tall, label, ribbons } = at;
  const chosen = Math.min(p.get("chosen"), n - 1);
  const lit = p.lit("word") ?? chosen;
  const veiled = p.veiled();
  const middle = (row) => HEAD + (row + 0.5) * tall;
  const thick = tall * 0.66;
  const end = ribbons.x + ribbons.w;
  name(p);

  const head = { weight: 600, size: 13 };
  const [outside, aside] = [label > 64, label > 90]; // where labels leave room, heads stand over them
  p.text("as typed", outside ? ribbons.x - 7 : ribbons.x, 10, { ...head, align: outside ? "right" : "left" });
  p.text("reordered", aside ? end + 7 : end, 10, { ...head, align: aside ? "left" : "right" });
  p.text("changed by", end + label + 56, 10, { size: 12, align: "right", color: p.color.soft });
  const drawn = [...order.keys()].map((place) => order[place]).filter((word) => word !== lit);
  for (const word of [...drawn, lit])
    ribbon(
      p,
      ribbons,
      middle(word),
      middle(order.indexOf(word)),
      thick,
      veiled ? null : before[word],
      after[word],
      limit,
      word === lit,
    );
  const mean = HEAD + n * tall + GAP + tall / 2;
  ribbon(p, ribbons, mean, mean, thick, veiled ? null : means[0], means[1], limit, false);
  p.line(0, mean - tall / 2 - GAP / 2, end + label + 56, mean - tall / 2 - GAP / 2, p.color.line);
  p.text("mean", ribbons.x - 7, mean, { align: "right", size: 13 });
  p.text("mean", end + 7, mean, { size: 13 });
  if (!veiled) p.text(fixed(state.away), end + label + 56, mean, { align: "right", weight: 600, size: 14 });
  p.guess((row) => [ribbons.x + 14, row > n ? mean : middle(row - 1)]); // a row as typed; below the words, the mean
  given.forEach((word, i) => {
    const row = order.indexOf(i);
    const weight = i === lit ? 700 : 400;
    p.text(short(p, word, label - 8), ribbons.x - 7, middle(i), { align: "right", size: 13, weight });
    p.text(short(p, word, label - 8), end + 7, middle(row), { size: 13, weight });
    if (!veiled) p.text(fixed(moved[i]), end + label + 56, middle(row), { align: "right", size: 13, weight });
    grabWord(p, at, i, row, middle, veiled ? undefined : moved[i]);
  });
  if (veiled) {
    p.text("attention weights", at.square.x - label, at.square.y - at.above - 4, { weight: 600, size: 13 });
    p.veil(at.square.x, at.square.y, at.square.w, at.square.h);
  } else square(p, at, state, lit);

  const terms = order.map((word, place) => `${fixed(weights[order.indexOf(chosen)][place])}·v(${given[word]})`);
  const words = order.map((word) => given[word]).join(" ");
  if (veiled)
    return {
      alt: `${state.scheme}, "${words}": what becomes of the outputs is hidden until you have guessed`,
      numbers: {},
    };
  const alt = `${state.scheme}, "${words}": the mean output is ${fixed(state.away)} away from that of "${given.join(" ")}"`;
  const reading = [
    `output(${given[chosen]}) = ${terms.join(" + ")}\nIt has changed by ${fixed(moved[chosen])}, `,
    `and the mean of all outputs by ${fixed(state.away)}.`,
  ];
  return {
    alt,
    numbers: {
      weights: weights.flat(),
      before: before.flatMap((row) => [...row]),
      after: after.flatMap((row) => [...row]),
      moved,
    },
    reading,
    seen: new Set(given).size < n || order.some((word, place) => word !== place), // equal words lie open at once
  };
}

// A word of the present order can be dragged up and down, and any word can be chosen.
function grabWord(p, { tall, n, label, ribbons }, word, row, middle, moved) {
  const end = ribbons.x + ribbons.w;
  const inside = (x, y, from, to, at) => (x >= from && x <= to && Math.abs(y - middle(at)) <= tall / 2 ? 0 : Infinity);
  const name = `“${p.get("given")[word]}”`;
  const says = moved === undefined ? name : `${name}: its output has changed by ${fixed(moved)}`;
  const choose = () => p.set("chosen", word);
  p.grab(`place ${row}`, {
    hit: (x, y) => inside(x, y, end - FLAT * ribbons.w, end + label + 58, row),
    move(x, y, begun) {
      choose();
      begun.row = p.place(begun.row ?? row, Math.max(0, Math.min(n - 1, Math.floor((y - HEAD) / tall))));
    },
    drop: p.rest,
    says,
    lights: { word },
  });
  p.grab(`word ${word}`, {
    hit: (x, y) => inside(x, y, 0, ribbons.x + FLAT * ribbons.w, word),
    click: choose,
    says,
    lights: { word },
  });
}

// Who looks at whom: rows look, columns are seen, both in the present order.
function square(p, { n, square: box, label, above, slope }, { given, order, weights, mark }, lit) {
  const cell = box.w / n;
  p.text("attention weights", box.x - label, box.y - above - 4, { weight: 600, size: 13 });
  p.heat("weights", box, n, n, (i, j) => weights[i][j], { map: "weights", version: mark });
  order.forEach((word, place) => {
    const weight = word === lit ? 700 : 400;
    const text = short(p, given[word], label - 8);
    p.text(text, box.x - 7, box.y + (place + 0.5) * cell, { align: "right", size: 12.5, weight });
    p.ctx.save();
    p.ctx.translate(box.x + (place + 0.5) * cell, box.y - 6);
    p.ctx.rotate(-slope);
    p.text(text, 0, 0, { size: 12.5, weight });
    p.ctx.restore();
    order.forEach((seen, j) => {
      const value = weights[place][j];
      const x = box.x + j * cell;
      const y = box.y + place * cell;
      if (cell >= 34) {
        const color = value > 0.4 ? p.color.paper : p.color.ink;
        p.text(fixed(value), x + cell / 2, y + cell / 2, { align: "center", size: 13, color });
      }
      p.grab(`cell ${place} ${j}`, {
        hit: (a, b) => (a >= x && a < x + cell && b >= y && b < y + cell ? 0 : Infinity),
        click: () => p.set("chosen", word),
        says: `“${given[word]}” gives “${given[seen]}” the weight ${fixed(value)}`,
        lights: { word },
      });
    });
  });
  const row = order.indexOf(lit);
  p.ctx.lineWidth = 2;
  p.ctx.strokeStyle = p.color.ink;
  p.ctx.strokeRect(box.x, box.y + row * cell, box.w, cell);
}

function height(w, p) {
  const { n, tall, square: box } = layout(p, w);
  if (w < WIDE) return box.y + box.h + 8;
  const ribbons = HEAD + n * tall + GAP + tall + GAP;
  return Math.max(ribbons, HEAD + 60 + Math.min(n * tall, w * 0.3));
}

export default view({ height, draw, build });
