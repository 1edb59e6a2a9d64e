// Two prompts in one batch: the pads of the shorter one can be dragged, and its tokens are counted in two ways.
import { view } from "../../../kit/widgets/static/kit.js";

const [FIRST, SECOND, ROW, TEXT] = [28, 64, 136, 166]; // where the prompts and the two rows of numbers stand
const TALL = 30;

export default view({
  height: () => 208,
  draw(p) {
    const { color } = p;
    const longer = p.get("longer");
    const shorter = p.get("shorter");
    const pads = longer.length - shorter.length;
    const before = p.get("before");
    const name = p.w < 520 ? 50 : 130; // the names of the two counts
    const cell = Math.min(76, (p.w - name) / longer.length);
    const at = (place) => name + place * cell;
    const places = shorter.map((_, token) => (token < before ? token : token + pads));
    const box = (place, y, tone, alpha, words) => {
      p.ctx.globalAlpha = alpha;
      p.ctx.fillStyle = tone;
      p.ctx.fillRect(at(place) + 1, y, cell - 2, TALL);
      p.ctx.globalAlpha = 1;
      p.text(words, at(place) + cell / 2, y + TALL / 2, { size: 13, align: "center" });
    };
    p.keys(at(0), 12, p.w - name, [
      [color.sin, "token"],
      [color.soft, "pad"],
      [color.cos, "the two counts differ"],
    ]);
    longer.forEach((word, place) => box(place, FIRST, color.sin, 0.28, word));
    shorter.forEach((word, token) => box(p.ease(`token ${token}`, places[token]), SECOND, color.sin, 0.28, word));
    const start = p.ease("pads", before);
    for (let pad = 0; pad < pads; pad += 1) box(start + pad, SECOND, color.soft, 0.35, "");
    const [from, to] = [at(start), at(start + pads)];
    p.line(from + 1, SECOND + TALL + 10, to - 1, SECOND + TALL + 10, color.ink, 3);
    p.dot((from + to) / 2, SECOND + TALL + 10, color.ink, 6);
    p.grab("before", {
      hit: (x, y) =>
        y > SECOND - 6 && y < SECOND + TALL + 24 ? Math.max(0, at(before) - x, x - at(before + pads)) : 99,
      move: (x, _, begun) => {
        begun.from ??= before;
        const wanted = begun.from + Math.round((x - begun.x) / cell);
        p.set("before", Math.max(0, Math.min(shorter.length, wanted)));
      },
      says: `${before} tokens before the pads`,
    });
    const few = name < 130;
    const rows = [
      [ROW, few ? "in row" : "counted in the row", places],
      [TEXT, few ? "in text" : "counted in the text", shorter.map((_, token) => token)],
    ];
    for (const [y, words, ids] of rows) {
      p.text(words, 0, y, { size: 13, color: color.soft });
      ids.forEach((id, token) => {
        const tone = places[token] === token ? color.ink : color.cos;
        p.text(String(id), at(places[token]) + cell / 2, y, { size: 17, weight: 600, align: "center", color: tone });
      });
    }
    const differ = places.filter((place, token) => place !== token).length;
    p.text(`${differ} of ${shorter.length} tokens are counted differently`, at(0), TEXT + 30, {
      size: 13,
      weight: 600,
    });
    const token = shorter.map((_, i) => i);
    return {
      alt:
        `${pads} pads behind ${before} tokens: counted in the row ${places.join(", ")}, ` +
        `counted in the text ${token.join(", ")}`,
      numbers: { row: places, text: token },
    };
  },
});
