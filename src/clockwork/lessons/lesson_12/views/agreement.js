// How nearly all hands of a head agree on each key of a text, and the speeds of the hands, which can be dragged.
import { within } from "../../../kit/widgets/static/grab.js";
import { handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const LENGTH = 256; // tokens of the text
const RIGHT = 3; // tokens back: the key that the task asks for
const NEAR = 4; // a key nearer to it than that is no rival
const LOOKS_RIGHT = 0.85;
const CLOSE = 1e-9;
const HANDS = 6;
const FASTEST = 1.1; // rad a token, of the axis
const OWN = "my own six";
const NAMES = Array.from({ length: HANDS }, (_, i) => `speed_${i}`);

function stateOf(p) {
  const head = p.get("head");
  const { speeds, right } = p.get("heads")[head] ?? { speeds: NAMES.map((name) => p.get(name)), right: null };
  const alike = Array.from({ length: LENGTH }, (_, back) => {
    const turned = back - RIGHT;
    return speeds.reduce((sum, speed) => sum + Math.cos(turned * speed), 0) / speeds.length;
  });
  const first = RIGHT + NEAR;
  const highest = Math.max(...alike.slice(first));
  const best = alike.findIndex((value, back) => back >= first && value > highest - CLOSE);
  const rivals = alike.map((_, back) => back).filter((back) => back >= first && alike[back] > LOOKS_RIGHT);
  return { head, speeds, right, alike, best, rivals };
}

function drawCurve(p, s, box) {
  const { color } = p;
  const { x, y } = p.axes(box, {
    x: [0, LENGTH - 1],
    y: [-1, 1.08],
    xticks: [0, 50, 100, 150, 200, 250],
    yticks: [-1, 0, 1],
    xlabel: "how far back the key is (tokens)",
  });
  p.line(box.x, y(0), box.x + box.w, y(0), color.line);
  p.line(box.x, y(LOOKS_RIGHT), box.x + box.w, y(LOOKS_RIGHT), color.faint, 1, [3, 4]);
  p.stroke(
    s.alike.map((value, back) => [x(back), y(value)]),
    color.sin,
    1.75,
  );
  for (const back of s.rivals) p.dot(x(back), y(s.alike[back]), color.cos, 4.5);
  p.dot(x(RIGHT), y(1), color.green, 6);
  p.text("3 back, the right key", x(RIGHT) - 4, box.y - 12, { color: color.green, weight: 600 });
  p.keys(box.x, box.y + box.h + 44, box.w, [
    [color.green, "the right key"],
    [color.cos, `rival: above ${LOOKS_RIGHT}, so it looks right, too`],
  ]);
  const [a, b] = [x(s.best), y(s.alike[s.best])];
  if (!s.rivals.includes(s.best)) p.circle(a, b, 4.5, color.ink, 1.5);
  const said = `${s.best} back: ${fixed(s.alike[s.best])}`;
  const side = a > box.x + box.w - 90 ? "right" : "center";
  p.text(said, side === "right" ? box.x + box.w : Math.max(a, box.x + 190), b - 14, { align: side, halo: true });
  const backAt = (px) => Math.max(0, Math.min(LENGTH - 1, Math.round(((px - box.x) / box.w) * (LENGTH - 1))));
  p.grab("curve", {
    wide: true,
    hit: (px, py) => (within(box, px, py) ? 3 : Infinity),
    says: (px) => `${backAt(px)} back: ${fixed(s.alike[backAt(px)])}`,
  });
}

function drawHands(p, s, box) {
  const { color } = p;
  const { x } = p.axes(box, {
    x: [0, FASTEST],
    y: [-1, 1],
    xticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((speed) => [speed, String(speed)]),
    yticks: [],
    xlabel: "speed (rad a token)",
  });
  const few = s.speeds.length === HANDS;
  const middle = box.y + box.h / 2;
  s.speeds.forEach((speed, i) => {
    const tone = handColor(p, i, s.speeds.length);
    if (few) p.dot(x(speed), middle, color.paper, 10);
    p.dot(x(speed), middle, tone, few ? 8 : 3.5);
    if (!few) return;
    p.grab(`hand ${i}`, {
      hit: (a, b) => Math.max(0, Math.hypot(a - x(speed), b - middle) - 8),
      move: (a) => {
        const values = p.values(NAMES[i]);
        if (p.get("head") !== OWN) {
          s.speeds.forEach((other, j) => p.set(NAMES[j], nearest(values, other)));
          p.set("head", OWN);
        }
        p.set(NAMES[i], nearest(values, ((a - box.x) / box.w) * FASTEST));
      },
      says: () => `a turn in ${fixed((2 * Math.PI) / p.get(NAMES[i]), 1)} tokens`,
    });
  });
}

export default view({
  height: () => 352,
  tells: { rivals: (p) => stateOf(p).rivals.length },
  draw(p) {
    const s = stateOf(p);
    drawCurve(p, s, { x: 34, y: 30, w: p.w - 46, h: 176 });
    drawHands(p, s, { x: 34, y: 272, w: p.w - 46, h: 36 });
    const again = fixed(s.alike[s.best]);
    const told = s.right === null ? "not trained here" : `${fixed(s.right)} of the answers right at ${LENGTH} tokens`;
    return {
      alt: `head ${s.head}: ${s.rivals.length} rivals above 0.85, the best key is ${s.best} back with ${again}; ${told}`,
      numbers: { alike: s.alike, best: [s.best, s.alike[s.best]], rivals: [s.rivals.length] },
      said: { again },
      reading: [`${s.head}: ${s.rivals.length} rivals, ${told}`],
    };
  },
  build(p) {
    // whoever moves a speed means a head of his own
    for (const name of NAMES) {
      const input = p.controls.querySelector(`[data-name="${name}"]`);
      input.addEventListener("input", () => p.set("head", OWN), { signal: p.stop });
    }
  },
});
