// Crosses where a test sees a fault; beside it what the chosen encoding adds to the tokens.
function crosses(p, box, chosen) {
  const { ctx, color, data } = p,
    faults = p.get("faults"),
    tests = p.get("tests");
  const left = 150,
    top = 74,
    dx = (box.w - left - (box.w < 400 ? 24 : 0)) / tests.length,
    dy = (box.h - top) / faults.length;
  const x = (j) => box.x + left + (j + 0.5) * dx,
    y = (i) => box.y + top + (i + 0.5) * dy;
  ctx.globalAlpha = 0.6;
  ctx.fillStyle = color.line;
  ctx.fillRect(box.x, y(chosen) - dy / 2, box.w, dy);
  ctx.globalAlpha = 1;
  tests.forEach((test, j) => {
    ctx.save();
    ctx.translate(x(j), box.y + top - 6);
    ctx.rotate(-0.9);
    p.text(test.replace("_", " "), 0, 0, {
      size: 11,
      color: data.seen.at(chosen, j) ? color.ink : color.soft,
      weight: data.seen.at(chosen, j) ? 700 : 400,
    });
    ctx.restore();
  });
  faults.forEach((fault, i) => {
    p.text(fault, box.x + left - 8, y(i), {
      size: 11,
      align: "right",
      weight: i === chosen ? 700 : 400,
      color: i === chosen ? color.ink : color.soft,
    });
    tests.forEach((_, j) => {
      if (!data.seen.at(i, j)) return p.dot(x(j), y(i), color.line, 1.2);
      const r = 4;
      p.stroke(
        [
          [x(j) - r, y(i) - r],
          [x(j) + r, y(i) + r],
        ],
        color.cos,
        2.4,
      );
      p.stroke(
        [
          [x(j) - r, y(i) + r],
          [x(j) + r, y(i) - r],
        ],
        color.cos,
        2.4,
      );
    });
  });
}

export default view({
  height: (w) => (w >= 560 ? 390 : 620),
  draw(p) {
    const faults = p.get("faults"),
      tests = p.get("tests"),
      chosen = faults.indexOf(p.get("fault")),
      wide = p.w >= 560;
    const [rows, cols] = p.data.codes.shape.slice(1),
      codes = p.data.codes.row(chosen),
      seen = p.data.seen.row(chosen);
    crosses(p, { x: 0, y: 0, w: wide ? p.w * 0.6 : p.w, h: wide ? 350 : 360 }, chosen);
    const box = wide ? { x: p.w * 0.6 + 46, y: 74, w: p.w * 0.4 - 56, h: 240 } : { x: 46, y: 400, w: p.w - 56, h: 170 };
    p.heat("codes", box, rows, cols, (i, j) => codes[i * cols + j], { version: chosen });
    p.text("token", box.x - 8, box.y + 8, { size: 11, align: "right", color: p.color.soft });
    p.text("coordinate", box.x + box.w, box.y + box.h + 12, { size: 11, align: "right", color: p.color.soft });
    p.text(codes.some(Boolean) ? "what it adds to the tokens" : "it adds nothing", box.x, box.y - 14, {
      weight: 600,
      size: 12.5,
    });
    p.says.textContent = p.get("about")[chosen][1];
    const names = tests.filter((_, j) => seen[j]).join(", ") || "no test";
    return {
      alt: `fault ${faults[chosen]}: seen by ${names}. ${p.get("about")[chosen][0]}`,
      numbers: { seen: Array.from(seen), codes: Array.from(codes) },
    };
  },
  build(p) {
    p.says = element("p", { class: "pe-says" });
    p.root.append(p.says);
    p.redraw();
  },
});
