// Training, frame by frame: the comb that a probe reads, how right the answers are, and the two parts that a block adds.
import { within } from "../../../kit/widgets/static/grab.js";
import { handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 620;
const COMB = 232;
const BELOW = 150;
const LONGEST = 34; // of what the block adds to a token
const HANDS = 9; // of sixteen, those whose speeds the picture reaches
const SLOWEST = 0.0094;

function comb(p, box, away, frame) {
  const { color } = p;
  const [low, high] = [Math.log(SLOWEST), Math.log(Math.PI)];
  const ticks = [0.01, 0.03, 0.1, 0.3, 1, 3].map((speed) => [Math.log(speed), String(speed)]);
  const { x, y } = p.axes(box, {
    x: [low, high],
    y: [-0.05, 1.05],
    xticks: ticks,
    yticks: [0, 0.5, 1],
    xlabel: "speed that the probe is asked for (rad per token)",
  });
  p.text("share read after the first block", box.x - 30, box.y - 30, { color: color.soft, size: 11 });
  for (let i = 0; i < HANDS; i += 1) {
    const at = x((-i / 16) * Math.log(10000));
    const tone = handColor(p, i, 16);
    p.ctx.globalAlpha = 0.35;
    p.line(at, box.y, at, box.y + box.h, tone, 6);
    p.ctx.globalAlpha = 1;
    p.text(String(i), at, box.y - 11, { color: tone, weight: 600, size: 11, align: "center", halo: true });
  }
  const speeds = p.data.speeds.row();
  for (let seed = 0; seed < 3; seed += 1) {
    const share = p.data.combs.row(away, frame, seed);
    const points = Array.from(share, (value, j) => [Math.log(speeds[j]), p.ease(`${seed} ${j}`, value)]);
    p.stroke(
      points.filter(([at]) => at >= low).map(([at, value]) => [x(at), y(value)]),
      color.ink,
      1.4,
    );
  }
  p.data.read.row(away, frame).forEach((value, seed) => p.dot(x(0), y(p.ease(`read ${seed}`, value)), color.ink, 2.6));
}

const meanOf = (row) => row.reduce((sum, value) => sum + value, 0) / row.length;

function course(p, box, away, frame, above) {
  const { color } = p;
  const steps = p.values("step");
  const { x, y } = p.axes(box, {
    x: [0, steps.at(-1)],
    y: [-0.05, 1.05],
    xticks: [0, 50, 100, 150, 200, 250],
    yticks: [0, 0.5, 1],
    xlabel: "training step",
  });
  const curves = [
    ["answers right", color.green, (at) => p.data.right.at(at)],
    ["hand 0 read", color.ink, (at) => meanOf(Array.from(p.data.read.row(away, at)))],
  ];
  p.keys(
    box.x,
    box.y - above,
    box.w,
    curves.map(([words, tone, of]) => [tone, `${words}: ${fixed(of(frame))}`]),
  );
  for (const [, tone, of] of curves) {
    const points = steps.slice(0, frame + 1).map((step, at) => [x(step), y(of(at))]);
    if (frame) p.stroke(points, tone, 2.2);
    p.dot(...points[frame], color.paper, 6);
    p.dot(...points[frame], tone, 4.5);
  }
  p.line(x(steps[frame]), box.y, x(steps[frame]), box.y + box.h, color.soft);
  p.grab("course", {
    wide: true,
    hit: (a, b) => (within(box, a, b) ? 1 : Infinity),
    move: (a) => p.set("step", nearest(steps, ((a - box.x) / box.w) * steps.at(-1))),
    says: `step ${steps[frame]}`,
  });
}

function lengths(p, box, away, frame) {
  const { color } = p;
  p.text("length of what the block adds", box.x, box.y - 14, { size: 12, color: color.soft });
  ["all texts share", "differs"].forEach((words, part) => {
    const taken = away === 2 - part;
    const length = p.data.lengths.at(frame, part);
    const y = box.y + 14 + part * 50;
    const tone = part ? color.pink : color.grey;
    p.text(`${words}: ${fixed(length, 1)}`, box.x, y, { size: 12, color: taken ? color.soft : color.ink });
    p.ctx.globalAlpha = taken ? 0.25 : 1;
    p.line(box.x, y + 17, box.x + Math.max(1, (p.ease(`part ${part}`, length) / LONGEST) * box.w), y + 17, tone, 9);
    p.ctx.globalAlpha = 1;
    if (taken) p.text("taken away", box.x + box.w, y, { size: 11, align: "right", color: color.soft });
  });
}

export default view({
  height: (w) => COMB + (w >= WIDE ? 206 : 340),
  draw(p) {
    const wide = p.w >= WIDE;
    const away = p.values("away").indexOf(p.get("away"));
    const frame = p.values("step").indexOf(p.get("step"));
    comb(p, { x: 38, y: 44, w: p.w - 50, h: COMB - 48 }, away, frame);
    const above = wide ? 14 : 32; // two rows of keys on a narrow page
    const y = COMB + 48 + above;
    const half = wide ? p.w * 0.56 : p.w;
    course(p, { x: 38, y, w: half - 60, h: BELOW - 44 }, away, frame, above);
    lengths(
      p,
      { x: wide ? half + 24 : 38, y: wide ? y : y + BELOW + 12, w: (wide ? p.w - half : p.w) - 50 },
      away,
      frame,
    );
    const said = {
      read: fixed(meanOf(Array.from(p.data.read.row(away, frame)))),
      right: fixed(p.data.right.at(frame)),
      same: fixed(p.data.lengths.at(frame, 0), 1),
      differs: fixed(p.data.lengths.at(frame, 1), 1),
    };
    const numbers = {
      combs: [0, 1, 2].flatMap((seed) => Array.from(p.data.combs.row(away, frame, seed))),
      read: Array.from(p.data.read.row(away, frame)),
      right: [p.data.right.at(frame)],
      bars: Array.from(p.data.lengths.row(frame), (length) => length / LONGEST),
    };
    return {
      alt:
        `step ${p.get("step")}, ${p.get("away")} taken away: ${said.right} of the answers right, ` +
        `${said.read} of hand 0 read; the block adds ${said.same} that all texts share and ${said.differs} that differs`,
      numbers,
      said,
      reading: ["Step ", scrub("step"), `: ${said.right} of the answers right, ${said.read} of hand 0 read.`],
    };
  },
});
