// A sentence, one of whose words is added to a position. Three strips (the word, the position, their sum) stand above two
// rows of bars: how well each candidate matches the sum.
import "./take_apart.css";
import { element, keepKeys } from "../../../kit/widgets/static/elements.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";
import { drawnFrom, keepWords, ownSentence, short } from "../../../kit/widgets/static/typed.js";

const WIDE = 560;
const STRIP = 20;
const LABEL = 104; // the width of the strips' names
const PANEL = 150;
const TOP = 176; // where the first panel of bars begins
const LOW = 72; // a panel on a phone, where they stand below one another
const FIRST = 160; // where the first of them begins there
const NEXT = FIRST + LOW + 106; // and where the second does
const NAMED = 62; // the width of a word's name at its bar

const topOf = (match) => match.indexOf(Math.max(...match));
const product = (a, b) => a.reduce((sum, v, j) => sum + v * b[j], 0);

function stateOf(p) {
  const given = p.get("given");
  const chosen = Math.min(p.get("chosen"), given.length - 1);
  const width = p.get("d_model");
  const first = p.get("search") === "word first";
  const positions = Array.from(p.data.positions.values);
  const place = positions.indexOf(p.get("position"));
  const mark = JSON.stringify([given, chosen, width, first, place]);
  if (p.sums?.mark === mark) return p.sums;
  const w = p.data.widths.values.indexOf(width);
  const words = [...new Set(given)];
  const vectors = words.map((word) => Array.from(drawnFrom(word, width)));
  const codes = positions.map((_, i) => Array.from(p.data.codes.row(w, i).slice(0, width)));
  const match = (v, z, unit) => (product(v, z) - product(v, v) / 2) / unit;
  // How well the sum of a word and a position matches every word and every position.
  const compared = (word, at) => {
    const sum = vectors[word].map((v, j) => v + codes[at][j]);
    const byWord = vectors.map((v) => match(v, sum, width / 2));
    const rest = first ? sum.map((v, j) => v - vectors[topOf(byWord)][j]) : sum;
    return { sum, byWord, byPosition: codes.map((c) => (product(c, rest) - width / 4) / (width / 4)) };
  };
  const word = words.indexOf(given[chosen]);
  const each = given.map((name, i) => compared(words.indexOf(name), i));
  return (p.sums = {
    mark,
    given,
    chosen,
    words,
    positions,
    width,
    word,
    place,
    first,
    vectors,
    vector: vectors[word],
    code: codes[place],
    ...compared(word, place),
    ownWord: vectors.map((v) => match(v, vectors[word], width / 2)),
    ownPosition: codes.map((c) => match(c, codes[place], width / 4)),
    hits: [
      each.map(({ byWord }, i) => words[topOf(byWord)] === given[i]),
      each.map(({ byPosition }, i) => topOf(byPosition) === i),
    ],
    version: `${given[chosen]} ${w} ${place}`,
  });
}

// The sentence's words are buttons: each brings its own place with it.
function build(p) {
  const row = element("div", { class: "pe-words", role: "group", "aria-label": "the sentence: which word is added" });
  p.choose = (place) => {
    p.set("chosen", place);
    p.set("position", place);
    p.rest();
  };
  ownSentence(p, (words) => {
    p.set("chosen", 0);
    p.set("given", words);
    p.choose(0);
  });
  row.addEventListener("click", (event) => {
    const at = [...row.children].indexOf(event.target.closest("button"));
    if (at >= 0) p.choose(at);
  });
  row.addEventListener("keydown", (event) => {
    keepKeys(event);
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const to = [...row.children].indexOf(event.target) + step;
    if (!step || !row.children[to]) return;
    event.preventDefault();
    row.children[to].focus();
    p.choose(to);
  });
  p.controls.prepend(row);
  p.words = row;
  keepWords(p, ["chosen", "given"]);
}

