// Where a trained model looks in a picture larger than those of training: places counted on, or squeezed.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const BACK = 3; // columns

export default view({
  height: (w) => Math.min(w - 20, 380) + 44,
  draw(p) {
    const { color, ctx } = p;
    const side = p.get("side");
    const sides = p.values("side");
    const place = ["task", "way", "side"].map((name) => p.values(name).indexOf(p.get(name)));
    const looks = (row, column) => p.data.looks.at(...place, row, column);
    const right = p.data.right.at(...place);
    const [trained, widest] = [sides[0], sides.at(-1)];
    const room = Math.min(p.w - 20, 380);
    const cell = room / widest;
    const x0 = (p.w - room) / 2;
    const y0 = 22;
    const row = Math.floor(side / 2);
    const from = side - 2;
    const to = from - (place[0] === 0 ? BACK : Math.floor(side / 2));
    for (let i = 0; i < side; i += 1)
      for (let j = 0; j < side; j += 1) {
        ctx.globalAlpha = 1;
        ctx.fillStyle = color.line;
        ctx.fillRect(x0 + j * cell + 0.5, y0 + i * cell + 0.5, cell - 1, cell - 1);
        ctx.globalAlpha = Math.min(1, 1.5 * p.ease(`${i} ${j}`, looks(i, j)));
        ctx.fillStyle = color.sin;
        ctx.fillRect(x0 + j * cell + 0.5, y0 + i * cell + 0.5, cell - 1, cell - 1);
      }
    ctx.globalAlpha = 1;
    const end = trained * cell;
    p.stroke(
      [
        [x0, y0],
        [x0 + end, y0],
        [x0 + end, y0 + end],
        [x0, y0 + end],
        [x0, y0],
      ],
      color.soft,
      1.5,
      [5, 4],
    );
    p.text(`${trained} × ${trained}`, x0 + 2, y0 - 11, { size: 11, color: color.soft });
    p.keys(x0 + 64, y0 - 11, room - 64, [
      [color.ink, "asks"],
      [color.sin, "looks here"],
      [color.cos, "right answer"],
    ]);
    p.frame(x0 + from * cell, y0 + row * cell, cell, cell, 2);
    p.circle(x0 + (to + 0.5) * cell, y0 + (row + 0.5) * cell, cell * 0.75, color.cos, 2.5);
    const corner = [x0 + side * cell, y0 + side * cell];
    p.dot(...corner, color.ink, 7);
    p.grab("side", {
      hit: (a, b) => Math.max(0, Math.hypot(a - corner[0], b - corner[1]) - 10),
      move: (a, b) => {
        const wanted = Math.max(a - x0, b - y0) / cell;
        p.set(
          "side",
          sides.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best)),
        );
      },
      says: `${side} × ${side} tokens`,
    });
    const weight = looks(row, to);
    return {
      alt:
        `side ${side}, ${p.get("way")}, ${p.get("task")}: weight ${fixed(weight)} at the right place, ` +
        `${fixed(right)} of the answers right`,
      numbers: { weight: [weight], right: [right] },
      said: { right: fixed(right) },
      reading: [scrub("side"), ` × ${side} tokens, ${p.get("way")}: ${fixed(right)} of the answers right`],
    };
  },
});
