// What it costs to stop the slow hands, to hide the far tokens, and to do both: four losses at the end of a long text.
import { HANDS, handRow } from "./stops.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, withCommas } from "../../../kit/widgets/static/painter.js";

const SLOW = { first: HANDS / 2, count: HANDS / 2 };
const NONE = { first: 0, count: 0 };
const TALL = 12; // of the two strips

export default view({
  height: () => 350,
  draw(p) {
    const { color, data } = p;
    const place = (name) => p.values(name).indexOf(p.get(name));
    const [stopped, sight, text] = ["hands", "far", "text"].map(place);
    const { length, near } = p.model.get("sizes");
    const left = 44;
    const wide = p.w - left - 12;

    p.text(`of ${withCommas(length)} tokens, the last one sees`, left, 10, { size: 12, color: color.soft });
    const token = wide / length;
    p.ctx.fillStyle = color.line;
    p.ctx.fillRect(left, 20, wide, TALL);
    p.ctx.fillStyle = color.green;
    const shown = p.ease("near", sight ? near : length) * token;
    p.ctx.fillRect(left + wide - shown, 20, shown, TALL);
    p.ctx.fillRect(left, 20, 3, TALL); // the first token is always seen
    p.text("hands that turn, fast to slow", left, 50, { size: 12, color: color.soft });
    handRow(p, { x: left, y: 60, w: wide, h: TALL }, stopped ? SLOW : NONE);

    const box = { x: left, y: 100, w: wide, h: 190 };
    const rise = [0, 1, 2, 3].map((bar) => data.rise.at(text, bar >> 1, bar & 1));
    const top = Math.ceil(Math.max(...data.rise.values)); // nats, of both texts
    const { y } = p.axes(box, {
      x: [0, 4],
      y: [0, top],
      xticks: [],
      yticks: [0, top / 2, top],
      ylabel: "loss rises by (nats)",
    });
    const cell = box.w / 4;
    rise.forEach((more, bar) => {
      const now = bar === 2 * stopped + sight;
      const middle = box.x + (bar + 0.5) * cell;
      const level = y(p.ease(`bar ${bar}`, more));
      p.ctx.fillStyle = now ? color.cos : color.faint;
      p.ctx.fillRect(middle - cell * 0.3, level, cell * 0.6, y(0) - level);
      const ink = now ? color.ink : color.soft;
      p.text(fixed(more), middle, level - 9, { align: "center", weight: now ? 600 : 400, color: ink });
      const style = { size: 11, align: "center", color: ink };
      p.text(bar & 1 ? "far hidden" : "far seen", middle, y(0) + 12, style);
    });
    ["all hands turn", "slowest 16 stopped"].forEach((name, group) => {
      const style = { size: 12, align: "center", weight: 600, color: group === stopped ? color.ink : color.soft };
      p.text(name, box.x + (2 * group + 1) * cell, y(0) + 34, style);
    });
    p.grab("bars", {
      wide: true,
      hit: (a, b) => (a >= box.x && a <= box.x + box.w && b >= box.y && b <= box.y + box.h + 44 ? 2 : Infinity),
      move: (a) => {
        const bar = Math.min(3, Math.max(0, Math.floor((a - box.x) / cell)));
        p.set("hands", p.values("hands")[bar >> 1]);
        p.set("far", p.values("far")[bar & 1]);
      },
      says: `hands ${p.get("hands")}, far tokens ${p.get("far")}`,
    });
    const more = fixed(rise[2 * stopped + sight]);
    const state = `slowest 16 hands ${stopped ? "stopped" : "turning"}, far tokens ${p.get("far")}`;
    const cost = `the loss of ${p.get("text")} rises by ${more}`;
    return {
      alt: `${state}: at the end ${cost}`,
      numbers: { rise },
      said: { rise: more },
      reading: [`${state[0].toUpperCase()}${state.slice(1)}:\nat the end ${cost} nats`],
      seen: stopped === 1 && sight === 1,
    };
  },
});
