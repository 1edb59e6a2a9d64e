// Three heads of a published model on a verse: queries and keys are turned here, by hands of which some are stopped.
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

export default view({
  height: (w) => (w >= 560 ? 350 : w + 320),
  draw(p) {
    const { color, data } = p;
    const stopped = stoppedOf(p);
    const kind = p.get("kind");
    const tokens = p.model.get("tokens");
    const count = tokens.length;
    const query = p.get("query");
    const version = `${kind} ${stopped.first} ${stopped.count}`;
    if (p.turnedTo !== version) {
      const name = KINDS[kind];
      const [q, k] = ["q", "k"].map((part) => turned(data[`${name}_${part}`], stopped));
      p.weights = attentionOf(q, k, count);
      p.share = shareOf(p.weights, data[`${name}_targets`].values, count);
      p.turnedTo = version;
    }
    const wide = p.w >= 560;
    const side = wide ? 276 : p.w - 40;
    const map = { x: 34, y: 26, w: side, h: side };
    const seen = (i, j) => (j > i ? NaN : p.weights[i * count + j]);
    p.heat("map", map, count, count, seen, { map: "magnitude", version });
    const cell = side / count;
    const frame = { y: map.y + query * cell - 1, h: cell + 2 };
    for (const [ink, out] of [
      [color.ink, 2],
      ["#ffffff", 0.5],
    ]) {
      Object.assign(p.ctx, { strokeStyle: ink, lineWidth: 1.5 });
      p.ctx.strokeRect(map.x - out, frame.y - out, (query + 1) * cell + 2 * out, frame.h + 2 * out);
    }
    p.text(`share ${fixed(p.share)}`, map.x, 12, { weight: 600, size: 12.5 });
    p.text("key", map.x + side / 2, map.y + side + 13, { size: 11, color: color.soft, align: "center" });
    p.text(`${query}`, map.x - 8, map.y + (query + 0.5) * cell, { size: 11, align: "right" });
    p.grab("query", {
      hit: (a, b) => (a >= map.x && a <= map.x + side ? Math.abs(b - frame.y - frame.h / 2) : Infinity),
      move: (_, b) => p.set("query", nearest(p.values("query"), (b - map.y) / cell - 0.5)),
      says: `query ${query} ${quoted(tokens[query])}`,
    });

    const row = Array.from(p.weights.subarray(query * count, (query + 1) * count));
    const best = row.indexOf(Math.max(...row));
    const box = wide
      ? { x: side + 84, y: 30, w: p.w - side - 98, h: 158 }
      : { x: 44, y: side + 72, w: p.w - 56, h: 120 };
    const { x, y } = p.axes(box, {
      x: [-0.5, count - 0.5],
      y: [0, 1],
      xticks: [0, best, query].filter((v, i, all) => all.every((w, j) => j >= i || Math.abs(w - v) > 8)),
      yticks: [0, 0.5, 1],
      title: `where ${quoted(tokens[query])} looks`,
    });
    row.forEach((weight, j) => {
      p.ctx.fillStyle = color.green;
      p.ctx.fillRect(x(j - 0.5), y(weight), Math.max(1.5, box.w / count), y(0) - y(weight));
    });
    p.line(x(query), box.y, x(query), y(0), color.sin, 1.5, [2, 3]);
    const room = x(best) < box.x + box.w - 90;
    p.text(quoted(tokens[best]), x(best) + (room ? 6 : -6), y(row[best]) + 8, {
      size: 12,
      weight: 600,
      align: room ? "left" : "right",
    });
    const strip = { x: box.x, y: box.y + box.h + 44, w: box.w, h: 34 };
    handStrip(p, strip, stopped);
    p.text("hands: fast", strip.x, strip.y + strip.h + 22, { size: 11, color: color.soft });
    p.text("slow", strip.x + strip.w, strip.y + strip.h + 22, { size: 11, color: color.soft, align: "right" });
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
        " hands stopped from hand ",
        scrub("first"),
        ` on:\nmost weight, ${fixed(row[best])}, goes to token ${best} ${quoted(tokens[best])}; share ${fixed(p.share)}`,
      ],
    };
  },
});
