// The directions' shares of the variance; the chosen direction along the positions; and the waves that it is made of.
const WIDE = 600;
const TOP = 30;
const SHARES = 64; // the height of the bars of all directions

const counted = (cycles) => `${cycles} ${cycles === 1 ? "cycle" : "cycles"}`;

function stateOf(p) {
  const table = p.get("table");
  const t = p.values("table").indexOf(table);
  const direction = p.get("direction");
  const cycles = p.get("cycles");
  const { curves, spectra, shares, cosines, sines } = p.data;
  const curve = Array.from(curves.row(t, direction));
  const spectrum = Array.from(spectra.row(t, direction));
  const n = curve.length;
  const [a, b] = [cosines.at(t, direction, cycles), sines.at(t, direction, cycles)];
  const wave = curve.map((_, i) => {
    const angle = (2 * Math.PI * cycles * i) / n;
    return a * Math.cos(angle) + b * Math.sin(angle);
  });
  return { table, t, direction, cycles, curve, spectrum, wave, n, shares: Array.from(shares.row(t)) };
}

function drawShares(p, box, s) {
  const { color, ctx } = p;
  const most = Math.max(...s.shares);
  const step = box.w / s.shares.length;
  const lit = p.lit("direction") ?? s.direction;
  p.text("share of the variance, direction by direction", box.x, box.y - 16, { weight: 600, size: 13 });
  const side = { align: "right", weight: 600 };
  p.text(`direction ${lit}: ${fixed(100 * s.shares[lit], 1)}%`, box.x + box.w, box.y - (p.w < 480 ? 0 : 16), side);
  s.shares.forEach((share, i) => {
    ctx.fillStyle = color.green;
    ctx.globalAlpha = i === lit ? 1 : 0.45;
    const tall = Math.max(1, (box.h * share) / most);
    ctx.fillRect(box.x + (i + 0.1) * step, box.y + box.h - tall, step * 0.8, tall);
  });
  ctx.globalAlpha = 1;
  p.line(box.x, box.y + box.h, box.x + box.w, box.y + box.h, color.soft);
  for (const i of new Set([0, s.direction, s.shares.length - 1]))
    p.text(String(i), box.x + (i + 0.5) * step, box.y + box.h + 11, {
      align: "center",
      size: 11,
      weight: i === s.direction ? 600 : 400,
      color: i === s.direction ? color.ink : color.soft,
    });
  const at = (x) => Math.max(0, Math.min(s.shares.length - 1, Math.floor((x - box.x) / step)));
  p.grab("shares", {
    wide: true,
    hit: (x, y) => (within(box, x, y, 14) ? 2 : Infinity),
    move: (x) => p.set("direction", at(x)),
    says: (x) => `direction ${at(x)}: ${fixed(100 * s.shares[at(x)], 1)}% of the variance`,
    lights: (x) => ({ direction: at(x) }),
  });
}

function drawCurve(p, box, s) {
  const { color } = p;
  const reach = Math.max(...s.curve.map(Math.abs)) * 1.05;
  const { x, y } = p.axes(box, {
    x: [0, s.n - 1],
    y: [-reach, reach],
    yticks: [[0, "0"]],
    xlabel: "position (tokens)",
    xticks: [0, Math.round(s.n / 2), s.n - 1],
  });
  p.text(`direction ${s.direction} along the positions`, box.x - 18, box.y - 34, { weight: 600, size: 13 });
  p.keys(box.x - 18, box.y - 15, box.w, [
    [color.sin, "the table's rows"],
    [color.cos, `the wave of ${counted(s.cycles)}`],
  ]);
  p.line(box.x, y(0), box.x + box.w, y(0), color.line);
  const points = (values) => values.map((v, i) => [x(i), y(v)]);
  p.stroke(points(s.curve), color.sin, 1.4);
  p.stroke(points(s.wave), color.cos, 2.25);
  const at = (a) => Math.max(0, Math.min(s.n - 1, Math.round(((a - box.x) / box.w) * (s.n - 1))));
  p.grab("curve", {
    hit: (a, b) => (within(box, a, b) ? 2 : Infinity),
    says: (a) => `position ${at(a)}: ${say(s.curve[at(a)])}, the wave ${say(s.wave[at(a)])}`,
  });
}

