// Two words of a text with their clocks, and the angles between them as a third clock.
import { within } from "../../../kit/widgets/static/grab.js";
import { BASE, handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const WIDTH = 16; // d_model
const COUNT = WIDTH / 2;
const LONGEST = 0.94; // of the longest hand, in radii
const START = { first: 0, apart: 3 }; // what is shown before the guess
const FURTHER = 10; // words by which the text is moved in the question

// The words of a text in lines w wide: where each stands.
function layOut(p, w, size) {
  const mark = `${w} ${size}`;
  if (p.kept.lines?.mark === mark) return p.kept.lines;
  p.ctx.font = `400 ${size}px ${p.color.font}`;
  const line = Math.round(1.65 * size);
  const gap = p.ctx.measureText(" ").width + 2;
  let [x, y] = [4, line / 2];
  const words = p.model
    .get("text")
    .split(" ")
    .map((word) => {
      const wide = p.ctx.measureText(word).width;
      if (x + wide > w - 4) [x, y] = [4, y + line];
      const place = { word, x, y, w: wide };
      x += wide + gap;
      return place;
    });
  return (p.kept.lines = { mark, words, line, height: y + line / 2 });
}

function sizesOf(w) {
  const wide = w >= 560;
  return {
    wide,
    size: wide ? 16 : 14,
    r: Math.min(76, w / 6 - 8),
  };
}

export default view({
  cycle: [
    ["first", 4],
    ["first", 0],
  ],
  height(w, p) {
    const { wide, size, r } = sizesOf(w);
    const row = 2 * r + 60;
    return layOut(p, w, size).height + 20 + row + (wide ? 30 : 50);
  },
  draw(p) {
    const { color } = p;
    const { wide, size, r } = sizesOf(p.w);
    const { words, line, height } = layOut(p, p.w, size);
    const [first, apart] = [p.get("first"), p.get("apart")];
    const second = first + apart;
    const speeds = Array.from({ length: COUNT }, (_, i) => speedOf(i, WIDTH, BASE));
    const covered = p.veiled() && (first !== START.first || apart !== START.apart);
    const colors = speeds.map((_, i) => handColor(p, i, COUNT));

    const [here, there] = [
      { name: "first", at: first, tone: color.there },
      { name: "second", at: second, tone: color.here },
    ];
    words.forEach(({ word, x, y }) => p.text(word, x, y, { size, color: color.soft }));
    for (const { at, tone } of [here, there]) boxed(p, words[at], size, tone);
    grabWords(p, words, line, height);

    const top = height + 20;
    const row = 2 * r + 60;
    const column = p.w / 3;
    const clocks = [
      { ...here, x: column / 2, y: top, name: words[first].word, told: `position ${first}` },
      { ...there, x: 1.5 * column, y: top, name: words[second].word, told: `position ${second}` },
      {
        at: apart,
        tone: color.ink,
        x: 2.5 * column,
        y: top,
        name: "between them",
        told: `${apart} apart`,
      },
    ];
    clocks.forEach(({ at, tone, x, y, name, told }, i) => {
      p.text(name, x, y + 8, { align: "center", size: wide ? 16 : 14, weight: 600, color: tone });
      p.text(told, x, y + 28, { align: "center", size: 13, color: color.soft });
      const cy = y + 44 + r;
      if (i === 2) p.guess((angle) => [x + LONGEST * r * Math.sin(angle), cy - LONGEST * r * Math.cos(angle)]);
      if (i === 2 && covered) return p.veil(discOf(x, cy, r));
      clock(p, { x, y: cy, r, angles: speeds.map((speed) => at * speed), colors, tone });
    });
    const low = top + row + 14;
    const told = (place) => fixed(place * speeds[0], 0);
    const difference = `${told(second)} − ${told(first)} = ${covered ? "?" : told(apart)} rad`;
    const lines = wide ? [`the longest hand: ${difference}`] : ["the longest hand:", difference];
    lines.forEach((line, i) => p.text(line, p.w / 2, low + 20 * i, { size: wide ? 15 : 14, align: "center" }));
    const where = `${words[first].word} at ${first}, ${words[second].word} at ${second}, ${apart} apart`;
    return {
      alt: covered
        ? `${where}: the third clock is hidden until you have guessed`
        : `${where}: the longest hands differ by ${told(apart)} rad`,
      seen: first >= START.first + FURTHER && apart === START.apart,
      numbers: {
        here: speeds.map((speed) => first * speed),
        there: speeds.map((speed) => second * speed),
      },
    };
  },
});

function boxed(p, { word, x, y, w }, size, tone) {
  const { ctx, color } = p;
  ctx.fillStyle = tone;
  ctx.beginPath();
  ctx.roundRect(x - 4, y - 0.72 * size, w + 8, 1.44 * size, 5);
  ctx.fill();
  p.text(word, x, y, { size, weight: 400, color: color.paper });
}

// A boxed word is moved alone, the text moves both.
function grabWords(p, words, line, height) {
  const most = p.values("first").at(-1);
  const farthest = p.values("apart").at(-1);
  const between = (value, low, high) => Math.max(low, Math.min(high, value));
  const [first, second] = [p.get("first"), p.get("first") + p.get("apart")];
  // The word under the pointer: in the nearest line, the nearest one.
  const wordAt = (x, y) => {
    const off = words.map((one) => 1000 * Math.abs(one.y - y) + Math.max(one.x - x, x - one.x - one.w, 0));
    const inLine = words.map((one) => Math.abs(one.y - y) <= line / 2 + 1);
    return off.indexOf(Math.min(...off.filter((_, i) => inLine[i] || !inLine.some(Boolean))));
  };
  const inside =
    ({ x, y, w }) =>
    (a, b) =>
      within({ x: x - 4, y: y - line / 2, w: w + 8, h: line }, a, b) ? 0 : 30;
  p.grab("text", {
    wide: true,
    hit: (x, y) => (y >= 0 && y <= height ? 3 : Infinity),
    move: (x, y, begun) => {
      begun.from ??= first - wordAt(begun.x, begun.y);
      p.set("first", between(begun.from + wordAt(x, y), 0, most));
    },
    at: [words[first].x + words[first].w + 22, words[first].y],
    says: "drag: both words",
  });
  p.grab("first", {
    hit: inside(words[first]),
    move: (x, y, begun) => {
      begun.second ??= second;
      const place = between(wordAt(x, y), Math.max(0, begun.second - farthest), Math.min(most, begun.second - 1));
      p.set("first", place);
      p.set("apart", begun.second - place);
    },
    says: "drag: this word alone",
  });
  p.grab("second", {
    hit: inside(words[second]),
    move: (x, y) => p.set("apart", between(wordAt(x, y) - p.get("first"), 1, farthest)),
    says: "drag: this word alone",
  });
}

function discOf(x, y, r) {
  const disc = new Path2D();
  disc.arc(x, y, r, 0, 2 * Math.PI);
  return disc;
}

function clock(p, { x, y, r, angles, colors, tone }) {
  p.circle(x, y, r, tone, 2);
  for (let i = COUNT - 1; i >= 0; i -= 1) {
    const long = r * (LONGEST - (0.56 * i) / (COUNT - 1));
    p.line(x, y, x + long * Math.sin(angles[i]), y - long * Math.cos(angles[i]), colors[i], 3.5);
  }
  p.dot(x, y, p.color.ink, 3);
}
