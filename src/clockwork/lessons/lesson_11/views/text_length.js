// Stop all hands from one on: what that costs at the end of a text, for four lengths of the text.
import { HANDS, MODEL_SPEEDS, STEP, handStrip, isStopped } from "./stops.js";
import { handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, withCommas } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const TEXTS = ["Alice", "this course"];
const FULL = 2 * Math.PI;

function little(p, x, y, radius, turns, fill) {
  p.circle(x, y, radius, p.color.line, 1);
  p.ctx.fillStyle = fill;
  p.ctx.beginPath();
  p.ctx.moveTo(x, y);
  p.ctx.arc(x, y, radius, -FULL / 4, Math.min(turns, 1) * FULL - FULL / 4);
  p.ctx.fill();
}

export default view({
  height: () => 376,
  draw(p) {
    const { color, data } = p;
    const lengths = p.get("lengths");
    const length = p.get("length");
    const first = p.get("first");
    const part = lengths.indexOf(length);
    const stopped = { first, count: HANDS - first };
    const firsts = p.values("first");
    const box = { x: 44, y: 92, w: p.w - 58, h: p.h - 156 };
    const cell = box.w / HANDS;
    const read = p.ease("length", length);
    const radius = Math.min(17, 1.5 * cell);
    p.text(`how far hands come in ${withCommas(length)} tokens`, box.x, 10, { size: 12, color: color.soft });
    for (let i = 0; i < HANDS; i += STEP) {
      const fill = isStopped(stopped, i) ? color.line : handColor(p, i, HANDS);
      little(p, box.x + (i + 0.5) * cell + (i ? 0 : radius / 2), 42, radius, (read * MODEL_SPEEDS[i]) / FULL, fill);
    }
    const top = 2.9;
    const { x, y } = p.axes(box, {
      x: [0, HANDS],
      y: [-0.1, top],
      xticks: [],
      yticks: [0, 1, 2],
      ylabel: "loss rises by (nats)",
    });
    handStrip(p, box, stopped);
    const foot = box.y + box.h + 24;
    p.text("hand 0, the fastest", box.x, foot, { size: 11, color: color.soft });
    p.text("hand 31", box.x + box.w, foot, { size: 11, color: color.soft, align: "right" });
    const label = "all hands from here on stopped";
    p.ctx.font = `600 12px ${color.font}`;
    const half = p.ctx.measureText(label).width / 2;
    const middle = Math.min(Math.max(x(first), box.x + half), box.x + box.w - half);
    p.text(label, middle, foot + 17, { size: 12, align: "center", weight: 600 });
    p.line(box.x, y(0), box.x + box.w, y(0), color.soft, 1);
    const line = (value, ink, width, dash = []) =>
      p.stroke(
        firsts.map((hand, i) => [x(hand), y(value(i))]),
        ink,
        width,
        dash,
      );
    const mean = (i, other) => (data.rise.at(0, i, other) + data.rise.at(1, i, other)) / 2;
    lengths.forEach((tokens, other) => {
      if (other === part) return;
      line((i) => mean(i, other), color.line, 2);
      const hand = other ? 8 : 4; // where the lines lie far apart
      const style = { size: 11, color: color.soft, align: "right" };
      p.text(withCommas(tokens), x(hand) - 3, y(mean(firsts.indexOf(hand), other)) + 10, style);
    });
    const rise = [0, 1].map((text) => data.rise.at(text, first / STEP, part));
    [0, 1].forEach((text) => {
      line((i) => p.ease(`${text} ${i}`, data.rise.at(text, i, part)), color.ink, 2, text ? [5, 4] : []);
      p.dot(x(first), y(p.ease(`${text} ${first / STEP}`, data.rise.at(text, first / STEP, part))), color.ink, 6);
      const [right, level] = [box.x + box.w - 4, box.y + 14 + 17 * text];
      p.text(TEXTS[text], right, level, { size: 12, align: "right", weight: 600 });
      p.line(right - 106, level, right - 80, level, color.ink, 2, text ? [5, 4] : []);
    });
    const [alice, course] = rise.map((value) => fixed(value));
    return {
      alt:
        `${length} tokens of text, first stopped hand ${first}: at its end the loss of Alice rises by ${alice}, ` +
        `of this course by ${course}`,
      numbers: { rise, elsewhere: [0, 1].flatMap((text) => firsts.map((_, i) => data.rise.at(text, i, part))) },
      said: { alice, course },
      reading: [
        scrub("length"),
        " tokens of text, first stopped hand ",
        scrub("first"),
        `:\nat its end the loss rises by ${alice} (Alice) and ${course} (this course) nats`,
      ],
    };
  },
});
