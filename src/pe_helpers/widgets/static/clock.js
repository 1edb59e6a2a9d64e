// Hands end at (sin, cos): 12 o'clock at position 0, clockwise. Fast hands are long and thin, slow ones short and thick.
const SHORTEST = 0.35;

function dial(p, box, hands, chosen) {
  const { ctx, color } = p,
    n = hands.length / 2,
    R = Math.min(box.w, box.h) / 2 - 18;
  const x0 = box.x + box.w / 2,
    y0 = box.y + box.h / 2;
  const end = (i, part = 1) => {
    const length = R * (n > 1 ? 1 - ((1 - SHORTEST) * i) / (n - 1) : 1) * part;
    return [x0 + length * hands[2 * i], y0 - length * hands[2 * i + 1]];
  };
  ctx.beginPath();
  ctx.arc(x0, y0, R + 4, 0, 2 * Math.PI);
  Object.assign(ctx, { strokeStyle: color.line, lineWidth: 1.5 });
  ctx.stroke();
  for (const [label, x, y] of [
    ["12", 0, -1],
    ["3", 1, 0],
    ["6", 0, 1],
    ["9", -1, 0],
  ])
    p.text(label, x0 + x * (R + 12), y0 + y * (R + 12), { color: color.soft, size: 11, align: "center" });
  ctx.globalAlpha = Math.max(0.25, Math.min(0.9, 12 / n));
  for (let i = 0; i < n; i += 1) {
    p.stroke([[x0, y0], end(i)], color.soft, 0.8 + (1.6 * i) / n);
    p.dot(...end(i), color.ink, n > 64 ? 1.2 : 2);
  }
  ctx.globalAlpha = 1;
  const [x, y] = end(chosen);
  p.stroke(
    [
      [x0, y],
      [x, y],
    ],
    color.sin,
    2,
    [5, 4],
  );
  p.stroke(
    [
      [x, y0],
      [x, y],
    ],
    color.cos,
    2,
    [5, 4],
  );
  p.stroke(
    [
      [x0, y0],
      [x, y],
    ],
    color.pink,
    4,
  );
  p.dot(x, y, color.pink, 5);
  p.dot(x0, y0, color.ink, 3.5);
}

function sheet(p, box, rows, pairs, stride, position, chosen, version) {
  const { ctx, color } = p,
    { codes } = p.data,
    cols = 2 * pairs;
  p.heat("sheet", box, rows, cols, (i, j) => codes.at(i, 2 * stride * (j >> 1) + (j & 1)), { version });
  ctx.globalAlpha = 0.55;
  ctx.fillStyle = color.paper;
  ctx.fillRect(box.x, box.y, box.w, box.h);
  ctx.globalAlpha = 1;
  const step = box.h / rows,
    tall = Math.max(9, step),
    y = box.y + Math.min(Math.max((position + 0.5) * step - tall / 2, 0), box.h - tall);
  ctx.drawImage(p.kept.sheet.canvas, 0, position, cols, 1, box.x, y, box.w, tall);
  ctx.strokeStyle = color.ink;
  ctx.lineWidth = 1;
  ctx.strokeRect(box.x - 0.5, y - 0.5, box.w + 1, tall + 1);
  const wide = (box.w / cols) * 2,
    left = box.x + chosen * wide;
  p.stroke(
    [
      [left, box.y - 4],
      [left + wide, box.y - 4],
    ],
    color.pink,
    4,
  );
  p.text("dimension", box.x + box.w, box.y - 15, { color: color.soft, size: 11, align: "right" });
  p.text(`${position}`, box.x - 6, y + tall / 2, { size: 12, align: "right", weight: 600 });
  p.text("position", box.x, box.y - 15, { color: color.soft, size: 11 });
}

export default view({
  height: (w) => (w >= 520 ? 320 : w * 0.86 + 230),
  draw(p) {
    const position = p.get("position"),
      width = p.get("d_model"),
      pairs = width / 2,
      wide = p.w >= 520;
    const rows = p.data.codes.shape[0],
      stride = p.data.codes.shape[1] / width,
      chosen = Math.min(p.get("hand"), pairs - 1);
    p.limit("hand", pairs);
    const row = p.data.codes.row(position),
      hands = [];
    for (let i = 0; i < pairs; i += 1) hands.push(row[2 * stride * i], row[2 * stride * i + 1]);
    const [sine, cosine] = hands.slice(2 * chosen, 2 * chosen + 2),
      side = wide ? p.h - 24 : p.w * 0.86;
    dial(p, { x: 0, y: 0, w: wide ? side : p.w, h: side }, hands, chosen);
    const x = wide ? side / 2 : p.w / 2;
    p.text(`sin ${sine.toFixed(2).replace("-", "−")}`, x - 12, side + 10, {
      color: p.color.sin,
      align: "right",
      weight: 600,
    });
    p.text(`cos ${cosine.toFixed(2).replace("-", "−")}`, x + 12, side + 10, { color: p.color.cos, weight: 600 });
    const left = wide ? side + 52 : 40,
      top = wide ? 26 : side + 52;
    sheet(p, { x: left, y: top, w: p.w - left - 6, h: p.h - top - 10 }, rows, pairs, stride, position, chosen, width);
    const hour = Math.round((Math.atan2(sine, cosine) / (2 * Math.PI)) * 12 + 12) % 12 || 12;
    return {
      alt: `position ${position}, d_model ${width}: hand ${chosen} of ${pairs} points to ${hour} o'clock`,
      numbers: { hands },
    };
  },
});
