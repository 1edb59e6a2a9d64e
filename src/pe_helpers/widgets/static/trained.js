// Every model's accuracy is a line, the chosen one is lit; beside it the attention map of its sharpest head.
export default view({
  height: (w) => (w >= 520 ? 300 : 270 + w),
  draw(p) {
    const { data, color, model } = p,
      names = model.get("names"),
      lengths = model.get("lengths"),
      seeds = model.get("seeds");
    const e = names.indexOf(p.get("encoding")),
      s = seeds.indexOf(p.get("seed")),
      l = lengths.indexOf(p.get("length"));
    const wide = p.w >= 520,
      side = wide ? p.h - 62 : Math.min(p.w - 50, 320);
    const box = { x: 40, y: 26, w: wide ? p.w - side - 110 : p.w - 60, h: wide ? p.h - 76 : 190 };
    const ends = [lengths[0], lengths[lengths.length - 1]];
    const scale = p.axes(box, {
      x: ends[0] === ends[1] ? [ends[0] - 1, ends[1] + 1] : ends,
      xticks: ends,
      y: [0, 1],
      yticks: [0, 0.5, 1],
      xlabel: "test length (tokens)",
      ylabel: "accuracy",
    });
    p.stroke(
      [
        [box.x, scale.y(model.get("chance"))],
        [box.x + box.w, scale.y(model.get("chance"))],
      ],
      color.soft,
      1,
      [2, 4],
    );
    const line = (i, j, ink, width) =>
      p.stroke(
        lengths.map((n, k) => [scale.x(n), scale.y(data.accuracy.at(i, j, k))]),
        ink,
        width,
      );
    names.forEach((_, i) => {
      if (i !== e) seeds.forEach((__, j) => line(i, j, color.line, 1));
    });
    seeds.forEach((_, j) => {
      if (j !== s) line(e, j, color.sin, 1);
    });
    line(e, s, color.sin, 3);
    const accuracy = data.accuracy.at(e, s, l),
      percent = data.percent.at(e, s, l);
    p.dot(scale.x(lengths[l]), scale.y(accuracy), color.pink, 6);
    p.text(`${percent}% right`, box.x + box.w, box.y - 12, { align: "right", weight: 600 });

    const window = data.maps.row(e, s, l),
      n = data.maps.shape[3];
    const map = wide ? { x: p.w - side - 8, y: 26, w: side, h: side } : { x: 40, y: 270, w: side, h: side };
    p.heat("map", map, n, n, (i, j) => window[i * n + j], { map: "magnitude", version: `${e} ${s} ${l}` });
    p.text(`layer ${data.heads.at(e, s, 0)}, head ${data.heads.at(e, s, 1)}`, map.x, map.y - 12, { weight: 600 });
    p.text(`key: the last ${n} tokens`, map.x + side / 2, map.y + side + 12, {
      align: "center",
      size: 11,
      color: color.soft,
    });
    const alt = `${p.get("encoding")}, seed ${p.get("seed")}, ${p.get("length")} tokens: ${percent}% right`;
    return { alt, numbers: { accuracy: [...data.accuracy.row(e, s)], map: [...window] } };
  },
});
