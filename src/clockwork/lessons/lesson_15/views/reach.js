// How far each hand turns over the range of what goes in: drag the row's left end for the range, its right for the base.
import { TURN, amount, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { withCommas } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const HARDLY = 0.1; // rad
const CLOSE = 1e-9;
const LOW = -6; // decimal logarithms of the angles that fit into the picture
const HIGH = 6.3;
const STATES = ["hardly move", "tell", "wrap"];
const DIALS = 8;

function stateOf(p) {
  const base = p.get("base");
  const width = p.get("d_model");
  const span = p.get("span");
  const turned = Array.from({ length: width / 2 }, (_, i) => span * speedOf(i, width, base));
  const states = turned.map((angle) => Number(angle > HARDLY * (1 - CLOSE)) + Number(angle > TURN * (1 + CLOSE)));
  const counts = STATES.map((_, state) => states.filter((other) => other === state).length);
  return { base, width, span, turned, states, counts, tones: [p.color.soft, p.color.green, p.color.pink] };
}

const onLadder = (values, power) =>
  values.reduce((best, value) =>
    Math.abs(Math.log10(value) - power) < Math.abs(Math.log10(best) - power) ? value : best,
  );

function drawRow(p, s, box) {
  const { color, ctx } = p;
  const count = s.turned.length;
  const { x, y } = p.axes(box, {
    x: [-0.5, count - 0.5],
    y: [LOW, HIGH],
    xticks: [0, count / 2, count - 1],
    yticks: [
      [-5, "0.00001"],
      [-3, "0.001"],
      [-1, "0.1"],
      [1, "10"],
      [3, "1,000"],
      [5, "100,000"],
    ],
    xlabel: "hand",
    ylabel: "turns by (rad)",
  });
  const hardly = y(Math.log10(HARDLY));
  const whole = y(Math.log10(TURN));
  ctx.globalAlpha = 0.12;
  ctx.fillStyle = color.green;
  ctx.fillRect(box.x, whole, box.w, hardly - whole);
  ctx.globalAlpha = 1;
  for (const [height, words] of [
    [hardly, "0.1 rad"],
    [whole, "1 turn"],
  ]) {
    p.line(box.x, height, box.x + box.w, height, color.faint, 1);
    p.text(words, box.x + box.w + 13, height, { size: 11, color: color.soft });
  }
  p.keys(
    box.x,
    12,
    box.w,
    s.counts.map((count, state) => [s.tones[state], `${count} ${STATES[state]}`]),
  );
  const heights = s.turned.map((angle, i) => y(p.ease(`dot ${s.width} ${i}`, Math.log10(angle))));
  const radius = Math.max(2, Math.min(5, box.w / count / 2));
  heights.forEach((height, i) => p.dot(x(i), height, s.tones[s.states[i]], radius));
  const heightAt = (b) => LOW + ((box.y + box.h - b) / box.h) * (HIGH - LOW);
  const last = count - 1;
  const ends = [
    { name: "span", at: 0, value: (b) => heightAt(b) },
    { name: "base", at: last, value: (b) => ((Math.log10(s.span) - heightAt(b)) * s.width) / (2 * last) },
  ];
  for (const { name, at, value } of ends) {
    p.circle(x(at), heights[at], 9, color.ink, 2);
    p.grab(name, {
      hit: (a, b) => Math.max(0, Math.hypot(a - x(at), b - heights[at]) - 9),
      move: (a, b) => p.set(name, onLadder(p.values(name), value(b))),
      says: `${name} ${withCommas(s[name])}: hand ${at} turns by ${amount(s.turned[at])} rad`,
    });
  }
}

function drawDials(p, s, top) {
  const { color, ctx } = p;
  const step = (p.w - 12) / DIALS;
  const radius = Math.min(34, step / 2 - 4);
  for (let place = 0; place < DIALS; place += 1) {
    const i = Math.round((place * (s.turned.length - 1)) / (DIALS - 1));
    const x0 = 6 + step * (place + 0.5);
    const y0 = top + radius;
    const angle = s.turned[i];
    ctx.globalAlpha = 0.3;
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.arc(x0, y0, radius, -Math.PI / 2, -Math.PI / 2 + Math.min(angle, TURN));
    ctx.closePath();
    ctx.fillStyle = s.tones[s.states[i]];
    ctx.fill();
    ctx.globalAlpha = 1;
    p.circle(x0, y0, radius, color.soft, 1);
    p.line(x0, y0, x0 + radius * Math.sin(angle), y0 - radius * Math.cos(angle), s.tones[s.states[i]], 3);
    p.dot(x0, y0, color.ink, 2.5);
    p.text(step < 60 ? String(i) : `hand ${i}`, x0, y0 + radius + 13, { size: 11, color: color.soft, align: "center" });
  }
}

export default view({
  height: () => 386,
  draw(p) {
    const s = stateOf(p);
    drawRow(p, s, { x: 60, y: 60, w: p.w - 118, h: 180 });
    drawDials(p, s, 290);
    const [hardly, tell, wrap] = s.counts;
    return {
      alt:
        `range ${s.span}, base ${s.base}, d_model ${s.width}: of ${s.width / 2} hands ` +
        `${hardly} hardly move, ${tell} tell, ${wrap} wrap`,
      numbers: { counts: s.counts, turned: s.turned.map(Math.log10) },
      said: { hardly: String(hardly), tell: String(tell), wrap: String(wrap) },
      reading: [
        "range ",
        scrub("span"),
        ", base ",
        scrub("base"),
        `: ${hardly} hands hardly move, ${tell} tell, ${wrap} wrap`,
      ],
    };
  },
});
