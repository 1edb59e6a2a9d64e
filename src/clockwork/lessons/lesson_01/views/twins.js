// A sequence and its twin, in which A and B have changed places: one bag, one answer.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const B = 4;
const OTHERS = ["g", "j", "e", "d", "l", "p", "c", "k"];

export default view({
  height: () => 240,
  draw(p) {
    const { color, ctx, data } = p;
    const place = p.get("place");
    const says = p.get("says");
    const first = place < B ? "A" : "B";
    const veiled = p.veiled();
    const label = 78;
    const last = 56;
    const step = (p.w - label - last) / OTHERS.length;
    const side = Math.min(step - 4, 34);
    const middle = (i) => label + (i + 0.5) * step;
    ["the sequence", "its twin"].forEach((name, row) => {
      const y = 30 + row * 50;
      const right = (row === 0) === (says === first);
      p.text(row ? "its twin" : p.w < 480 ? "sequence" : name, 0, y, { size: 13 });
      OTHERS.forEach((other, i) => {
        const letter = i === place ? "AB"[row] : i === B ? "BA"[row] : other;
        const named = letter === "A" ? color.here : letter === "B" ? color.there : color.soft;
        ctx.fillStyle = color.raised;
        ctx.fillRect(middle(i) - side / 2, y - 17, side, 34);
        if (letter === "A" || letter === "B") {
          ctx.lineWidth = 2;
          ctx.strokeStyle = named;
          ctx.strokeRect(middle(i) - side / 2, y - 17, side, 34);
        }
        p.text(letter, middle(i), y, {
          align: "center",
          size: 16,
          weight: letter === letter.toUpperCase() ? 700 : 400,
          color: named,
        });
      });
      p.text(`${says} ${right ? "✓" : "✗"}`, p.w, y, {
        align: "right",
        size: 16,
        weight: 700,
        color: right ? color.right : color.wrong,
      });
    });
    p.grab("A", {
      hit: (a, b) => (Math.abs(a - middle(place)) <= step / 2 && Math.abs(b - 30) <= 20 ? 0 : Infinity),
      move: (a) => p.set("place", nearest(p.values("place"), (a - label) / step - 0.5)),
      says: `A, at place ${place}`,
      at: [middle(place), 30],
    });
    const box = { x: label, y: 128, w: p.w - label - last, h: 66 };
    const scale = p.axes(box, {
      x: [0, 1],
      y: [0, 1],
      xticks: [0, 0.25, 0.5, 0.75, 1],
      yticks: [],
      xlabel: "right answers, sequences and twins, of eight trained models",
    });
    p.guess((share) => [scale.x(share), box.y + box.h]);
    if (veiled) p.veil(box.x + 2, box.y, box.w - 2, box.h - 3);
    const shares = Array.from({ length: data.right.shape[0] }, (_, i) => data.right.at(i));
    if (!veiled) shares.forEach((share, i) => p.dot(scale.x(share), box.y + 6 + 7 * i, color.green, 3.5));
    const where = `A at ${place}, B at ${B}: the answer ${says} is right for ${says === first ? "the sequence" : "its twin"} alone`;
    if (veiled) return { alt: `${where}; what trained models get is hidden until you have guessed`, numbers: {} };
    const mean = shares.reduce((a, b) => a + b) / shares.length;
    return { alt: `${where}; trained models get ${fixed(mean)}`, numbers: { right: shares }, seen: true };
  },
});
