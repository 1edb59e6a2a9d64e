// The reader's curve runs through points that a drag sets as it passes them; each point has a slider as well.
import "./sketch.css";
import { element, listen } from "../../../kit/widgets/static/elements.js";
import { folded, view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";
import { placeOf, slidersOf } from "../../../kit/widgets/static/sliders.js";

const pointNames = (p) => Object.keys(slidersOf(p.model));

function interpolated(xs, ys, x) {
  const i = Math.max(
    1,
    Math.min(
      xs.length - 1,
      xs.findIndex((at) => at >= x),
    ),
  );
  return ys[i - 1] + ((ys[i] - ys[i - 1]) * (x - xs[i - 1])) / (xs[i] - xs[i - 1]);
}

// How far the sketch is from the truth: on average, and where most.
function gapOf(p, points, values) {
  const { x, y } = p.data;
  const off = Array.from(x.values, (at, n) => interpolated(points, values, at) - y.values[n]);
  const worst = off.reduce((most, gap, n) => (Math.abs(gap) > Math.abs(off[most]) ? n : most), 0);
  return { mean: off.reduce((sum, gap) => sum + Math.abs(gap), 0) / off.length, worst, off };
}

function build(p) {
  const fold = folded("Set the points by sliders", p.controls.querySelectorAll(".pe-slider"));
  const question = element("p", { class: "pe-ask" });
  question.innerHTML = p.model.get("ask");
  p.controls.before(question);
  p.show = p.button("Show the true curve", () => {
    p.set("shown", true);
    p.settle();
    keep();
  });
  const because = element("p", { class: "pe-because", "aria-live": "polite" });
  p.root.querySelector(".pe-note").after(because, fold);
  p.explain = (words) => {
    if (because.innerHTML !== words) because.innerHTML = words;
  };
  const place = p.model.get("remember");
  const state = () => ({ points: pointNames(p).map(p.get), shown: p.get("shown") });
  const keep = () => place && p.remember(place, state());
  const restore = () => {
    const kept = place && p.recall(place);
    if (!kept || p.get("drawn")) return;
    pointNames(p).forEach((name, n) => p.values(name).includes(kept.points[n]) && p.set(name, kept.points[n]));
    p.set("shown", kept.shown);
    p.set("drawn", true);
  };
  // A model of Jupyter's that is set while it tells of a change does not tell of that change: set it afterwards.
  const begin = () => p.get("drawn") || queueMicrotask(() => p.set("drawn", true));
  for (const name of pointNames(p)) listen(p.model, `change:${name}`, begin, p.stop);
  fold.addEventListener("change", keep, { signal: p.stop });
  p.canvas.addEventListener("pointerup", () => p.get("drawn") && keep(), { signal: p.stop });
  restore();
  p.recalled(restore);
}

function draw(p) {
  const { color } = p;
  const names = pointNames(p);
  const points = p.get("points");
  const values = names.map((name) => p.get(name));
  const [low, high] = p.get("limits");
  const box = { x: 52, y: 34, w: p.w - 70, h: p.h - 84 };
  const ends = [points[0], points.at(-1)];
  const { x, y } = p.axes(box, {
    x: ends,
    y: [low, high],
    xticks: [ends[0], (ends[0] + ends[1]) / 2, ends[1]],
    yticks: low < 0 ? [low, 0, high] : [low, high],
    xlabel: p.get("xlabel"),
  });
  p.text(p.get("ylabel"), box.x, box.y - 16, { weight: 600, size: 13 });
  if (low < 0) p.line(box.x, y(0), box.x + box.w, y(0), color.line);
  const drawn = p.get("drawn");
  const shown = p.get("shown");
  const gap = gapOf(p, points, values);
  const truth = Array.from(p.data.x.values, (at, n) => [x(at), y(p.data.y.values[n])]);
  const sketch = values.map((value, n) => [x(points[n]), y(value)]);
  if (shown) {
    p.ctx.beginPath();
    const inside = Array.from(p.data.x.values, (at) => [x(at), y(interpolated(points, values, at))]);
    [...truth, ...inside.reverse()].forEach(([a, b]) => p.ctx.lineTo(a, b));
    p.ctx.globalAlpha = 0.18;
    p.ctx.fillStyle = color.pink;
    p.ctx.fill();
    p.ctx.globalAlpha = 1;
    p.stroke(truth, color.ink, 2.5);
    p.text("the true curve", box.x + box.w, box.y - 16, { align: "right", weight: 600 });
  }
  if (drawn) p.stroke(sketch, color.pink, 3);
  sketch.forEach(([a, b]) => p.dot(a, b, drawn ? color.pink : color.line, 4.5));
  if (!drawn) p.text("draw here", box.x + box.w / 2, box.y + 16, { align: "center", color: color.soft, size: 15 });
  else p.text("your curve", box.x + 110, box.y - 16, { color: color.pink, weight: 600 });
  p.show.disabled = !drawn || shown;
  p.explain(shown ? p.get("because") : "");
  p.grab("sheet", {
    wide: true,
    hit: (a, b) =>
      a > box.x - 20 && a < box.x + box.w + 20 && b > box.y - 16 && b < box.y + box.h + 16 ? 0 : Infinity,
    move: (a, b, begun) => paintPoints(p, { names, points, x, low, high, box }, begun, [a, b]),
  });
  const where = points[0] + ((points.at(-1) - points[0]) * gap.worst) / (p.data.x.values.length - 1);
  const at = p.data.x.values[gap.worst] ?? where;
  const told =
    `Your curve is off by ${fixed(gap.mean)} on average, most at ${say(at, 2)}: ` +
    `you drew ${fixed(interpolated(points, values, at))}, it is ${fixed(p.data.y.values[gap.worst])}.`;
  const state = values.map((value, n) => `${say(value)} at ${say(points[n])}`).join(", ");
  return {
    alt: shown ? told : `Your curve: ${state}`,
    numbers: { sketch: values, mean: [gap.mean] },
    reading: shown ? [told] : [drawn ? "Change it until you would bet on it." : "Draw with the mouse or a finger."],
  };
}

// A drag sets every point that it has passed since it was last seen.
function paintPoints(p, { names, points, x, low, high, box }, begun, [a, b]) {
  const [from, to] = [begun.last ?? [a, b], [a, b]];
  begun.last = to;
  const step = (x(points[1]) - x(points[0])) / 2;
  names.forEach((name, n) => {
    const at = x(points[n]);
    if (at < Math.min(from[0], to[0]) - step || at > Math.max(from[0], to[0]) + step) return;
    const part = from[0] === to[0] ? 1 : Math.max(0, Math.min(1, (at - from[0]) / (to[0] - from[0])));
    const height = from[1] + (to[1] - from[1]) * part;
    const value = low + ((box.y + box.h - height) / box.h) * (high - low);
    p.set(name, p.values(name)[placeOf(p.values(name), value)]);
  });
}

export default view({ height: (w) => Math.min(340, Math.max(240, w * 0.5)), draw, build });
