// One query's attention weights over the codes of 64 tokens, for a head that looks k tokens back with loudness s.
function weightsOf(h, k, s, tokens) {
  const scores = Array.from({ length: tokens }, (_, q) => {
    const offset = q - h.position + k;
    return (s / Math.sqrt(h.width)) * h.speeds.reduce((sum, speed) => sum + Math.cos(offset * speed), 0);
  });
  const most = Math.max(...scores);
  const grown = scores.map((score) => Math.exp(score - most));
  const total = grown.reduce((a, b) => a + b);
  return grown.map((part) => part / total);
}

export default view({
  height: () => 290,
  draw(p) {
    const { ctx, color } = p;
    const h = handsOf(p);
    const [k, s] = [p.get("k"), p.get("s")];
    const tokens = p.get("tokens");
    const there = h.position - k;
    const inside = there >= 0 && there < tokens;
    const weights = weightsOf(h, k, s, tokens);
    const target = inside ? weights[there] : 0;
    const box = { x: 44, y: 40, w: p.w - 60, h: 196 };
    const { x, y } = p.axes(box, {
      x: [-0.7, tokens - 0.3],
      y: [0, 1],
      xticks: [0, 0.25, 0.5, 0.75].map((part) => part * tokens).concat(tokens - 1),
      yticks: [0, 0.5, 1],
      xlabel: "key q (position)",
      ylabel: "weight",
    });
    const wide = (box.w / (tokens + 0.4)) * 0.8;
    weights.forEach((weight, q) => {
      ctx.fillStyle = q === there ? color.cos : color.grey;
      ctx.fillRect(x(q) - wide / 2, y(weight), wide, y(0) - y(weight));
    });
    p.line(box.x, y(1 / tokens), box.x + box.w, y(1 / tokens), color.soft, 1, [4, 4]);
    p.text("all equal", box.x + box.w, y(1 / tokens) - 9, { size: 11, color: color.soft, align: "right" });
    p.line(x(h.position), box.y, x(h.position), y(0), color.sin, 2);
    p.dot(x(h.position), box.y, color.sin, 7);
    const right = h.position < tokens * 0.8;
    p.text("query", x(h.position) + (right ? 12 : -12), box.y, {
      color: color.sin,
      weight: 600,
      align: right ? "left" : "right",
    });
    if (inside)
      p.text(fixed(target, 3), x(there) + (k > 0 ? 6 : -6), Math.max(box.y + 12, y(target) - 12), {
        color: color.cos,
        weight: 600,
        align: k > 0 ? "right" : "left",
        size: 14,
        halo: true,
      });
    p.grab("query", {
      wide: true,
      hit: (a, b) => (within(box, a, b, 12) ? 2 : Infinity),
      move: (a) => p.set("position", nearest(p.values("position"), ((a - box.x) / box.w) * (tokens + 0.4) - 0.7)),
      says: `position ${h.position}`,
    });
    const where = `position ${h.position}, k ${say(k)}, d_model ${h.width}, s ${s}`;
    const said = inside
      ? `${fixed(target, 3)} of the weight goes to position ${there}`
      : `no token stands ${say(k)} back`;
    return {
      alt: `${where}: ${said}`,
      numbers: { weights, target: [target] },
      said: { weight: fixed(target, 3) },
      reading: [
        "From position ",
        scrub("position"),
        ", ",
        scrub("k"),
        " back, at s = ",
        scrub("s"),
        `:\nsoftmax(${s} · PE(${h.position})ᵀ M`,
        lowered(say(k)),
        ` PE(q) / √${h.width}) = ${fixed(target, 3)}` +
          (inside ? ` at q = ${there}` : ", as no such token stands there"),
      ],
    };
  },
});
