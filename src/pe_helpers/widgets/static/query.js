// The map of one head's weights with the query's row framed; beside it the query's scores, biases and weights.
function map(p, box, weights, n, position, version) {
  const cell = box.w / n;
  p.heat("map", box, n, n, (i, j) => weights[i * n + j], { map: "magnitude", version });
  for (const [color, out] of [
    [p.color.ink, 2],
    ["#ffffff", 0.5],
  ]) {
    Object.assign(p.ctx, { strokeStyle: color, lineWidth: 1.5 });
    p.ctx.strokeRect(box.x - out, box.y + position * cell - out, box.w + 2 * out, cell + 2 * out);
  }
  p.text("key", box.x + box.w / 2, box.y + box.h + 13, { color: p.color.soft, size: 11, align: "center" });
  p.text("query", box.x, box.y - 11, { color: p.color.soft, size: 11 });
  p.text(`${position}`, box.x - 5, box.y + (position + 0.5) * cell, { size: 12, weight: 600, align: "right" });
}

function bars(p, box, values, n, color, name, low, high, position) {
  const step = box.w / n,
    y = (v) => box.y + box.h - ((v - low) / (high - low)) * box.h;
  p.text(name, box.x, box.y - 9, { weight: 600, size: 12 });
  for (const v of [low, high].filter((v) => v !== 0))
    p.text(say(v, 1), box.x - 5, y(v), { size: 11, align: "right", color: p.color.soft });
  p.text("0", box.x - 5, y(0), { size: 11, align: "right", color: p.color.soft });
  p.ctx.fillStyle = color;
  values.forEach((v, j) =>
    p.ctx.fillRect(box.x + j * step + step * 0.1, Math.min(y(v), y(0)), step * 0.8, Math.max(Math.abs(y(v) - y(0)), 1)),
  );
  p.stroke(
    [
      [box.x, y(0)],
      [box.x + box.w, y(0)],
    ],
    p.color.soft,
  );
  const x = box.x + (position + 0.5) * step;
  p.stroke(
    [
      [x, box.y],
      [x, box.y + box.h],
    ],
    p.color.soft,
    1,
    [2, 4],
  );
}

// The range of a kind of number over a whole map, so that the scale stands still while the query moves.
function range(values, n, causal) {
  let low = 0,
    high = 0;
  for (let i = 0; i < n; i += 1)
    for (let j = 0; j < (causal ? i + 1 : n); j += 1) {
      low = Math.min(low, values[i * n + j]);
      high = Math.max(high, values[i * n + j]);
    }
  return low === high ? [-1, 1] : [low, high];
}

export default view({
  height: (w) => (w >= 520 ? 330 : w * 0.86 + 360),
  draw(p) {
    const scheme = p.get("scheme"),
      head = p.get("head"),
      position = p.get("position"),
      causal = p.get("causal");
    const place = p.values("scheme").indexOf(scheme),
      steps = p.model.get("steps"),
      n = p.data.weight.shape[2],
      wide = p.w >= 520;
    const part = (name) => Float64Array.from(p.data[name].row(place, head), (v) => v / steps[name]);
    const whole = { score: part("score"), bias: part("bias"), weight: part("weight") };
    const seen = causal ? position + 1 : n,
      numbers = {};
    for (const name of ["score", "bias", "weight"])
      numbers[name] = Array.from(whole[name].subarray(position * n, position * n + seen));
    const side = wide ? 270 : p.w * 0.86 - 30,
      left = wide ? side + 84 : 44,
      top = wide ? 24 : side + 74;
    map(p, { x: 28, y: 24, w: side, h: side }, whole.weight, n, position, `${place} ${head}`);
    const kinds = [
      ["score", "score q·k", p.color.sin],
      ["bias", "bias", p.color.pink],
      ["weight", "weight", p.color.green],
    ];
    kinds.forEach(([name, label, color], i) => {
      const [low, high] = name === "weight" ? [0, 1] : range(whole[name], n, causal);
      bars(
        p,
        { x: left, y: top + i * 98, w: p.w - left - 8, h: 62 },
        numbers[name],
        n,
        color,
        label,
        low,
        high,
        position,
      );
    });
    for (let j = 0; j < n; j += n > 16 ? 4 : 2)
      p.text(`${j}`, left + ((j + 0.5) * (p.w - left - 8)) / n, top + 2 * 98 + 72, {
        size: 11,
        align: "center",
        color: p.color.soft,
      });
    p.text("key (position, tokens)", left + (p.w - left) / 2, top + 2 * 98 + 88, {
      size: 11,
      align: "center",
      color: p.color.soft,
    });
    const best = numbers.weight.indexOf(Math.max(...numbers.weight));
    return {
      alt: `position ${position}, scheme ${scheme}, head ${head}: most weight, ${numbers.weight[best].toFixed(2)}, goes to position ${best}`,
      numbers,
    };
  },
});