// Write the sentence on its buttons, with a square for each part that is found.
function showWords(p, { given, chosen, hits }) {
  if (!p.words) return;
  while (p.words.children.length > given.length) p.words.lastChild.remove();
  while (p.words.children.length < given.length) {
    const squares = element("span", { class: "pe-hits" }, element("i"), element("i"));
    p.words.append(element("button", { type: "button", class: "pe-word" }, element("span"), squares));
  }
  given.forEach((word, i) => {
    const button = p.words.children[i];
    const [name, squares] = button.children;
    if (name.textContent !== word) name.textContent = word;
    [...squares.children].forEach((square, part) => square.classList.toggle("pe-hit", hits[part][i]));
    const [said, sought] = hits.map((part) => (part[i] ? "found" : "not found"));
    button.setAttribute("aria-pressed", i === chosen);
    button.setAttribute("aria-label", `${word}, position ${i}: word ${said}, position ${sought}`);
  });
}

function drawStrips(p, s) {
  const rows = [
    ["word", 8, short(p, s.words[s.word], LABEL - 12), s.vector, ""],
    ["code", 34, `position ${s.positions[s.place]}`, s.code, "+"],
    ["sum", 66, "their sum", s.sum, "="],
  ];
  const box = { x: LABEL, w: p.w - LABEL - 10, h: STRIP };
  const at = (x) => Math.max(0, Math.min(s.width - 1, Math.floor(((x - box.x) / box.w) * s.width)));
  for (const [key, y, label, values, sign] of rows) {
    p.text(label, LABEL - 8, y + STRIP / 2, { align: "right", size: 13, weight: key === "sum" ? 600 : 400 });
    p.text(sign, 2, y + STRIP / 2, { weight: 600, size: 15 });
    p.heat(key, { ...box, y }, 1, s.width, (_, j) => values[j], { limit: 3, version: s.version });
    Object.assign(p.ctx, { strokeStyle: p.color.line, lineWidth: 1 });
    p.ctx.strokeRect(box.x, y, box.w, STRIP);
  }
  p.text(p.w < WIDE ? "0" : "coordinate 0", box.x, 98, { size: 11, color: p.color.soft });
  p.text(String(s.width - 1), box.x + box.w, 98, { size: 11, align: "right", color: p.color.soft });
  p.strip(box.x + box.w / 2 - 40, 98, 80, "signed", "−3", "3");
  p.grab("strips", {
    hit: (x, y) => (within({ ...box, y: 8, h: 78 }, x, y) ? 0 : Infinity),
    says: (x) => `coordinate ${at(x)}: ${fixed(s.vector[at(x)])} + ${fixed(s.code[at(x)])} = ${fixed(s.sum[at(x)])}`,
  });
}

// One bar a candidate, without the other part; a line leads from there to its match with it, the cross-talk. The right
// candidate is coloured, the best one has a ring.
function drawBars(p, box, { key, match, own, right, tone, other, talk, title, names, move, tilted = false }) {
  const { ctx, color } = p;
  const n = match.length;
  const [low, top] = [Math.min(...match, ...own, 0), Math.max(...match, ...own, 0)];
  const y = (v) => box.y + box.h - ((v - low) / (top - low || 1)) * box.h;
  const step = box.w / n;
  const best = topOf(match);
  const named = names.map((name) => short(p, name, NAMED));
  const verdict = best === right ? "✓ found" : `✗ best match: ${named[best]}`;
  p.text(title, box.x, box.y - 44, { weight: 600, size: 13 });
  p.text(verdict, box.x + box.w, box.y - 44, { align: "right", weight: 600, size: 13 });
  p.keys(box.x, box.y - 24, box.w, [
    [color[tone], `added: ${named[right]}`],
    [color.faint, "others"],
    [color[other], talk],
  ]);
  own.forEach((v, i) => {
    ctx.fillStyle = i === right ? color[tone] : color.faint;
    ctx.fillRect(box.x + i * step + step * 0.12, Math.min(y(v), y(0)), step * 0.76, Math.max(1, Math.abs(y(v) - y(0))));
    p.line(box.x + (i + 0.5) * step, y(v), box.x + (i + 0.5) * step, y(match[i]), color[other], 2.5);
  });
  p.line(box.x, y(0), box.x + box.w, y(0), color.soft);
  p.circle(box.x + (best + 0.5) * step, y(match[best]), 6, color.ink, 1.75);
  const every = tilted ? 1 : Math.ceil(26 / step);
  for (let i = 0; i < n; i += every) {
    ctx.save();
    ctx.translate(box.x + (i + 0.5) * step, box.y + box.h + 8);
    if (tilted) ctx.rotate(-Math.PI / 3);
    p.text(named[i], 0, 0, {
      color: i === right ? color.ink : color.soft,
      weight: i === right ? 600 : 400,
      size: 12,
      align: tilted ? "right" : "center",
      baseline: tilted ? "middle" : "top",
    });
    ctx.restore();
  }
  const at = (x) => Math.max(0, Math.min(n - 1, Math.floor((x - box.x) / step)));
  p.grab(key, {
    wide: true,
    hit: (a, b) => (within({ ...box, h: box.h + 44 }, a, b) ? 0 : Infinity),
    move: (a) => move(at(a)),
    drop: p.rest,
    says: (a) => `${names[at(a)]}: ${fixed(own[at(a)])} + cross-talk = ${fixed(match[at(a)])}`,
  });
}

