// Curves with their intervals; the place that is held can be dragged along the axis.
import { view } from "../../kit/widgets/static/kit.js";
import { fixed, roundEnds, say, withCommas } from "../../kit/widgets/static/painter.js";
import { scrub } from "../../kit/widgets/static/terms.js";

const number = (value) => (Number.isInteger(value) ? withCommas(value) : say(value, 2));

export default view({
  height: (w) => (w >= 560 ? 320 : 300),
  draw(p) {
    const { color, data } = p;
    const [names, places, marks] = ["names", "places", "marks"].map((name) => p.model.get(name));
    const inks = [color.sin, color.cos, color.green, color.pink];
    const at = Array.from(data.at.values);
    const held = p.get("held") - 1;
    const level = p.model.get("level");
    const ends = [...data.low.values, ...data.high.values, ...(level.length ? [level[0]] : [])];
    const [low, high] = roundEnds(Math.min(...ends), Math.max(...ends, Math.min(...ends) + 0.01));
    const last = Math.max(...at, ...marks.map(([where]) => where));
    const box = { x: 44, y: 60, w: p.w - 70, h: p.h - 116 };
    const { x, y } = p.axes(box, {
      x: [Math.min(0, ...at), last],
      y: [low, high],
      xticks: [0, last / 2, last].map((value) => [value, number(value)]),
      yticks: [...new Set([low, (low + high) / 2, high])],
      xlabel: p.model.get("xlabel"),
    });
    p.text(p.model.get("ylabel"), box.x - 30, 12, { size: 11, color: color.soft });
    p.keys(
      box.x - 30,
      32,
      p.w - 30,
      names.map((name, i) => [inks[i], name]),
    );
    if (level.length) {
      p.line(box.x, y(level[0]), box.x + box.w, y(level[0]), color.soft, 1);
      p.text(level[1], box.x + box.w, y(level[0]) - 8, { size: 11, color: color.soft, align: "right", halo: true });
    }
    marks.forEach(([where, words], i) => {
      p.line(x(where), box.y, x(where), box.y + box.h, color.soft, 1, [4, 4]);
      const right = x(where) > p.w * 0.6;
      p.text(words, x(where) + (right ? -4 : 4), box.y + 6 + 14 * i, {
        size: 11,
        color: color.soft,
        align: right ? "right" : "left",
        halo: true,
      });
    });
    p.line(x(at[held]), box.y, x(at[held]), box.y + box.h, color.line, 6);
    names.forEach((_, i) => {
      const points = at.map((place, k) => [x(place), y(data.mean.at(i, k))]);
      at.forEach((place, k) => p.line(x(place), y(data.low.at(i, k)), x(place), y(data.high.at(i, k)), inks[i], 1));
      p.stroke(points, inks[i], 2.5);
      points.forEach(([a, b], k) => p.dot(a, b, inks[i], k === held ? 6 : 2.5));
    });
    p.grab("place", {
      wide: true,
      hit: (a, b) => (a >= box.x - 6 && a <= box.x + box.w + 6 && b >= box.y && b <= box.y + box.h + 18 ? 2 : Infinity),
      move: (a) => {
        const far = at.map((place) => Math.abs(x(place) - a));
        p.set("held", 1 + far.indexOf(Math.min(...far)));
      },
      says: places[held],
    });
    const values = names.map((_, i) => data.mean.at(i, held));
    const said = names.map((name, i) => `${name} ${fixed(values[i])}`).join(", ");
    return {
      alt: `${places[held]}: ${said}`,
      numbers: { held: values },
      reading: [scrub("held"), `: ${places[held]}: ${said}`],
    };
  },
});
