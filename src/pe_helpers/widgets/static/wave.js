// Width and base are strides through one table: see codes.py.
function heatMap(p, box, rows, cols, column, version) {
  const { ctx, color } = p,
    { codes } = p.data,
    position = p.get("position"),
    step = box.h / rows,
    wide = box.w / cols;
  p.heat("map", box, rows, cols, (i, j) => codes.at(i, column(j)), { version });
  const y = box.y + (position + 0.5) * step,
    tall = Math.max(step, 5),
    x = box.x + 2 * p.chosen * wide;
  Object.assign(ctx, { strokeStyle: color.ink, lineWidth: 1.5 });
  ctx.strokeRect(box.x - 1, y - tall / 2 - 1, box.w + 2, tall + 2);
  p.stroke(
    [
      [x, box.y - 4],
      [x + 2 * wide, box.y - 4],
    ],
    color.pink,
    4,
  );
  p.text(String(position), box.x - 7, y, { align: "right", weight: 600 });
  p.text("position", box.x, box.y - 14, { color: color.soft, size: 11 });
  p.text("dimension", box.x + box.w, box.y - 14, { color: color.soft, size: 11, align: "right" });
}

function waves(p, box, wave, rows) {
  const { color } = p,
    position = p.get("position"),
    last = rows - 1;
  const ticks = [0, Math.round(last / 2), last];
  const { x, y } = p.axes(box, {
    x: [0, last],
    y: [-1.05, 1.05],
    xticks: ticks,
    yticks: [-1, 0, 1],
    xlabel: "position (tokens)",
  });
  p.text(`the wave of pair ${p.chosen}`, box.x, box.y - 12, { weight: 600 });
  p.text("sin", box.x + box.w - 34, box.y - 12, { color: color.sin, weight: 600, align: "right" });
  p.text("cos", box.x + box.w, box.y - 12, { color: color.cos, weight: 600, align: "right" });
  p.stroke(
    [
      [x(position), box.y],
      [x(position), box.y + box.h],
    ],
    color.soft,
  );
  for (const [k, tone] of [
    [0, color.sin],
    [1, color.cos],
  ]) {
    p.stroke(
      Array.from({ length: rows }, (_, i) => [x(i), y(wave[2 * i + k])]),
      tone,
      2,
    );
    p.dot(x(position), y(wave[2 * position + k]), tone, 4.5);
  }
}

function bars(p, box, row) {
  const { color } = p,
    n = row.length;
  const { x, y } = p.axes(box, {
    x: [-0.5, n - 0.5],
    y: [-1.05, 1.05],
    xticks: [0, n / 2, n - 1],
    yticks: [-1, 0, 1],
    xlabel: "dimension",
  });
  p.text(`the row of position ${p.get("position")}`, box.x, box.y - 12, { weight: 600 });
  const wide = Math.max(0.8, Math.min(8, (box.w / n) * 0.7));
  p.ctx.fillStyle = color.pink;
  p.ctx.globalAlpha = 0.3;
  p.ctx.fillRect(x(2 * p.chosen - 0.5), box.y, x(2) - x(0), box.h);
  p.ctx.globalAlpha = 1;
  for (let j = 0; j < n; j += 1) {
    p.ctx.fillStyle = j % 2 ? color.cos : color.sin;
    p.ctx.fillRect(x(j) - wide / 2, Math.min(y(0), y(row[j])), wide, Math.max(1, Math.abs(y(row[j]) - y(0))));
  }
}

export default view({
  height: (w) => (w >= 520 ? 384 : 690),
  draw(p) {
    const { codes } = p.data,
      rows = codes.shape[0],
      width = p.get("d_model"),
      base = p.get("base"),
      position = p.get("position");
    const stride = ((codes.shape[1] / width) * Math.round(Math.log10(base))) / 4,
      pairs = width / 2;
    const column = (j) => 2 * stride * (j >> 1) + (j & 1);
    p.chosen = Math.min(p.get("pair"), pairs - 1);
    p.limit("pair", pairs);
    const row = Array.from({ length: width }, (_, j) => codes.at(position, column(j)));
    const wave = Array.from({ length: 2 * rows }, (_, k) => codes.at(k >> 1, column(2 * p.chosen + (k & 1))));
    const wide = p.w >= 520,
      left = wide ? p.w * 0.46 : p.w - 12;
    heatMap(p, { x: 34, y: 26, w: left - 34, h: wide ? p.h - 40 : 270 }, rows, width, column, `${width} ${base}`);
    const x = wide ? left + 46 : 34,
      w = p.w - x - 12;
    waves(p, { x, y: wide ? 26 : 336, w, h: 118 }, wave, rows);
    bars(p, { x, y: wide ? 222 : 532, w, h: 118 }, row);
    const at = (k) => row[2 * p.chosen + k].toFixed(2),
      period = p.get("periods")[stride * p.chosen];
    const alt = `position ${position}, d_model ${width}, base ${base}: pair ${p.chosen} turns once in ${period.toFixed(1)} tokens and stands at sin ${at(0)}, cos ${at(1)}`;
    return { alt: alt.replace(/-/g, "−"), numbers: { row, wave } };
  },
});
