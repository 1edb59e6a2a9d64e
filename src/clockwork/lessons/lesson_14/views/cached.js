// A row of cached keys from which a piece is cut: the cached hand, the hand if the text were read anew, and the values.
import { BASE, speedOf, wrap } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const COUNT = 12; // tokens
const NOW = ["stored key, left as it was", "stored key, turned further", "key recomputed, too"];
const TALLEST = 0.4; // of the bars: an error as a share of the values' length

function stateOf(p) {
  const start = p.get("start");
  const length = p.get("length");
  const hand = p.get("hand");
  const layer = p.values("layer").indexOf(p.get("layer"));
  const way = p.values("way").indexOf(p.get("way"));
  const at = [p.values("start").indexOf(start), p.values("length").indexOf(length), layer];
  const kept = Array.from({ length: COUNT }, (_, i) => i).filter((i) => i < start || i >= start + length);
  const speed = speedOf(hand, 8, BASE);
  const wanted = kept.map((token) => p.data.anew.at(...at, token, hand));
  const now = kept.map((token, place) => {
    if (way === 2) return wanted[place];
    return p.data.angles.at(layer, token, hand) + (way === 1 ? (place - token) * speed : 0);
  });
  const keys = now.map((angle, place) => Math.abs(wrap(angle - wanted[place])));
  const values = kept.map((token) => (way === 2 ? 0 : p.data.off.at(...at, token)));
  return { start, length, hand, kept, wanted, now, keys, values };
}

function drawText(p, s, left, cell) {
  const { color } = p;
  p.keys(left, 12, p.w - left, [
    [color.sin, "token that stays in the cache"],
    [color.faint, "token that is cut"],
  ]);
  for (let token = 0; token < COUNT; token += 1) {
    const gone = token >= s.start && token < s.start + s.length;
    p.ctx.globalAlpha = gone ? 0.12 : 0.28;
    p.ctx.fillStyle = gone ? color.ink : color.sin;
    p.ctx.fillRect(left + token * cell + 1, 26, cell - 2, 26);
    p.ctx.globalAlpha = 1;
    p.text(String(token), left + (token + 0.5) * cell, 39, {
      size: 11,
      align: "center",
      color: gone ? color.soft : color.ink,
    });
  }
  const edges = { start: s.start, end: s.start + s.length };
  const starts = p.values("start");
  const lengths = p.values("length");
  const into = (values, value) => Math.max(values[0], Math.min(values.at(-1), value));
  for (const [name, token] of Object.entries(edges)) {
    const x = left + token * cell;
    p.line(x, 22, x, 58, color.ink, 3);
    p.dot(x, 60, color.ink, 6);
    p.grab(name, {
      hit: (a, b) => (b > 14 && b < 74 ? Math.max(0, Math.abs(a - x) - 4) : Infinity),
      move(a) {
        const place = Math.round((a - left) / cell);
        if (name === "start") p.set("start", into(starts, place));
        else p.set("length", into(lengths, place - s.start));
      },
      says: name === "start" ? `token ${s.start} is the first that goes` : `${s.length} tokens go`,
    });
  }
}

function drawDials(p, s, left, cell, y) {
  const { color } = p;
  const R = Math.min(26, cell * 0.44);
  p.keys(left, y - R - 36, p.w - left, [
    [color.cos, NOW[p.values("way").indexOf(p.get("way"))]],
    [color.grey, "recomputed from the shorter text"],
  ]);
  s.kept.forEach((token, place) => {
    const x = left + (p.ease(`place ${token}`, place) + 0.5) * cell;
    const tip = (angle, far) => [x + far * R * Math.cos(angle), y - far * R * Math.sin(angle)];
    p.circle(x, y, R, color.line, 1.25);
    p.line(x, y, ...tip(s.wanted[place], 0.92), color.grey, R > 16 ? 7 : 5);
    const angle = p.ease(`hand ${token} ${s.hand}`, s.now[place]);
    p.line(x, y, ...tip(angle, 0.92), color.cos, R > 16 ? 3 : 2);
    p.text(String(token), x, y + R + 11, { size: 11, align: "center", color: color.soft });
    p.grab(`dial ${token}`, {
      wide: true,
      hit: (a, b) => (Math.hypot(a - x, b - y) < R ? 3 : Infinity),
      says: `token ${token}, now at ${place}: key off by ${fixed(s.keys[place])} rad`,
    });
  });
}

function drawValues(p, s, left, cell, box) {
  const { color } = p;
  const words = "values off by (share of their length)";
  p.dot(left + 4, box.y - 16, color.pink, 4);
  p.text(words, left + 13, box.y - 16, { size: 12, color: color.soft });
  p.line(left, box.y + box.h, left + COUNT * cell, box.y + box.h, color.line, 1);
  s.values.forEach((value, place) => {
    const token = s.kept[place];
    const h = Math.max(1.5, (Math.min(p.ease(`value ${token}`, value), TALLEST) / TALLEST) * box.h);
    p.ctx.fillStyle = color.pink;
    p.ctx.fillRect(left + place * cell + 2, box.y + box.h - h, cell - 4, h);
  });
  const most = Math.max(...s.values);
  const tallest = s.values.indexOf(most);
  if (most >= 0.005)
    p.text(fixed(most), left + (tallest + 0.5) * cell, box.y + box.h * (1 - Math.min(most, TALLEST) / TALLEST) - 7, {
      size: 11,
      align: "center",
      color: color.soft,
    });
}

export default view({
  height: () => 318,
  draw(p) {
    const s = stateOf(p);
    const left = 8;
    const cell = Math.min(64, (p.w - 16) / COUNT);
    drawText(p, s, left, cell);
    drawDials(p, s, left, cell, 158);
    drawValues(p, s, left, cell, { y: 242, h: 66 });
    const [keys, values] = [s.keys, s.values].map((off) => fixed(Math.max(...off)));
    return {
      alt:
        `start ${s.start}, length ${s.length}, ${p.get("way")}, ${p.get("layer")}, hand ${s.hand}: ` +
        `keys off by up to ${keys} rad, values by up to ${values}`,
      numbers: { keys: s.keys, values: s.values },
      said: { keys, values },
      reading: [
        "tokens ",
        scrub("start"),
        ` to ${s.start + s.length - 1} go (`,
        scrub("length"),
        `): keys off by up to ${keys} rad, values by up to ${values}`,
      ],
    };
  },
});