export default view({
  wide: WIDE,
  build,
  tells: { missed: (p) => stateOf(p).hits[0].filter((found) => !found).length },
  height: (w) => (w >= WIDE ? TOP + PANEL + 58 : NEXT + LOW + 26),
  draw(p) {
    const s = stateOf(p);
    showWords(p, s);
    drawStrips(p, s);
    const wide = p.w >= WIDE;
    const half = wide ? (p.w - 52) / 2 : p.w - 16;
    const words = { key: "words", match: s.byWord, own: s.ownWord, right: s.word, names: s.words };
    const places = { key: "places", match: s.byPosition, own: s.ownPosition, right: s.place };
    const heard = { words: { tone: "pink", other: "green" }, places: { tone: "green", other: "pink" } };
    drawBars(p, wide ? { x: 8, y: TOP, w: half, h: PANEL } : { x: 8, y: FIRST, w: half, h: LOW }, {
      ...words,
      ...heard.words,
      title: "which word?",
      talk: "from the position",
      tilted: true,
      move: (i) => p.set("chosen", s.given.indexOf(s.words[i])),
    });
    drawBars(p, wide ? { x: half + 44, y: TOP, w: half, h: PANEL } : { x: 8, y: NEXT, w: half, h: LOW }, {
      ...places,
      ...heard.places,
      talk: "from the word",
      title: s.first ? "which position, the word taken away?" : "which position?",
      names: s.positions.map(String),
      move: (i) => p.set("position", s.positions[i]),
    });
    const [word, position] = [s.words[s.word], s.positions[s.place]];
    const best = topOf(s.byWord);
    const v = s.vectors[best];
    const [said, sought] = s.hits.map((part) => part.filter(Boolean).length);
    const sizes = [product(v, s.sum), product(v, v) / 2];
    return {
      alt:
        `position ${position}, d_model ${s.width}, word ${word}, ${p.get("search")}: the sum's best match is ` +
        `${s.words[best]} among the words and ${s.positions[topOf(s.byPosition)]} among the positions; ` +
        `of the whole sentence ${said} of ${s.given.length} words are found, and ${sought} of their positions`,
      numbers: {
        sum: s.sum,
        by_word: s.byWord,
        by_position: s.byPosition,
        own_word: s.ownWord,
        own_position: s.ownPosition,
        hits: s.hits.flat().map(Number),
      },
      reading: [
        ...(wide
          ? [
              `z = ${word} + position `,
              scrub("position"),
              `. Best word:\nmatch(${s.words[best]}) = (v · z − |v|²/2) / (d/2) = (${fixed(sizes[0])} − ${fixed(sizes[1])}) / ` +
                `${s.width / 2} = ${fixed(s.byWord[best])}\n`,
            ]
          : []),
        wide
          ? `In the sentence: ${said} of ${s.given.length} words found, and ${sought} of their positions.`
          : `${said} of ${s.given.length} words found, ${sought} of their positions.`,
      ],
    };
  },
});
