// Left, how far each hand has turned at the context's end, in training and now; right, its step relative to training.
const WIDE = 600;
const TURN = 2 * Math.PI;
const SEEN = 1e-3; // log10 of turns by which a hand must pass training to be outside

const three = (value) => String(Number(value.toPrecision(3)));

function stateOf(p) {
  const speeds = p.model.get("speeds"); // method, factor, hand
  const trained = p.model.get("trained_len");
  const method = p.values("method").indexOf(p.get("method"));
  const factor = p.get("factor");
  const now = speeds[method][p.values("factor").indexOf(factor)];
  const usual = speeds[0][0];
  const turns = (last, all) => all.map((speed) => Math.log10((last * speed) / TURN));
  const seen = turns(trained - 1, usual);
  const reachAt = (f) => turns(f * trained - 1, speeds[method][p.values("factor").indexOf(f)]);
  const reach = reachAt(factor);
  const step = now.map((speed, i) => speed / usual[i]);
  const outside = reach.map((value, i) => seen[i] < 0 && value > seen[i] + SEEN);
  return { trained, factor, now, usual, seen, reach, reachAt, step, outside, n: usual.length, hand: p.get("hand") };
}

function axis(n) {
  return { x: [-0.5, n - 0.5], xticks: [0, Math.round(n / 2), n - 1], xlabel: "hand (fast to slow)" };
}

// Both panels: hovering lights a hand, dragging chooses one.
function choosing(p, key, box, s, says) {
  const handAt = (x) => Math.max(0, Math.min(s.n - 1, Math.floor(((x - box.x) / box.w) * s.n)));
  p.grab(key, {
    wide: true,
    hit: (x, y) => (within(box, x, y, 6) ? 3 : Infinity),
    move: (x) => p.set("hand", handAt(x)),
    says: (x) => says(handAt(x)),
    lights: (x) => ({ hand: handAt(x) }),
  });
}

function band(p, box, s, i) {
  p.ctx.fillStyle = p.color.line;
  p.ctx.globalAlpha = 0.7;
  const wide = Math.max(box.w / s.n, 8);
  p.ctx.fillRect(box.x + ((i + 0.5) * box.w) / s.n - wide / 2, box.y, wide, box.h);
  p.ctx.globalAlpha = 1;
}

function drawTurns(p, box, s, lit) {
  const { color, ctx } = p;
  const least = Math.min(
    ...s.seen,
    ...p.model
      .get("speeds")
      .flat(2)
      .map((speed) => Math.log10((s.trained * speed) / TURN)),
  );
  const most = Math.log10((Math.max(...p.values("factor")) * s.trained) / TURN);
  const [low, high] = [Math.floor(least), Math.ceil(most)];
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => [low + i, say(10 ** (low + i), 6)]);
  band(p, box, s, lit);
  const a = p.axes(box, { ...axis(s.n), y: [low, high], yticks: ticks });
  p.text("turns at the end of the context", box.x - 30, box.y - 36, { weight: 600, size: 13 });
  const told = s.outside.some(Boolean) ? "at angles never trained" : "at angles never trained: none";
  p.keys(box.x - 30, box.y - 16, box.w + 30, [
    [color.sin, "training"],
    [color.grey, "now"],
    [color.cos, told],
  ]);
  // What a slow hand never reached in training.
  ctx.beginPath();
  const slow = s.seen.map((value, i) => [a.x(i), a.y(value)]).filter((_, i) => s.seen[i] < 0);
  [...slow, ...slow.map(([x]) => [x, a.y(0)]).reverse()].forEach(([x, y]) => ctx.lineTo(x, y));
  ctx.fillStyle = color.cos;
  ctx.globalAlpha = 0.13;
  ctx.fill();
  ctx.globalAlpha = 1;
  p.line(box.x, a.y(0), box.x + box.w, a.y(0), color.soft, 1, [4, 4]);
  p.text("one full turn", box.x + 6, a.y(0) + 10, { color: color.soft, size: 11 });
  s.reach.forEach((value, i) => p.line(a.x(i), a.y(s.seen[i]), a.x(i), a.y(value), color.line, 2));
  p.stroke(
    s.seen.map((value, i) => [a.x(i), a.y(value)]),
    color.sin,
    2.25,
  );
  s.reach.forEach((value, i) => p.dot(a.x(i), a.y(value), s.outside[i] ? color.cos : color.grey, 3.4));
  const tone = s.outside[lit] ? color.cos : color.grey;
  p.dot(a.x(lit), a.y(s.reach[lit]), color.paper, 9);
  p.dot(a.x(lit), a.y(s.reach[lit]), tone, 6.5);
  choosing(
    p,
    "turns",
    box,
    s,
    (i) => `hand ${i}: ${three(10 ** s.reach[i])} turns, ${three(10 ** s.seen[i])} in training`,
  );
  const off = (f, y) => Math.abs(a.y(s.reachAt(f)[s.hand]) - y);
  p.grab("end", {
    hit: (x, y) => Math.max(0, Math.hypot(x - a.x(s.hand), y - a.y(s.reach[s.hand])) - 6),
    move: (x, y) =>
      p.set(
        "factor",
        p.values("factor").reduce((best, f) => (off(f, y) < off(best, y) ? f : best)),
      ),
    says: `hand ${s.hand}: drag up for a longer context`,
    lights: { hand: s.hand },
  });
}

