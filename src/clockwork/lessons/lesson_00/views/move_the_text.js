// Two words of a text with their clocks, and the angles between them: as a third clock, or laid tip to tail.
const WIDTH = 16; // d_model
const COUNT = WIDTH / 2;
const TOLD = 1; // the hand whose angles are written out
const CHAIN = "tip to tail";
const COVERED = { left: -1.2, right: 3.4, up: 8 }; // what the arrows of all offsets cover, in arrows

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
    r: wide ? Math.min(92, w / 7.6 - 8) : Math.min(68, w / 5.4),
    arrow: wide ? 36 : 21,
  };
}

export default view({
  height(w, p) {
    const { wide, size, r, arrow } = sizesOf(w);
    const chain = COVERED.up * arrow + 40;
    return layOut(p, w, size).height + 20 + (wide ? chain : 2 * r + 108 + chain);
  },
  draw(p) {
    const { color } = p;
    const { wide, size, r, arrow } = sizesOf(p.w);
    const { words, line, height } = layOut(p, p.w, size);
    const [first, apart] = [p.get("first"), p.get("apart")];
    const second = first + apart;
    const speeds = Array.from({ length: COUNT }, (_, i) => speedOf(i, WIDTH, BASE));
    const colors = speeds.map((_, i) => handColor(p, i, COUNT));
    const score = speeds.reduce((sum, speed) => sum + Math.cos(apart * speed), 0);

    const [here, there] = [
      { name: "first", at: first, tone: color.sin },
      { name: "second", at: second, tone: color.cos },
    ];
    words.forEach(({ word, x, y }) => p.text(word, x, y, { size, color: color.soft }));
    for (const { at, tone } of [here, there]) boxed(p, words[at], size, tone);
    grabWords(p, words, line, height);

    const top = height + 20;
    const column = wide ? p.w * 0.27 : p.w / 2;
    for (const [n, { at, tone }] of [here, there].entries()) {
      const x = column * (n + 0.5);
      p.text(words[at].word, x, top + 8, { align: "center", size: 16, weight: 600, color: tone });
      p.text(`position ${at}`, x, top + 28, { align: "center", size: 13, color: color.soft });
      clock(p, { x, y: top + 44 + r, r, angles: speeds.map((speed) => at * speed), colors, tone });
    }
    const low = top + 2 * r + 64;
    const told = (place) => fixed(place * speeds[TOLD]);
    p.text(`hand ${TOLD}: ${told(second)} − ${told(first)} = ${told(apart)} rad`, wide ? 8 : p.w / 2, low, {
      size: 15,
      align: wide ? "left" : "center",
    });

    const left = wide ? p.w * 0.58 : 0;
    thirdClock(p, {
      box: { x: left, y: wide ? top : low + 24, w: p.w - left, h: COVERED.up * arrow + 40 },
      r,
      arrow,
      speeds,
      colors,
      apart,
      score,
    });
    return {
      alt:
        `${words[first].word} at ${first}, ${words[second].word} at ${second}, ${apart} apart: ` +
        `hand ${TOLD} differs by ${told(apart)} rad, score ${fixed(score)}`,
      numbers: {
        here: speeds.map((speed) => first * speed),
        there: speeds.map((speed) => second * speed),
        score: [score],
      },
      said: { score: fixed(score) },
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

function clock(p, { x, y, r, angles, colors, tone }) {
  p.circle(x, y, r, tone, 2);
  for (let i = COUNT - 1; i >= 0; i -= 1) {
    const long = r * (0.94 - (0.56 * i) / (COUNT - 1));
    p.line(x, y, x + long * Math.sin(angles[i]), y - long * Math.cos(angles[i]), colors[i], 3.5);
  }
  p.dot(x, y, p.color.ink, 3);
}

// The angles between two clocks as arrows from one point, or each from the tip of the one before, slowest first.
function thirdClock(p, { box, r, arrow, speeds, colors, apart, score }) {
  const { color } = p;
  const laid = p.ease("laid", p.get("between") === CHAIN ? 1 : 0);
  const mix = (a, b) => a + (b - a) * laid;
  const middle = { x: box.x + box.w / 2, y: box.y + 44 + r };
  const start = {
    x: box.x + box.w / 2 - ((COVERED.left + COVERED.right) / 2) * arrow,
    y: box.y + box.h - 8,
  };
  const tips = (k) => {
    let [x, y] = [start.x, start.y];
    return speeds
      .map((speed) => k * speed)
      .reverse()
      .map((angle) => [(x += arrow * Math.sin(angle)), (y -= arrow * Math.cos(angle))]);
  };
  p.text("between them", middle.x, box.y + 8, { align: "center", size: 16, weight: 600 });
  p.text(`${apart} apart, score ${fixed(score)}`, middle.x, box.y + 28, {
    align: "center",
    size: 13,
    color: color.soft,
  });
  p.ctx.globalAlpha = 1 - laid;
  p.circle(middle.x, middle.y, r, color.soft, 1.5);
  p.ctx.globalAlpha = laid;
  const ends = tips(apart);
  const [tipX, tipY] = ends.at(-1);
  const ruler = start.x + COVERED.left * arrow - 16;
  p.line(ruler, start.y, ruler, start.y - COVERED.up * arrow, color.line, 1.5);
  p.line(ruler, start.y, ruler, tipY, color.ink, 4);
  p.line(ruler, tipY, tipX, tipY, color.ink, 1, [3, 4]);
  p.text(fixed(score), ruler - 8, tipY, { align: "right", size: 15, weight: 600 });
  const offsets = p.values("apart");
  for (const k of offsets) p.dot(...tips(k).at(-1), color.faint, 2.2);
  p.ctx.globalAlpha = 1;
  speeds
    .map((_, i) => COUNT - 1 - i)
    .forEach((i, n) => {
      const angle = apart * speeds[i];
      const [fromX, fromY] = n ? ends[n - 1] : [start.x, start.y];
      const [x, y] = [mix(middle.x, fromX), mix(middle.y, fromY)];
      const long = mix(r * 0.92, arrow);
      p.arrow([x, y], [x + long * Math.sin(angle), y - long * Math.cos(angle)], colors[i], 3);
    });
  if (laid < 1) return;
  p.circle(tipX, tipY, 8, color.sin, 2.5);
  p.grab("tip", {
    hit: (a, b) => Math.max(0, Math.hypot(a - tipX, b - tipY) - 8),
    move: (a, b) => {
      const off = offsets.map((k) => {
        const [x, y] = tips(k).at(-1);
        return Math.hypot(a - x, b - y);
      });
      p.set("apart", offsets[off.indexOf(Math.min(...off))]);
    },
    says: "pull: the second word moves",
  });
}
