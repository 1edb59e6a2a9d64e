// A published model's hands on a dial, some of them stopped; beside it what that costs, for two texts.
import { HANDS, MODEL_SPEEDS, STEP, handStrip, isStopped, stoppedOf } from "./stops.js";
import { SHORTEST, handColor, rim } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const NAMES = ["Alice", "this course"];

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 310 : 590),
  draw(p) {
    const { color, data } = p;
    const stopped = stoppedOf(p);
    const { first, count } = stopped;
    const wide = p.w >= WIDE;
    const side = wide ? Math.min(280, p.w * 0.4) : Math.min(p.w, 280);
    const position = p.get("position");
    const [x0, y0] = [wide ? side / 2 : p.w / 2, wide ? p.h / 2 - 8 : side / 2];
    const R = side / 2 - 30;
    rim(p, x0, y0, R);
    for (let i = HANDS - 1; i >= 0; i -= 1) {
      const still = isStopped(stopped, i);
      const angle = still ? 0 : position * MODEL_SPEEDS[i];
      const long = R * (1 - ((1 - SHORTEST) * i) / (HANDS - 1));
      const tip = [x0 + long * Math.sin(angle), y0 - long * Math.cos(angle)];
      p.stroke([[x0, y0], tip], still ? color.line : handColor(p, i, HANDS), 2.5);
    }
    p.dot(x0, y0, color.ink, 4);

    const box = wide
      ? { x: side + 52, y: 30, w: p.w - side - 66, h: p.h - 92 }
      : { x: 46, y: side + 34, w: p.w - 58, h: 206 };
    const rise = [0, 1].map((text) => data.rise.at(text, first / STEP, count / STEP));
    const elsewhere = [0, 1].map((text) =>
      Array.from({ length: HANDS / STEP }, (_, place) => data.rise.at(text, place, count / STEP)),
    );
    const most = Math.max(0.5, ...elsewhere.flat());
    const top = most > 2 ? Math.ceil(most) : Math.ceil(most * 4) / 4;
    handStrip(p, box, stopped);
    const { x, y } = p.axes(box, {
      x: [0, HANDS],
      y: [Math.min(0, -0.06 * top), top],
      xticks: [],
      yticks: [0, top / 2, top],
      ylabel: "loss rises by (nats)",
    });
    p.text("fast", box.x, box.y + box.h + 22, { size: 11, color: color.soft });
    p.text("slow", box.x + box.w, box.y + box.h + 22, { size: 11, color: color.soft, align: "right" });
    const label = "first stopped hand";
    p.text(label, box.x + box.w / 2, box.y + box.h + 22, { size: 11, color: color.soft, align: "center" });
    p.line(box.x, y(0), box.x + box.w, y(0), color.soft, 1, [3, 4]);
    elsewhere.forEach((values, text) => {
      const dash = text ? [5, 4] : [];
      p.stroke(
        values.map((value, i) => [x(i * STEP + 0.5), y(value)]),
        color.ink,
        1.5,
        dash,
      );
      values.forEach((value, i) => p.dot(x(i * STEP + 0.5), y(value), color.ink, 2.5));
      p.dot(x(first + 0.5), y(rise[text]), color.ink, 6);
      const [right, level] = [box.x + box.w - 4, box.y + 8 + 16 * text];
      p.text(NAMES[text], right, level, { size: 12, align: "right", weight: 600 });
      p.stroke(
        [
          [right - 108, level],
          [right - 80, level],
        ],
        color.ink,
        1.5,
        dash,
      );
    });
    const losses = rise.map((value, text) => data.usual.at(text) + value);
    const told = NAMES.map((name, text) => `${name} ${fixed(losses[text])} (${fixed(rise[text])} more)`).join(", ");
    return {
      alt: `first stopped hand ${first}, stopped hands ${count}: loss of ${told}`,
      numbers: { rise, elsewhere: elsewhere.flat() },
      said: { alice: fixed(losses[0]), course: fixed(losses[1]) },
      reading: [
        scrub("count"),
        " hands stopped, from hand ",
        scrub("first"),
        " on. Loss:\n",
        NAMES.map(
          (name, text) => `${name} ${fixed(data.usual.at(text))} + ${fixed(rise[text])} = ${fixed(losses[text])} nats`,
        ).join(",  "),
      ],
    };
  },
});
