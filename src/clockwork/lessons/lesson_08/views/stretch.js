// Above, dials of eight hands in a longer text; below, how much each hand is slowed, by the chosen rule and the others.
import { arcDial } from "../../../kit/widgets/static/arcs.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { TURN, handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, withCommas } from "../../../kit/widgets/static/painter.js";
import { scrub, term } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const NEW = 1 + 1e-6;
const SAMPLED = 8;
const ROOM = { columns: SAMPLED, radius: 30, first: 44, pitch: 104, label: 22, curves: 148 }; // for dials, in pixels
const NARROW = { columns: SAMPLED / 2, radius: 18, first: 26, pitch: 66, label: 15, curves: 178 };
const CLOSE = [3, 4]; // rules whose names have no room on a phone
const NAMED_AT = [42, 3, 9, 18, 29, 38]; // the hand at which each rule has its name
const BESIDE = 4; // Llama 3: above its curve is YaRN's

function stateOf(p) {
  const speeds = p.model.get("speeds"); // rule, factor, hand
  const trained = p.model.get("trained_len");
  const rules = p.values("method");
  const rule = rules.indexOf(p.get("method"));
  const factor = p.get("factor");
  const at = p.values("factor").indexOf(factor);
  const usual = speeds[0][0];
  const met = usual.map((speed) => trained * speed);
  const reach = speeds[rule][at].map((speed) => factor * trained * speed);
  const slower = speeds.map((own) => own[at].map((speed, i) => usual[i] / speed));
  const fresh = met.map((angle, i) => angle < TURN && reach[i] > angle * NEW);
  const n = usual.length;
  const sampled = Array.from({ length: SAMPLED }, (_, i) => Math.round((i * (n - 1)) / (SAMPLED - 1)));
  return { rules, rule, factor, trained, met, reach, slower, fresh, n, sampled, hand: p.get("hand") };
}

function paceOf(slower) {
  return fixed(slower) === fixed(1) ? "keeps its speed" : `is ${fixed(slower)} times slower`;
}

function drawDials(p, s, tints, room) {
  const wide = (p.w - 12) / room.columns;
  const R = Math.min(room.radius, wide / 2 - 12);
  s.sampled.forEach((i, place) => {
    const x = 6 + wide * ((place % room.columns) + 0.5);
    const y = room.first + Math.floor(place / room.columns) * room.pitch;
    arcDial(p, x, y, R, { met: s.met[i], reach: s.reach[i], tone: tints[i] });
    const chosen = i === s.hand;
    p.text(`hand ${i}`, x, y + R + room.label, {
      color: chosen ? p.color.ink : p.color.soft,
      weight: chosen ? 600 : 400,
      size: 11,
      align: "center",
    });
    p.grab(`dial ${i}`, {
      wide: true,
      hit: (a, b) => Math.max(0, Math.hypot(a - x, b - y) - R - 10),
      click: () => p.set("hand", i),
      says: `hand ${i}: ${fixed(s.reach[i] / TURN)} turns, ${fixed(s.met[i] / TURN)} in training`,
      lights: { hand: i },
    });
  });
}

function drawCurves(p, box, s, tints) {
  const { color } = p;
  const first = s.met.findIndex((angle) => angle < TURN);
  const { x, y } = p.axes(box, {
    x: [-0.5, s.n - 0.5],
    xticks: [0, 12, 24, 36, 47],
    xlabel: "hand (fast to slow)",
    y: [-0.15, 6.4],
    yticks: [1, 2, 4, 8, 16, 32, 64].map((times) => [Math.log2(times), String(times)]),
    ylabel: "times slower than in training",
  });
  p.line(x(first - 0.5), box.y, x(first - 0.5), box.y + box.h, color.soft, 1, [4, 4]);
  const points = (values) => values.map((value, i) => [x(i), y(Math.log2(value))]);
  s.slower.forEach((values) => p.stroke(points(values), color.faint, 1.5));
  const own = s.slower[s.rule];
  // Whether a name stands clear of the chosen rule's dots.
  const clear = (left, middle, width) =>
    points(own).every(([a, b]) => a < left - 5 || a > left + width + 5 || Math.abs(b - middle) > 10);
  s.slower.forEach((values, rule) => {
    const idle = rule > 0 && Math.max(...values) < 1.001; // in a text no longer than in training
    if (rule === s.rule || idle || (p.w < WIDE && CLOSE.includes(rule))) return;
    const i = NAMED_AT[rule];
    const [dx, dy] = rule === BESIDE ? [7, 3] : [0, -9];
    const place = [x(i) + dx, y(Math.log2(values[i])) + dy];
    p.ctx.font = `400 11px ${color.font}`;
    if (clear(...place, p.ctx.measureText(s.rules[rule]).width))
      p.text(s.rules[rule], ...place, { color: color.soft, size: 11, halo: true });
  });
  p.stroke(points(own), color.green, 3);
  own.forEach((value, i) => p.dot(x(i), y(Math.log2(value)), s.fresh[i] ? color.cos : tints[i], 3.6));
  const at = [x(s.hand), y(Math.log2(own[s.hand]))];
  p.dot(...at, color.paper, 9.5);
  p.dot(...at, s.fresh[s.hand] ? color.cos : tints[s.hand], 7);
  const handAt = (a) => Math.max(0, Math.min(s.n - 1, Math.floor(((a - box.x) / box.w) * s.n)));
  p.grab("curve", {
    wide: true,
    hit: (a, b) => (within(box, a, b, 6) ? 3 : Infinity),
    move: (a) => p.set("hand", handAt(a)),
    says: (a) => `hand ${handAt(a)} ${paceOf(own[handAt(a)])}`,
    lights: (a) => ({ hand: handAt(a) }),
  });
}

export default view({
  height: (w) => (w >= WIDE ? 334 : 354),
  draw(p) {
    const s = stateOf(p);
    const tints = s.met.map((_, i) => handColor(p, i, s.n));
    const room = p.w >= WIDE ? ROOM : NARROW;
    drawDials(p, s, tints, room);
    drawCurves(p, { x: 42, y: room.curves, w: p.w - 56, h: p.h - room.curves - 46 }, s, tints);
    p.tried ??= new Set();
    p.tried.add(s.rule);
    const count = s.fresh.filter(Boolean).length;
    const turns = (angle) => fixed(angle[s.hand] / TURN, 3);
    const pace = paceOf(s.slower[s.rule][s.hand]);
    return {
      alt:
        `rule ${s.rules[s.rule]}, text of ${s.factor} trained lengths: ${count} of ${s.n} hands reach new angles; ` +
        `hand ${s.hand} ${pace} and makes ${turns(s.reach)} turns, ${turns(s.met)} in training`,
      numbers: { slower: s.slower[s.rule], reach: s.sampled.map((i) => s.reach[i]) },
      said: { new: String(count) },
      seen: p.tried.size > 2,
      reading: [
        `${count} of ${s.n} hands reach new angles. `,
        term("hand", s.hand, "Hand "),
        scrub("hand"),
        ` ${pace}:\n`,
        scrub("factor"),
        ` · ${withCommas(s.trained)} · ω / 2π = ${turns(s.reach)} turns (in training ${turns(s.met)})`,
      ],
    };
  },
});