function drawSteps(p, box, s, lit) {
  band(p, box, s, lit);
  const b = p.axes(box, { ...axis(s.n), y: [0, 1.08], yticks: [0, 0.5, 1] });
  p.text("step between neighbours / in training", box.x - 20, box.y - 36, { weight: 600, size: 13 });
  p.keys(box.x - 20, box.y - 16, box.w + 20, [[p.color.green, "1: tokens as far apart as in training"]]);
  const points = s.step.map((v, i) => [b.x(i), b.y(v)]);
  p.stroke(points, p.color.green, 1.75);
  for (const [x, y] of points) p.dot(x, y, p.color.green, 3);
  p.dot(...points[lit], p.color.paper, 9);
  p.dot(...points[lit], p.color.green, 6.5);
  choosing(p, "steps", box, s, (i) => `hand ${i}: ${fixed(s.step[i])} of its step in training`);
}

export default view({
  height: (w) => (w >= WIDE ? 332 : 652),
  draw(p) {
    const s = stateOf(p);
    const wide = p.w >= WIDE;
    const lit = p.lit("hand") < s.n ? p.lit("hand") : s.hand;
    drawTurns(p, { x: 50, y: 52, w: (wide ? p.w * 0.55 : p.w) - 62, h: 240 }, s, lit);
    const right = { x: p.w * 0.55 + 46, y: 52, w: p.w * 0.45 - 58, h: 240 };
    drawSteps(p, wide ? right : { x: 50, y: 400, w: p.w - 62, h: 210 }, s, lit);
    const gone = s.outside.filter(Boolean).length;
    const percent = (v) => `${(100 * v).toFixed(1)}%`;
    const { hand, factor } = s;
    const [last, speed] = [factor * s.trained - 1, s.now[hand]];
    const verdict = s.outside[hand] ? "angles never trained" : "angles that training knows";
    return {
      alt:
        `method ${p.get("method")}, context ${factor} times the trained length: ${gone} of ${s.n} hands leave the range ` +
        `that training saw; the fastest hand's step is ${percent(s.step[0])} of the trained one, the slowest's ` +
        `${percent(s.step[s.n - 1])}; hand ${hand} turns ${three(10 ** s.reach[hand])} times, ` +
        `${three(10 ** s.seen[hand])} in training`,
      numbers: { reach: s.reach, step: s.step },
      reading: [
        "At ",
        scrub("factor"),
        ` × ${s.trained} tokens the last token turns `,
        term("hand", hand, "hand "),
        scrub("hand"),
        ` by\n${last} · ${three(speed)} rad / 2π = ${three(10 ** s.reach[hand])} turns ` +
          `(training: ${three(10 ** s.seen[hand])}): ${verdict}`,
      ],
    };
  },
});
