// Three strips (a word, a position, their sum) above two rows of bars: how well each candidate matches the sum.
function strip(p, key, y, label, values, version) {
  const left = 96,
    tall = 20;
  p.text(label, left - 8, y + tall / 2, { color: p.color.ink, align: "right", size: 12 });
  p.heat(key, { x: left, y, w: p.w - left - 8, h: tall }, 1, values.length, (_, j) => values[j], { limit: 3, version });
}

function bars(p, box, match, right, color, title, names) {
  const { ctx } = p,
    n = match.length,
    top = Math.max(...match, 0),
    low = Math.min(...match, 0);
  const y = (v) => box.y + box.h - ((v - low) / (top - low || 1)) * box.h,
    step = box.w / n;
  let best = 0;
  match.forEach((v, i) => {
    if (v > match[best]) best = i;
  });
  const verdict = best === right ? "✓ found" : `✗ best match: ${names(best)}`;
  p.text(title, box.x, box.y - 26, { weight: 600, size: 13 });
  p.text(verdict, box.x + box.w, box.y - 26, { align: "right", weight: 600, size: 13 });
  match.forEach((v, i) => {
    ctx.fillStyle = i === right ? color : p.color.soft;
    ctx.globalAlpha = i === right ? 1 : 0.45;
    ctx.fillRect(box.x + i * step + step * 0.12, Math.min(y(v), y(0)), step * 0.76, Math.abs(y(v) - y(0)));
  });
  ctx.globalAlpha = 1;
  p.stroke(
    [
      [box.x, y(0)],
      [box.x + box.w, y(0)],
    ],
    p.color.soft,
  );
  ctx.beginPath();
  ctx.arc(box.x + (best + 0.5) * step, y(match[best]), 6, 0, 2 * Math.PI);
  Object.assign(ctx, { strokeStyle: p.color.ink, lineWidth: 1.6 });
  ctx.stroke();
  const every = Math.ceil(24 / step);
  for (let i = 0; i < n; i += names.tilted ? 1 : every) {
    ctx.save();
    ctx.translate(box.x + (i + 0.5) * step, box.y + box.h + 7);
    if (names.tilted) ctx.rotate(-Math.PI / 3);
    p.text(names(i), 0, 0, {
      color: i === right ? p.color.ink : p.color.soft,
      weight: i === right ? 600 : 400,
      size: 11,
      align: names.tilted ? "right" : "center",
      baseline: names.tilted ? "middle" : "top",
    });
    ctx.restore();
  }
}

const PANEL = 150;

export default view({
  height: (w) => (w >= 520 ? 146 + PANEL + 54 : 146 + 2 * PANEL + 130),
  draw(p) {
    const words = p.get("words"),
      name = p.get("word"),
      position = p.get("position"),
      width = p.get("d_model");
    const word = words.indexOf(name),
      wide = p.w >= 520;
    const positions = p.data.positions.values,
      w = p.data.widths.values.indexOf(width),
      at = positions.indexOf(position);
    const vector = p.data.vectors.row(word).slice(0, width),
      code = p.data.codes.row(w, at).slice(0, width);
    const sum = Array.from(vector, (v, j) => v + code[j]),
      version = `${word} ${w} ${at}`;
    strip(p, "word", 6, name, vector, version);
    strip(p, "code", 32, `position ${position}`, code, version);
    strip(p, "sum", 62, "their sum", sum, version);
    p.text("+", 4, 42, { weight: 600, size: 14 });
    p.text("=", 4, 72, { weight: 600, size: 14 });
    const byWord = p.data.by_word.row(w, word, at),
      search = p.get("search");
    const byPosition = p.data.by_position.row(w, search === "word first" ? 1 : 0, word, at);
    const half = wide ? (p.w - 48) / 2 : p.w - 16;
    const tilted = Object.assign((i) => words[i], { tilted: true });
    bars(p, { x: 8, y: 146, w: half, h: PANEL }, byWord, word, p.color.pink, "word", tilted);
    const box = wide ? { x: half + 40, y: 146, w: half, h: PANEL } : { x: 8, y: 146 + PANEL + 92, w: half, h: PANEL };
    bars(p, box, byPosition, at, p.color.green, "position", (i) => String(positions[i]));
    const top = (match) => match.indexOf(Math.max(...match));
    return {
      alt: `position ${position}, d_model ${width}, word ${name}, ${search}: the sum's best match is ${words[top(byWord)]} among the words and ${positions[top(byPosition)]} among the positions`,
      numbers: { sum, by_word: Array.from(byWord), by_position: Array.from(byPosition) },
    };
  },
});
