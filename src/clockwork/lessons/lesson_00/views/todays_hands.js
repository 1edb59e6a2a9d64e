// Three published models: eight hands of each, the angles of training shaded, and the angles of a text of any length.
const NAMES = ["GPT-NeoX-20B", "ModernBERT-base", "SmolLM3-3B"];
const [FIRST, LAST] = [7, 20]; // powers of two: the shortest and the longest text
const DIALS = 8;
const TICKS = [
  [1000, "1,000"],
  [10000, "10,000"],
  [100000, "100,000"],
  [1000000, "1 million"],
];

function sizesOf(w) {
  const wide = w >= 560;
  const r = wide ? 25 : Math.min(25, w / DIALS / 2 - 6);
  return { wide, r, top: 74, row: 2 * r + (wide ? 48 : 62) };
}

export default view({
  height: (w) => sizesOf(w).top + NAMES.length * sizesOf(w).row,
  draw(p) {
    const { color, data } = p;
    const { wide, r, top, row } = sizesOf(p.w);
    const length = p.get("length");
    const at = p.values("length").indexOf(length);
    const x = (tokens) => 10 + ((p.w - 20) * (Math.log2(tokens) - FIRST)) / (LAST - FIRST);

    p.line(x(2 ** FIRST), 34, x(2 ** LAST), 34, color.soft);
    for (const [tokens, words] of wide ? TICKS : TICKS.filter((_, i) => i % 2 === 0)) {
      p.line(x(tokens), 31, x(tokens), 37, color.soft);
      p.text(words, x(tokens), 50, { size: 12, color: color.soft, align: edge(x(tokens), p.w) });
    }
    p.line(x(2 ** FIRST), 34, x(length), 34, color.sin, 5);
    p.dot(x(length), 34, color.sin, 9);
    p.text(`a text of ${withCommas(length)} tokens`, x(length), 12, {
      size: 15,
      weight: 600,
      color: color.sin,
      align: edge(x(length), p.w),
    });
    p.grab("length", {
      hit: (a, b) => Math.max(0, Math.hypot((a - x(length)) / 3, b - 34) - 8),
      move: (a) => {
        const power = FIRST + ((a - 10) / (p.w - 20)) * (LAST - FIRST);
        p.set("length", nearest(p.values("length"), p.values("length")[Math.round(4 * (power - FIRST))] ?? length));
      },
      says: "drag: the length of the text",
    });

    const fresh = NAMES.map((_, m) => data.fresh.at(m, at));
    const swept = NAMES.flatMap((_, m) => Array.from(data.swept.row(m, at)));
    NAMES.forEach((name, m) => {
      const y = top + m * row;
      const count = data.count.at(m);
      const beyond = fresh[m] > 0;
      p.text(name, 0, y + 8, { size: 15, weight: 600 });
      p.ctx.font = `600 15px ${color.font}`;
      const after = wide ? p.ctx.measureText(name).width + 10 : 0;
      const made = `${data.years.at(m)}, for texts of ${withCommas(data.trained.at(m))} tokens`;
      p.text(made, after, y + (wide ? 8 : 26), { size: 13, color: color.soft });
      p.text(`${wide ? "new angles" : "new"}: ${fresh[m]} of ${count} hands`, p.w, y + 8, {
        size: 13,
        align: "right",
        weight: beyond ? 600 : 400,
        color: beyond ? color.cos : color.soft,
      });
      const middle = y + (wide ? 24 : 40) + r * 1.3;
      for (let i = 0; i < DIALS; i += 1) {
        const tone = handColor(p, data.shown.at(m, i), count);
        const dialX = (p.w * (i + 0.5)) / DIALS;
        const turned = swept[m * DIALS + i];
        arcDial(p, dialX, middle, r * 0.8, { met: data.met.at(m, i), reach: turned, tone });
        const [dx, dy] = [0.72 * r * Math.sin(turned), -0.72 * r * Math.cos(turned)];
        if (turned < TURN) p.line(dialX, middle, dialX + dx, middle + dy, tone, 2);
      }
    });
    const counts = NAMES.map((name, m) => `${fresh[m]} of ${data.count.at(m)} hands of ${name}`).join(", ");
    return {
      alt: `text of ${length} tokens: ${counts} come to angles that training did not show`,
      numbers: { fresh, swept },
      said: Object.fromEntries(fresh.map((count, m) => [`fresh${m}`, String(count)])),
    };
  },
});

const edge = (x, width) => (x < 90 ? "left" : x > width - 90 ? "right" : "center");
