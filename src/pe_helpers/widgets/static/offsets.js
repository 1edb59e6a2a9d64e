// Two hands a pair, the position's and the one k tokens on, and below them the score K(k) at the present offset.
const GAP = 6,
  LABEL = 18;
const radius = (w) => Math.max(14, Math.min(46, (w - 5 * GAP) / 12));
const signed = (value, digits) => value.toFixed(digits).replace("-", "−");

function dial(p, x, y, r, query, key) {
  const { ctx, color } = p;
  const turn = Math.atan2(query[0] * key[1] - query[1] * key[0], query[0] * key[0] + query[1] * key[1]);
  const start = Math.atan2(-query[1], query[0]); // of the canvas: from 3 o'clock, clockwise
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.arc(x, y, r * 0.6, start, start - turn, turn > 0);
  ctx.fillStyle = color.line;
  ctx.fill();
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.strokeStyle = color.soft;
  ctx.lineWidth = 1;
  ctx.stroke();
  p.stroke(
    [
      [x, y - r],
      [x, y - r * 0.88],
    ],
    color.soft,
  );
  p.stroke(
    [
      [x, y],
      [x + r * query[0], y - r * query[1]],
    ],
    color.sin,
    3.5,
  );
  p.stroke(
    [
      [x, y],
      [x + r * key[0], y - r * key[1]],
    ],
    color.cos,
    2,
  );
}

export default view({
  height: (w) => LABEL + 2 * radius(w) + 58 + 176,
  draw(p) {
    const [position, k, d_model] = ["position", "k", "d_model"].map((name) => p.get(name));
    const { tips, scores, pairs, widths, offsets, first } = p.data;
    const width = widths.values.indexOf(d_model),
      place = offsets.values.indexOf(k);
    const shown = [...pairs.row(width)].filter((pair) => pair >= 0);
    const r = radius(p.w),
      step = Math.min(p.w / shown.length, 2 * r + 40),
      left = (p.w - step * shown.length) / 2;
    const hand = (token, i) => [0, 1].map((c) => tips.at(width, token - first.at(0), 2 * i + c));
    const adds = shown.map((pair, i) => {
      const query = hand(position, i),
        key = hand(position + k, i);
      const x = left + step * (i + 0.5),
        y = LABEL + r,
        add = query[0] * key[0] + query[1] * key[1];
      p.text(`pair ${pair}`, x, 7, { size: p.w < 420 ? 10 : 11.5, align: "center", color: p.color.soft });
      dial(p, x, y, r, query, key);
      p.text(signed(add, 2), x, y + r + 11, { size: 12, align: "center", weight: 600 });
      return add;
    });
    const score = scores.at(width, place) / 10000,
      there = position + k;
    const all = shown.length * 2 === d_model || p.w < 400 ? "" : `, all ${d_model / 2} pairs together`;
    p.text(`PE(${position}) · PE(${signed(there, 0)}) = ${signed(score, 4)}${all}`, p.w / 2, LABEL + 2 * r + 38, {
      align: "center",
      weight: 600,
      size: 13.5,
    });
    curve(p, { x: 40, y: LABEL + 2 * r + 74, w: p.w - 56, h: 120 }, width, k, score, d_model);
    const alt = `position ${position}, offset ${k}, d_model ${d_model}: the codes of ${position} and ${there} have the dot product ${signed(score, 3)}`;
    return { alt, numbers: { score, adds } };
  },
});

function curve(p, box, width, k, score, d_model) {
  const row = p.data.scores.row(width),
    ks = p.data.offsets.values,
    top = d_model / 2;
  const low = Math.min(0, Math.floor(Math.min(...row) / 10000));
  const scale = p.axes(box, {
    x: [ks[0], ks.at(-1)],
    y: [low, top],
    xticks: [0, 0.25, 0.5, 0.75, 1].map((part) => ks[Math.round(part * (ks.length - 1))]),
    yticks: [...new Set([low, 0, top])],
    xlabel: "offset k (tokens)",
    title: "K(k)",
  });
  p.stroke(
    [
      [box.x, scale.y(0)],
      [box.x + box.w, scale.y(0)],
    ],
    p.color.line,
  );
  p.stroke(
    Array.from(row, (value, i) => [scale.x(ks[i]), scale.y(value / 10000)]),
    p.color.grey,
    1.5,
  );
  p.stroke(
    [
      [scale.x(k), box.y + box.h],
      [scale.x(k), scale.y(score)],
    ],
    p.color.cos,
    1,
    [3, 3],
  );
  p.dot(scale.x(k), scale.y(score), p.color.cos, 5);
}
