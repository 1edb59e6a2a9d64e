// Left, how far every hand has turned at the context's end, in training and now; right, its step relative to training.
export default view({
  height: (w) => (w >= 560 ? 300 : 540),
  draw(p) {
    const m = p.values("method").indexOf(p.get("method")),
      f = p.values("factor").indexOf(p.get("factor")),
      wide = p.w >= 560,
      { color } = p;
    const seen = p.data.seen.row(),
      reach = p.data.reach.row(m, f),
      step = p.data.step.row(m, f),
      outside = p.data.outside.row(m, f);
    const n = seen.length,
      all = p.data.reach.values,
      low = Math.floor(Math.min(...seen, ...all)),
      high = Math.ceil(Math.max(...all));
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => [low + i, say(10 ** (low + i), 6)]);
    const hands = [0, Math.round(n / 2), n - 1];
    const left = { x: 62, y: 30, w: (wide ? p.w * 0.58 : p.w) - 76, h: 208 };
    const a = p.axes(left, {
      x: [-0.5, n - 0.5],
      y: [low, high],
      xticks: hands,
      yticks: ticks,
      xlabel: "hand (fast to slow)",
      title: "turns at the end of the context",
    });
    p.stroke(
      [
        [left.x, a.y(0)],
        [left.x + left.w, a.y(0)],
      ],
      color.line,
      1,
      [4, 4],
    );
    p.text("one full turn", left.x + 6, a.y(0) - 8, { color: color.soft, size: 11 });
    p.stroke(
      Array.from(seen, (v, i) => [a.x(i), a.y(v)]),
      color.sin,
      2,
    );
    p.text("training", a.x(n / 3) - 6, a.y(seen[Math.floor(n / 3)]) + 12, {
      color: color.sin,
      size: 11,
      align: "right",
    });
    reach.forEach((v, i) => p.dot(a.x(i), a.y(v), outside[i] ? color.cos : color.soft, 3.2));
    const right = wide
      ? { x: p.w * 0.58 + 46, y: 30, w: p.w * 0.42 - 56, h: 208 }
      : { x: 62, y: 316, w: p.w - 76, h: 170 };
    const b = p.axes(right, {
      x: [-0.5, n - 0.5],
      y: [0, 1.08],
      xticks: hands,
      yticks: [0, 0.5, 1],
      xlabel: "hand (fast to slow)",
      title: "step / step in training",
    });
    p.stroke(
      Array.from(step, (v, i) => [b.x(i), b.y(v)]),
      color.green,
      1.5,
    );
    step.forEach((v, i) => p.dot(b.x(i), b.y(v), color.green, 3));
    const gone = outside.reduce((sum, v) => sum + v, 0),
      percent = (v) => (100 * v).toFixed(1);
    return {
      alt:
        `method ${p.get("method")}, context ${p.get("factor")} times the trained length: ${gone} of ${n} hands leave the range that training saw; ` +
        `the fastest hand's step is ${percent(step[0])}% of the trained one, the slowest's ${percent(step[n - 1])}%`,
      numbers: { reach: Array.from(reach), step: Array.from(step) },
    };
  },
});
