// Four dials for one task or two in a longer text, under a remedy; beside them the recorded right answers of decoders.
import { arcDial } from "../../../kit/widgets/static/arcs.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { TURN, handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 620;
const NEW = 1 + 1e-6;
const TASKS = [
  { name: "3 back", trained: 32, guessing: 1 / 16, tone: "green" },
  { name: "who came first", trained: 24, guessing: 1 / 2, tone: "pink" },
];

function stateOf(p) {
  const methods = p.model.get("every");
  const method = methods.indexOf(p.get("method"));
  const longer = p.get("longer");
  const [usual] = p.model.get("speeds");
  const speeds = p.model.get("speeds")[method];
  const seen = methods[method] === "window" ? 1 : longer;
  const tasks = TASKS.slice(0, p.model.get("tasks")).map((task, t) => {
    const met = usual.map((speed) => task.trained * speed);
    const reach = speeds.map((speed) => seen * task.trained * speed);
    const fresh = met.flatMap((angle, i) => (angle < TURN && reach[i] > angle * NEW ? [i] : []));
    const curves = methods.map((_, m) => Array.from(p.data.shares.row(t, m)));
    const share = curves[method][p.values("longer").indexOf(longer)];
    return { ...task, met, reach, fresh, curves, share, opened: !p.veiled(), tokens: longer * task.trained };
  });
  return { methods, method, longer, usual, speeds, tasks };
}

function placesOf(w) {
  const wide = w >= WIDE;
  const room = (wide ? 0.62 * w : w) / 4;
  const R = Math.min(38, room / 2 - 13);
  const dials = 2 * R + 76; // with the task's name above and the hands' below
  return { wide, room, R, dials, pitch: dials + (wide ? 8 : 94) };
}

function drawDials(p, s, t, y, { room, R }) {
  const { met, reach, name, tokens, trained } = s.tasks[t];
  const { color } = p;
  p.text(name, 4, y + 10, { weight: 600, size: 13 });
  const aside = p.ctx.measureText(name).width + 14;
  p.text(`${say(tokens)} tokens, trained to ${trained}`, aside, y + 10, { size: 12, color: color.soft });
  s.speeds.forEach((speed, i) => {
    const [x0, y0] = [room * (i + 0.5), y + 32 + R];
    const [now, turned] = [p.ease(`reach ${t} ${i}`, reach[i]), p.ease(`three ${i}`, 3 * speed)];
    const mark = t === 0 ? [3 * s.usual[i], turned] : null;
    arcDial(p, x0, y0, R, { met: met[i], reach: now, tone: handColor(p, i, 4), mark });
    const slower = s.usual[i] / speed;
    const said = slower < NEW ? "as trained" : `${fixed(slower)} × slower`;
    p.text(`hand ${i}`, x0, y0 + R + 19, { weight: 600, size: 12, align: "center" });
    p.text(said, x0, y0 + R + 33, { color: color.soft, size: 11, align: "center" });
  });
}

function drawCurves(p, s, t, box, label) {
  const { color } = p;
  const { tone, trained, guessing, curves, opened, share, name } = s.tasks[t];
  const lengths = p.values("longer");
  const { x, y } = p.axes(box, {
    x: [1, 4],
    xticks: [1, 2, 3, 4].map((longer) => [longer, String(longer * trained)]),
    y: [0, 1],
    yticks: [0, 0.5, 1],
    ylabel: label,
  });
  p.line(x(1), y(guessing), x(4), y(guessing), color.soft, 1, [4, 4]);
  const at = x(p.ease("longer", s.longer));
  if (opened) {
    const points = (curve) => curve.map((value, i) => [x(lengths[i]), y(value)]);
    for (const curve of curves) p.stroke(points(curve), color.faint, 1.2);
    p.stroke(points(curves[s.method]), color[tone], 2.6);
  }
  if (opened) {
    const height = y(p.ease(`share ${t}`, share));
    p.dot(at, height, color.paper, 8);
    p.dot(at, height, color[tone], 6);
  } else p.veil(box.x + 1, box.y, box.w, box.h - 1);
  p.line(at, box.y, at, box.y + box.h, color.ink, 1.2);
  if (t === 0) p.guess((value) => [x(4), y(value)]);
  const lengthAt = (a) => nearest(lengths, 1 + (3 * (a - box.x)) / box.w);
  p.grab(`length ${t}`, {
    wide: true,
    hit: (a, b) => (within(box, a, b, 10) ? 1 : Infinity),
    move: (a) => p.set("longer", lengthAt(a)),
    says(a) {
      const longer = lengthAt(a);
      const right = opened ? `, ${fixed(curves[s.method][lengths.indexOf(longer)])} right` : "";
      return `${name}: ${say(longer * trained)} tokens${right}`;
    },
  });
}

export default view({
  wide: WIDE,
  height: (w, p) => p.model.get("tasks") * placesOf(w).pitch,
  draw(p) {
    const s = stateOf(p);
    const places = placesOf(p.w);
    const { wide, dials, pitch } = places;
    s.tasks.forEach(({ opened, share }, t) => {
      const y = t * pitch + 4;
      drawDials(p, s, t, y, places);
      const box = wide
        ? { x: 0.62 * p.w + 42, y: y + 28, w: 0.38 * p.w - 68, h: pitch - 66 }
        : { x: 40, y: y + dials + 2, w: p.w - 66, h: 60 };
      drawCurves(p, s, t, box, wide ? "right answers" : "");
      if (opened) p.text(fixed(share), box.x + box.w, y + 10, { size: 15, weight: 600, align: "right" });
    });
    p.tried ??= new Set();
    p.tried.add(s.method);
    const told = s.tasks.map(({ name, tokens, fresh, opened, share }) => {
      const right = opened ? `, ${fixed(share)} right` : "";
      return `${name}, ${say(tokens)} tokens: hands at new angles ${fresh.join(", ") || "none"}${right}`;
    });
    const remedy = s.methods[s.method];
    const fresh = s.tasks.map(({ name, fresh }) => `${name}, ${fresh.length ? `hands ${fresh.join(", ")}` : "none"}`);
    return {
      alt: `remedy ${remedy}, text of ${say(s.longer)} trained lengths; ${told.join("; ")}`,
      numbers: {
        reach: s.tasks.map(({ reach }) => reach),
        shares: s.tasks.filter(({ opened }) => opened).map(({ share }) => share),
      },
      reading: ["Text of ", scrub("longer"), " trained lengths.\n", `At new angles: ${fresh.join("; ")}.`],
      seen: !p.veiled() && s.longer === 4 && p.tried.size >= Math.min(3, s.methods.length),
    };
  },
});
