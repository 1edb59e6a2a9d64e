// The phases of all positions, one hand's wave through them, and one position's row of numbers.
import { handsOf, mapHeight, phaseMap, readingOf, rowOf, saidOf, wave } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";

const WIDE = 640;
const ABOVE = 46; // the map's heads and names

export default view({
  wide: WIDE,
  height: (w, p) => mapHeight(p, w >= 760 ? 400 : 270) + ABOVE + 8 + (w >= WIDE ? 0 : 400),
  draw(p) {
    const h = handsOf(p);
    const wide = p.w >= WIDE;
    const left = wide ? p.w * 0.44 : p.w;
    const deep = wide ? p.h : p.h - 400;
    phaseMap(p, { x: 44, y: ABOVE, w: left - 52, h: deep - ABOVE - 8 }, h);
    const x = wide ? left + 46 : 44;
    const w = p.w - x - 12;
    const tall = wide ? (p.h - 2 * (ABOVE + 44)) / 2 : 116;
    const above = wide ? ABOVE : deep + 34;
    const below = above + tall + 44 + ABOVE;
    wave(p, { x, y: above, w, h: tall }, h, h.lit);
    rowOf(p, { x, y: below, w, h: tall }, h);
    title(p, x, above, w, `hand ${h.lit ?? h.chosen}: the wave`, h.colors[h.lit ?? h.chosen]);
    title(p, x, below, w, `position ${h.position}: the row`);
    const turn = (i, position) => [Math.sin(position * h.speeds[i]), Math.cos(position * h.speeds[i])];
    const row = Array.from(h.speeds, (_, i) => turn(i, h.position)).flat();
    const numbers = { row, wave: h.positions.map((position) => turn(h.chosen, position)) };
    const said = saidOf(h);
    const where = `position ${h.position}, d_model ${h.width}, base ${h.base}`;
    const alt = `${where}: hand ${h.chosen} turns once in ${said.period} tokens and stands at sin ${said.sine}, cos ${said.cosine}`;
    return { alt, numbers, said, reading: readingOf(p, h) };
  },
});

function title(p, x, y, w, text, color = null) {
  if (color) p.dot(x + 5, y - 16, color, 5);
  p.text(text, x + (color ? 16 : 0), y - 16, { weight: 600, size: 13 });
  p.text("cos", x + w, y - 16, { color: p.color.cos, weight: 600, align: "right" });
  p.text("sin", x + w - 34, y - 16, { color: p.color.sin, weight: 600, align: "right" });
}
