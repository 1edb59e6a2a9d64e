// Measurements folded on the dial of one hand, what a network learned from it, and two days after the record.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const FOLDED = 2 * Math.PI;
const SHOWN = 48; // hours
const SIDE_BY_SIDE = 560; // CSS pixels
const outward = (value) => Math.max(0, Math.min(1, 0.3 + 0.5 * value)); // of the dial's radius

function drawDial(p, period, at, R, [x0, y0]) {
  const { color, ctx } = p;
  const times = p.data.times;
  p.circle(x0, y0, R, color.line, 1.5);
  for (const [quarter, label] of ["0", "¼", "½", "¾"].entries()) {
    const turn = (quarter * FOLDED) / 4;
    p.text(label, x0 + (R + 11) * Math.sin(turn), y0 - (R + 11) * Math.cos(turn), {
      size: 11,
      color: color.soft,
      align: "center",
    });
  }
  const place = (hours, value) => {
    const angle = (FOLDED * hours) / period;
    const radius = R * outward(value);
    return [x0 + radius * Math.sin(angle), y0 - radius * Math.cos(angle)];
  };
  ctx.globalAlpha = 0.45;
  for (let i = 0; i < times.row().length; i += 1) {
    const [x, y] = place(times.at(i), p.data.values.at(i));
    p.dot(x, y, color.sin, 2);
  }
  ctx.globalAlpha = 1;
  const said = Array.from(p.data.drawn.row(at, 0)); // of two recorded days, which begin 21 days after the first hour
  p.stroke(
    said.map((value, i) => place(21 * 24 + (i * SHOWN) / (said.length - 1), value)),
    color.cos,
    2.5,
  );
  const periods = p.values("period");
  p.grab("dial", {
    wide: true,
    hit: (a, b) => (Math.hypot(a - x0, b - y0) < R + 6 ? 2 : Infinity),
    move: (a) => {
      const index = Math.floor(((a - x0 + R) / (2 * R)) * periods.length);
      p.set("period", periods[Math.max(0, Math.min(periods.length - 1, index))]);
    },
    says: `a hand of ${period} hours`,
  });
}

function drawDays(p, at, when, box) {
  const { color, ctx } = p;
  const { x, y } = p.axes(box, {
    x: [0, SHOWN],
    y: [-0.5, 1.5],
    xticks: [0, 12, 24, 36, 48],
    yticks: [0, 1],
    xlabel: when === 0 ? "hours, in the last recorded week" : "hours, in the second week after",
  });
  if (when === 0) {
    ctx.globalAlpha = 0.45;
    const values = Array.from(p.data.near.row(1));
    values.forEach((value, i) => p.dot(x(p.data.near.at(0, i)), y(value), color.sin, 2.5));
    ctx.globalAlpha = 1;
  }
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x, box.y - 4, box.w, box.h + 8);
  ctx.clip();
  for (const [row, tone] of [
    [p.data.truth.row(when), color.sin],
    [p.data.drawn.row(at, when), color.cos],
  ]) {
    const values = Array.from(row);
    p.stroke(
      values.map((value, i) => [x((i * SHOWN) / (values.length - 1)), y(value)]),
      tone,
      2.5,
    );
  }
  ctx.restore();
  p.keys(box.x + 8, box.y - 16, box.w, [
    [color.sin, "what happens"],
    [color.cos, "the network"],
  ]);
}

export default view({
  wide: SIDE_BY_SIDE,
  height: (w) => (w >= SIDE_BY_SIDE ? 290 : 530),
  draw(p) {
    const period = p.get("period");
    const hands = p.get("hands");
    const place = p.values("hands").indexOf(hands);
    const periods = p.values("period");
    const at = place === 0 ? periods.indexOf(period) : periods.length + place - 1;
    const wide = p.w >= SIDE_BY_SIDE;
    const R = wide ? Math.min(122, p.w / 4 - 20) : 118;
    const left = wide ? 2 * R + 84 : 34;
    const days = { y: 46, w: wide ? 2 * R + 10 : p.w - 46, h: wide ? 180 : 160 };
    if (place === 0) drawDial(p, period, at, R, [wide ? R + 24 : p.w / 2, R + 22]);
    else drawDays(p, at, 0, { ...days, x: 34 });
    drawDays(p, at, 1, { x: left, y: wide ? 46 : 312, w: p.w - left - 12, h: wide ? 180 : 160 });
    const errors = Array.from(p.data.errors.row(at));
    const [before, after] = errors.map((value) => fixed(value));
    const told = `: off by ${before} in the recorded weeks, by ${after} in those that follow`;
    return {
      alt: (place === 0 ? `one hand of ${period} h` : hands) + told,
      numbers: { later: Array.from(p.data.drawn.row(at, 1)), errors },
      said: { before, after },
      reading: place === 0 ? ["one hand of ", scrub("period"), ` hours${told}`] : [`${hands}${told}`],
    };
  },
});
