// Three strips (a word, a position, their sum) above two rows of bars: how well each candidate matches the sum.
const WIDE = 560;
const STRIP = 20;
const LABEL = 104; // the width of the strips' names
const PANEL = 150;
const TOP = 176; // where the first panel of bars begins
const NEXT = TOP + PANEL + 116; // and, where they stand below one another, the second

const topOf = (match) => match.indexOf(Math.max(...match));
const product = (a, b) => a.reduce((sum, v, j) => sum + v * b[j], 0);

function stateOf(p) {
  const words = p.values("word");
  const positions = Array.from(p.data.positions.values);
  const width = p.get("d_model");
  const word = words.indexOf(p.get("word"));
  const place = positions.indexOf(p.get("position"));
  const w = p.data.widths.values.indexOf(width);
  const vector = Array.from(p.data.vectors.row(word).slice(0, width));
  const code = Array.from(p.data.codes.row(w, place).slice(0, width));
  const first = p.get("search") === "word first";
  const vectorOf = (i) => Array.from(p.data.vectors.row(i).slice(0, width));
  const codeOf = (i) => Array.from(p.data.codes.row(w, i).slice(0, width));
  const match = (v, z, unit) => (product(v, z) - product(v, v) / 2) / unit;
  return {
    words,
    positions,
    width,
    word,
    place,
    vector,
    code,
    sum: vector.map((v, j) => v + code[j]),
    byWord: Array.from(p.data.by_word.row(w, word, place)),
    byPosition: Array.from(p.data.by_position.row(w, first ? 1 : 0, word, place)),
    ownWord: words.map((_, i) => match(vectorOf(i), vector, width / 2)),
    ownPosition: positions.map((_, i) => match(codeOf(i), code, width / 4)),
    vectorOf,
    first,
    version: `${word} ${w} ${place}`,
  };
}

function drawStrips(p, s) {
  const rows = [
    ["word", 8, s.words[s.word], s.vector, ""],
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
function drawBars(p, box, { key, match, own, right, tone, other, talk, title, names, slider, tilted }) {
  const { ctx, color } = p;
  const n = match.length;
  const [low, top] = [Math.min(...match, ...own, 0), Math.max(...match, ...own, 0)];
  const y = (v) => box.y + box.h - ((v - low) / (top - low || 1)) * box.h;
  const step = box.w / n;
  const best = topOf(match);
  const verdict = best === right ? "✓ found" : `✗ best match: ${names[best]}`;
  p.text(title, box.x, box.y - 44, { weight: 600, size: 13 });
  p.text(verdict, box.x + box.w, box.y - 44, { align: "right", weight: 600, size: 13 });
  p.keys(box.x, box.y - 24, box.w, [
    [color[tone], `added: ${names[right]}`],
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
    p.text(names[i], 0, 0, {
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
    move: (a) => p.set(slider, p.values(slider)[at(a)]),
    says: (a) => `${names[at(a)]}: ${fixed(own[at(a)])} + cross-talk = ${fixed(match[at(a)])}`,
  });
}

export default view({
  height: (w) => (w >= WIDE ? TOP + PANEL + 58 : NEXT + PANEL + 30),
  draw(p) {
    const s = stateOf(p);
    drawStrips(p, s);
    const wide = p.w >= WIDE;
    const half = wide ? (p.w - 52) / 2 : p.w - 16;
    const words = { key: "words", match: s.byWord, own: s.ownWord, right: s.word, names: s.words, slider: "word" };
    const places = { key: "places", match: s.byPosition, own: s.ownPosition, right: s.place, slider: "position" };
    const heard = { words: { tone: "pink", other: "green" }, places: { tone: "green", other: "pink" } };
    drawBars(
      p,
      { x: 8, y: TOP, w: half, h: PANEL },
      { ...words, ...heard.words, title: "which word?", talk: "from the position", tilted: true },
    );
    drawBars(p, wide ? { x: half + 44, y: TOP, w: half, h: PANEL } : { x: 8, y: NEXT, w: half, h: PANEL }, {
      ...places,
      ...heard.places,
      talk: "from the word",
      title: s.first ? "which position, the word taken away?" : "which position?",
      names: s.positions.map(String),
    });
    const [word, position] = [s.words[s.word], s.positions[s.place]];
    const best = topOf(s.byWord);
    const v = s.vectorOf(best);
    const sizes = [product(v, s.sum), product(v, v) / 2];
    return {
      alt:
        `position ${position}, d_model ${s.width}, word ${word}, ${p.get("search")}: the sum's best match is ` +
        `${s.words[best]} among the words and ${s.positions[topOf(s.byPosition)]} among the positions`,
      numbers: {
        sum: s.sum,
        by_word: s.byWord,
        by_position: s.byPosition,
        own_word: s.ownWord,
        own_position: s.ownPosition,
      },
      reading: [
        `z = ${word} + position `,
        scrub("position"),
        `. Best word:\nmatch(${s.words[best]}) = (v · z − |v|²/2) / (d/2) = (${fixed(sizes[0])} − ${fixed(sizes[1])}) / ` +
          `${s.width / 2} = ${fixed(s.byWord[best])}`,
      ],
    };
  },
});
