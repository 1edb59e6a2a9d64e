// One bar for each name, with its interval; the control is a dashed line across all of them.
import { handColor } from "../../kit/widgets/static/hands.js";
import { view } from "../../kit/widgets/static/kit.js";
import { fixed, roundEnds } from "../../kit/widgets/static/painter.js";

const ROW = 34;
const TOP = 44;
const BELOW = 44;

export default view({
  height: (_, p) => TOP + ROW * p.model.get("names").length + BELOW,
  draw(p) {
    const { color, data } = p;
    const names = p.model.get("names");
    const choice = p.get("chosen");
    const at = p.values("chosen").indexOf(choice);
    const all = [
      ...data.low.values,
      ...data.high.values,
      ...Array.from(data.control.values).filter((v) => !Number.isNaN(v)),
    ];
    const [low, high] = roundEnds(Math.min(0, ...all), Math.max(0.01, ...all));
    const box = { x: 14, y: TOP, w: p.w - 40, h: ROW * names.length };
    const middle = (low + high) / 2;
    const { x } = p.axes(box, {
      x: [low, high],
      y: [0, 1],
      xticks: [...new Set([low, middle, high])],
      yticks: [],
      xlabel: "rise of the loss (nats a token)",
    });
    p.text(choice, box.x, 12, { weight: 600, size: 12.5 });
    p.line(x(0), box.y, x(0), box.y + box.h, color.soft, 1);
    const level = data.control.at(at);
    names.forEach((name, i) => {
      const y = box.y + ROW * i;
      const mean = p.ease(`mean ${i}`, data.mean.at(at, i));
      const tone = p.model.get("hands") ? handColor(p, i, names.length) : color.sin;
      const [from, to] = [Math.min(x(0), x(mean)), Math.max(x(0), x(mean))];
      p.ctx.fillStyle = tone;
      p.ctx.fillRect(from, y + 17, Math.max(to - from, 1.5), 9);
      const [a, b] = [x(data.low.at(at, i)), x(data.high.at(at, i))];
      p.line(a, y + 21.5, b, y + 21.5, color.ink, 1.5);
      for (const end of [a, b]) p.line(end, y + 18, end, y + 25, color.ink, 1.5);
      p.text(`${name}: ${fixed(data.mean.at(at, i))}`, box.x + 4, y + 9, { size: 12, halo: true });
    });
    if (!Number.isNaN(level)) {
      p.line(x(level), box.y - 6, x(level), box.y + box.h, color.cos, 1.5, [4, 4]);
      p.text(`${p.model.get("control_name")}: ${fixed(level)}`, Math.min(x(level) + 4, p.w - 6), box.y - 10, {
        size: 11,
        color: color.cos,
        align: x(level) > p.w / 2 ? "right" : "left",
      });
    }
    const mean = Array.from(data.mean.row(at));
    const said = `${choice}: ${names.map((name, i) => `${name} ${fixed(mean[i])}`).join(", ")} nats`;
    return {
      alt: said,
      numbers: { mean },
    };
  },
});
