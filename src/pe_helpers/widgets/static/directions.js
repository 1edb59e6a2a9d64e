// Left, the chosen direction along the positions; right, the waves that it is made of.
export default view({
  height: (w) => (w >= 560 ? 270 : 500),
  draw(p) {
    const t = p.get("names").indexOf(p.get("table")),
      d = p.get("direction"),
      wide = p.w >= 560,
      { color } = p;
    const curve = p.data.curves.row(t, d),
      spectrum = p.data.spectra.row(t, d),
      n = curve.length;
    const reach = Math.max(...curve.map(Math.abs)) * 1.05,
      peak = Math.max(...spectrum),
      top = peak * 1.08;
    const left = { x: 56, y: 30, w: (wide ? p.w * 0.56 : p.w) - 70, h: 180 };
    const a = p.axes(left, {
      x: [0, n - 1],
      y: [-reach, reach],
      yticks: [[0, "0"]],
      xlabel: "position (tokens)",
      title: "along the positions",
      xticks: [0, Math.round(n / 2), n - 1],
    });
    p.stroke(
      [
        [left.x, a.y(0)],
        [left.x + left.w, a.y(0)],
      ],
      color.line,
    );
    p.stroke(
      Array.from(curve, (v, i) => [a.x(i), a.y(v)]),
      color.sin,
      1.3,
    );
    const right = wide
      ? { x: p.w * 0.56 + 44, y: 30, w: p.w * 0.44 - 54, h: 180 }
      : { x: 56, y: 276, w: p.w - 70, h: 170 };
    const last = spectrum.length - 1,
      b = p.axes(right, {
        x: [0, last],
        y: [0, top],
        yticks: [0, [peak, `${Math.round(100 * peak)}%`]],
        xlabel: "cycles over the table",
        title: "share of the power",
        xticks: [0, last / 2, last],
      });
    spectrum.forEach((v, i) =>
      p.stroke(
        [
          [b.x(i), b.y(0)],
          [b.x(i), b.y(v)],
        ],
        color.cos,
        1.6,
      ),
    );
    const strongest = spectrum.indexOf(peak),
      share = p.data.shares.at(t, d);
    return {
      alt: `table ${p.get("table")}, direction ${d}: ${(100 * share).toFixed(1)}% of the variance; its strongest wave makes ${strongest} cycles over the table`,
      numbers: { curve: Array.from(curve), spectrum: Array.from(spectrum) },
    };
  },
});