function drawSpectrum(p, box, s) {
  const { color } = p;
  const peak = Math.max(...s.spectrum);
  const last = s.spectrum.length - 1;
  const { x, y } = p.axes(box, {
    x: [0, last],
    y: [0, peak * 1.1],
    yticks: [0, [peak, `${Math.round(100 * peak)}%`]],
    xlabel: "cycles over the table",
    xticks: [0, last / 2, last],
  });
  p.text("the waves it is made of", box.x - 18, box.y - 34, { weight: 600, size: 13 });
  p.text("share of the power", box.x - 18, box.y - 15, { color: color.soft });
  s.spectrum.forEach((v, i) => p.line(x(i), y(0), x(i), y(v), color.grey, 1.6));
  const share = s.spectrum[s.cycles];
  p.line(x(s.cycles), box.y, x(s.cycles), y(0), color.line, 1.5, [3, 4]);
  p.line(x(s.cycles), y(0), x(s.cycles), y(share), color.cos, 3);
  p.dot(x(s.cycles), y(share), color.paper, 8);
  p.dot(x(s.cycles), y(share), color.cos, 5.5);
  const at = (a) => Math.max(0, Math.min(last, Math.round(((a - box.x) / box.w) * last)));
  p.grab("spectrum", {
    wide: true,
    hit: (a, b) => (within(box, a, b, 8) ? 2 : Infinity),
    move: (a) => p.set("cycles", at(a)),
    says: (a) => `${counted(at(a))}: ${fixed(100 * s.spectrum[at(a)], 1)}% of the power`,
  });
}

export default view({
  height: (w) => TOP + SHARES + (w >= WIDE ? 300 : 580),
  build(p) {
    p.button("Strongest wave", () => {
      const { spectrum } = stateOf(p);
      p.set("cycles", spectrum.indexOf(Math.max(...spectrum)));
      p.settle();
    });
  },
  draw(p) {
    const s = stateOf(p);
    const wide = p.w >= WIDE;
    const top = TOP + SHARES + 82;
    drawShares(p, { x: 26, y: TOP, w: p.w - 40, h: SHARES }, s);
    drawCurve(p, { x: 44, y: top, w: (wide ? p.w * 0.56 : p.w) - 58, h: 180 }, s);
    const right = { x: p.w * 0.56 + 46, y: top, w: p.w * 0.44 - 56, h: 180 };
    drawSpectrum(p, wide ? right : { x: 52, y: top + 296, w: p.w - 66, h: 160 }, s);
    const { table, direction, cycles, spectrum, n } = s;
    const strongest = spectrum.indexOf(Math.max(...spectrum));
    const percent = (v) => `${fixed(100 * v, 1)}%`;
    const turn = cycles ? `${n} / ${cycles} = ${fixed(n / cycles, 1)} tokens a cycle` : "no cycle: a constant";
    return {
      alt:
        `table ${table}, direction ${direction}: ${percent(s.shares[direction])} of the variance; its strongest wave ` +
        `makes ${strongest} cycles over the table; the wave of ${cycles} has ${percent(spectrum[cycles])} of the power`,
      numbers: { curve: s.curve, spectrum, wave: s.wave },
      reading: [
        "Direction ",
        scrub("direction"),
        ` holds ${percent(s.shares[direction])} of the variance; its wave of `,
        scrub("cycles"),
        ` ${cycles === 1 ? "cycle" : "cycles"} makes ${percent(spectrum[cycles])} of it:\n${turn}`,
      ],
    };
  },
});
