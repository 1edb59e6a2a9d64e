// The sinusoid, one column a hand, beside a learned table, one column a number: trained, as drawn, and no row at all.
import { TURN, handsOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const TOP = 34;
const LEFT = 36;
const BETWEEN = 18;
const RIGHT = 66;
const PALE = 0.3; // of the colour of a trained row: rows that are as they were drawn
const STRONGEST = 2.5; // standard deviations
const commas = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

export default view({
  height: () => 330,
  draw(p) {
    const { color } = p;
    const h = handsOf(p);
    const rows = p.get("rows");
    const texts = p.get("texts");
    const learned = Math.min(rows, texts);
    const count = h.positions.length;
    const wide = (p.w - LEFT - BETWEEN - RIGHT) / 2;
    const tall = (p.h - TOP - 10) / count;
    const fixedBox = { x: LEFT, y: TOP, w: wide, h: tall * count };
    const learnedBox = { ...fixedBox, x: LEFT + wide + BETWEEN };
    const turned = (i, j) => {
      const turns = (h.positions[i] * h.speeds[j]) / TURN;
      return turns - Math.floor(turns);
    };
    p.heat("sinusoid", fixedBox, count, h.count, turned, { map: "angle", version: h.width });
    const noise = (i, j) => (i >= rows ? NaN : p.data.noise.at(i, j) * (i < learned ? 1 : PALE));
    const mark = `${h.width} ${rows} ${learned}`;
    p.heat("learned", learnedBox, count, h.width, noise, { limit: STRONGEST, version: mark });
    p.text("sinusoid", fixedBox.x, 12, { weight: 600, size: 13 });
    p.text("learned table", learnedBox.x, 12, { weight: 600, size: 13 });
    const yOf = (row) => TOP + row * tall;
    const beside = learnedBox.x + wide + 6;
    for (const [from, to, said] of [
      [0, learned, "trained"],
      [learned, rows, "as drawn"],
      [rows, count, "no row"],
    ]) {
      if (to <= from) continue;
      p.line(beside, yOf(from) + 1, beside, yOf(to) - 1, color.soft, 2);
      p.text(said, beside + 5, yOf((from + to) / 2), { size: 11, color: color.soft });
      if (from > 0) p.line(learnedBox.x, yOf(from), beside, yOf(from), color.ink, 1.25);
    }
    const y = yOf(h.position);
    p.framedRow("sinusoid", fixedBox, h.position);
    p.framedRow("learned", learnedBox, h.position);
    p.text(String(h.position), LEFT - 6, y + tall / 2, { align: "right", weight: 600 });
    const positionAt = (b) => Math.max(0, Math.min(count - 1, Math.floor((b - TOP) / tall)));
    const row =
      h.position >= rows
        ? `there is no row ${h.position}: an IndexError`
        : h.position >= learned
          ? `row ${h.position} is as it was drawn: no text reached it`
          : `row ${h.position} has been trained`;
    p.grab("position", {
      hit: (a, b) => (a > LEFT - 8 && a < beside && b > TOP - 8 && b < p.h ? 2 : Infinity),
      move: (a, b) => p.set("position", positionAt(b)),
      says: row,
      wide: true,
    });
    const numbers = rows * h.width;
    const trained = learned * h.width;
    const code = Array.from(h.speeds).flatMap((speed) => [Math.sin(h.position * speed), Math.cos(h.position * speed)]);
    return {
      alt: `position ${h.position}, d_model ${h.width}, ${rows} rows, texts of up to ${texts} tokens: ${row}`,
      numbers: { code, numbers: [numbers], trained: [trained] },
      said: { numbers: commas(numbers) },
      reading: [
        "Position ",
        scrub("position"),
        `: the sinusoid computes a code; ${row}.\n`,
        scrub("rows"),
        " × ",
        scrub("d_model"),
        ` = ${commas(numbers)} numbers, ${commas(trained)} trained`,
      ],
    };
  },
});
