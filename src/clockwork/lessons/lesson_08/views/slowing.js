// Four dials of a small model's hands, each slowed by four or not, and the recorded accuracy of two tasks.
import { arcDial } from "../../../kit/widgets/static/arcs.js";
import { BASE, handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const HANDS = 4;
const WIDE = 560;
const TRAINED = 24;
const LONG = 96;
const TASKS = ["who came first, 96 tokens", "3 back, 128 tokens"];

function bars(p, box, shares) {
  const { color } = p;
  shares.slice(0, 2).forEach((share, task) => {
    const y = box.y + 16 + task * 54;
    const tone = [color.pink, color.green][task];
    p.text(TASKS[task], box.x, y, { size: 12, color: color.soft });
    p.ctx.fillStyle = color.line;
    p.ctx.fillRect(box.x, y + 11, box.w - 44, 16);
    p.ctx.fillStyle = tone;
    p.ctx.fillRect(box.x, y + 11, (box.w - 44) * share, 16);
    p.text(fixed(share), box.x + box.w, y + 19, { size: 14, weight: 600, align: "right" });
  });
}

export default view({
  height: (w) => (w >= WIDE ? 174 : 276),
  draw(p) {
    const slowed = Array.from({ length: HANDS }, (_, i) => p.get(`hand${i}`) === "slowed");
    const usual = slowed.map((_, i) => speedOf(i, 2 * HANDS, BASE));
    const speeds = usual.map((speed, i) => (slowed[i] ? speed / 4 : speed));
    const row = slowed.reduce((sum, slow) => 2 * sum + (slow ? 1 : 0), 0);
    const shares = Array.from(p.data.shares.row(row));
    const wide = p.w >= WIDE;
    const room = (wide ? p.w * 0.62 : p.w) / HANDS;
    const R = Math.min(46, room / 2 - 13);
    const y0 = R + 24;
    speeds.forEach((speed, i) => {
      const x0 = room * (i + 0.5);
      const tone = handColor(p, i, HANDS);
      const mark = [3 * usual[i], 3 * speed];
      arcDial(p, x0, y0, R, { met: TRAINED * usual[i], reach: LONG * speed, tone, mark });
      p.text(`hand ${i}`, x0, y0 + R + 28, { weight: 600, align: "center" });
      p.text(slowed[i] ? "slowed" : "kept", x0, y0 + R + 44, { color: p.color.soft, size: 11, align: "center" });
      p.grab(`hand ${i}`, {
        wide: true,
        hit: (a, b) => Math.max(0, Math.hypot(a - x0, b - y0) - R - 12),
        click: () => p.set(`hand${i}`, slowed[i] ? "kept" : "slowed"),
        says: slowed[i] ? `hand ${i}: click to let it turn as in training` : `hand ${i}: click to slow it by four`,
      });
    });
    const box = wide ? { x: p.w * 0.66, y: 18, w: p.w * 0.34 - 10 } : { x: 8, y: y0 + R + 60, w: p.w - 16 };
    bars(p, box, shares);
    const [first, back, twelve] = shares.map((share) => fixed(share));
    const names = slowed.map((slow, i) => `hand ${i} ${slow ? "slowed" : "kept"}`).join(", ");
    return {
      alt:
        `${names}: who came first ${first} right at 96 tokens, 3 back ${back} at 128; of its answers there ` +
        `${twelve} are the symbol 12 back`,
      numbers: { shares, reach: speeds.map((speed) => LONG * speed) },
      said: { first, back, twelve },
      reading: [
        `who came first at 96 tokens: ${first}; 3 back at 128: ${back}\n`,
        `(of the answers at 128 tokens, ${twelve} are the symbol 12 back)`,
      ],
    };
  },
});
