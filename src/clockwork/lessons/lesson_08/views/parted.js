// A text of 32 tokens whose second half is dragged away; two dials of the angles across the gap; the right answers.
import { within } from "../../../kit/widgets/static/grab.js";
import { TURN, handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const HALF = 16;
const LAST = 128 + HALF;
const USUAL = [1, 0.1];
const ASKED_AT = 80;

function stateOf(p) {
  const start = p.get("start");
  const slower = p.get("hand1");
  const away = Array.from({ length: 2 * HALF - 1 }, (_, i) => start - HALF + 1 + i);
  const hands = USUAL.map((usual, i) => {
    const speed = i ? usual / slower : usual;
    const met = (2 * HALF - 1) * usual;
    const angles = away.map((distance) => (distance * speed) % TURN);
    return { met, angles, fresh: angles.filter((angle) => angle > met + 1e-9).length };
  });
  const row = p.values("hand1").indexOf(slower);
  return { start, slower, hands, row, share: p.data.shares.at(row, p.values("start").indexOf(start)) };
}

function drawText(p, { start }, w) {
  const { color } = p;
  const [left, y] = [14, 34];
  const step = (w - 2 * left) / LAST;
  const side = Math.max(2, step - 1.2);
  const x = (place) => left + place * step;
  p.text("the text: 16 tokens, and 16 more", left, 12, { size: 12, color: color.soft });
  p.line(left, y + 13, x(LAST), y + 13, color.line);
  for (const place of [0, 32, 64, 96, 128])
    p.text(String(place), x(place), y + 26, { size: 11, color: color.soft, align: "center" });
  const at = p.ease("start", start);
  for (const [first, tone] of [
    [0, color.there],
    [at, color.here],
  ])
    for (let i = 0; i < HALF; i += 1) {
      p.ctx.fillStyle = tone;
      p.ctx.fillRect(x(first + i), y - 8, side, 16);
    }
  const end = x(at + HALF);
  p.grab("second half", {
    hit: (a, b) => (within({ x: x(at), y: y - 10, w: end - x(at), h: 20 }, a, b, 8) ? 0 : Infinity),
    move(a, b, begun) {
      begun.off ??= (a - left) / step - start;
      p.set("start", nearest(p.values("start"), (a - left) / step - begun.off));
    },
    at: [end, y],
    way: "→",
    says: "drag: move the second half on",
  });
}

function drawDial(p, hand, i, x0, y0, R) {
  const { color } = p;
  const whole = Math.min(hand.met, TURN);
  const top = -Math.PI / 2;
  p.ctx.fillStyle = color.line;
  p.ctx.beginPath();
  p.ctx.moveTo(x0, y0);
  p.ctx.arc(x0, y0, R, top, top + whole);
  p.ctx.closePath();
  p.ctx.fill();
  p.circle(x0, y0, R, color.soft, 1);
  for (const angle of hand.angles) {
    const tone = angle > hand.met + 1e-9 ? color.cos : handColor(p, i, 4);
    p.dot(x0 + (R + 6) * Math.sin(angle), y0 - (R + 6) * Math.cos(angle), tone, 3.2);
  }
  p.text(`hand ${i}`, x0, y0, { weight: 600, size: 12, align: "center", halo: true });
}

export default view({
  wide: WIDE,
  cycle: [
    ["start", 32],
    ["start", 16],
  ],
  height: (w) => (w >= WIDE ? 272 : 380),
  draw(p) {
    const s = stateOf(p);
    const { color } = p;
    const wide = p.w >= WIDE;
    const R = wide ? 52 : 40;
    drawText(p, s, p.w);
    const y0 = 84 + R;
    const room = wide ? 0.23 * p.w : p.w / 2;
    s.hands.forEach((hand, i) => drawDial(p, hand, i, room * (i + 0.5), y0, R));
    p.text(`${s.hands[1].fresh} of 31 distances take`, wide ? room : p.w / 2, y0 + R + 24, {
      size: 12,
      align: "center",
      color: color.soft,
    });
    p.text("hand 1 to new angles", wide ? room : p.w / 2, y0 + R + 40, {
      size: 12,
      align: "center",
      color: color.soft,
    });
    const box = wide
      ? { x: 0.52 * p.w, y: 92, w: 0.48 * p.w - 16, h: 120 }
      : { x: 40, y: y0 + R + 70, w: p.w - 56, h: 96 };
    const { x, y } = p.axes(box, {
      x: [16, 128],
      xticks: [16, 48, 80, 112],
      y: [0, 1],
      yticks: [0, 0.5, 1],
      xlabel: "second half begins at",
      ylabel: "right in the second half",
    });
    const starts = p.values("start");
    const covered = p.veiled();
    const at = x(p.ease("start", s.start));
    if (covered) p.veil(box.x + 1, box.y, box.w, box.h - 1);
    else {
      const points = (row) => starts.map((start, i) => [x(start), y(p.data.shares.at(row, i))]);
      for (const row of p.values("hand1").keys()) p.stroke(points(row), color.faint, 1.2);
      p.stroke(points(s.row), color.green, 2.6);
      const height = y(p.ease("share", s.share));
      p.dot(at, height, color.paper, 8);
      p.dot(at, height, color.green, 6);
      p.text(fixed(s.share), box.x + box.w, box.y - 12, { size: 15, weight: 600, align: "right" });
    }
    p.line(at, box.y, at, box.y + box.h, color.ink, 1.2);
    p.guess((value) => [x(ASKED_AT), y(value)]);
    p.grab("curve", {
      wide: true,
      hit: (a, b) => (within(box, a, b, 8) ? 1 : Infinity),
      move: (a) => p.set("start", nearest(starts, 16 + (112 * (a - box.x)) / box.w)),
      says: (a) => `second half from ${nearest(starts, 16 + (112 * (a - box.x)) / box.w)}`,
    });
    const right = covered ? "" : `: ${fixed(s.share)} right`;
    p.slowed ||= s.slower === 4;
    return {
      alt:
        `second half from ${s.start}, hand 1 slower by ${s.slower}: across the gap ${s.hands[1].fresh} of 31 ` +
        `distances take hand 1 to new angles${right}`,
      numbers: { fresh: s.hands.map(({ fresh }) => fresh), ...(covered ? {} : { share: [s.share] }) },
      reading: ["Second half from ", scrub("start"), ", hand 1 slower by ", scrub("hand1"), `${right}`],
      seen: !covered && s.start >= ASKED_AT,
    };
  },
});
