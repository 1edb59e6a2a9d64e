// How far apart two codes are, over the tokens between them: how sharp they are, and how far they reach.
import { brief } from "../../../kit/machine/lamps.js";
import { view } from "../../../kit/widgets/static/kit.js";

const FACTOR = 10_000 ** (1 / 8);
const MOST_APART = 500; // tokens
const LINE = 0.1; // below it two codes look alike
const SHOWN = 100; // tokens, of the two spacings
const TOLD = 12; // as far as the evenly spaced curve is shown before the guess

export default view({
  height: (w, p) => (p.has("spacing") ? 330 : 300),
  draw(p) {
    const speeds = speedsOf(p);
    const apart = Array.from(
      { length: MOST_APART },
      (_, k) => 2 * Math.sqrt(speeds.reduce((sum, speed) => sum + Math.sin(((k + 1) * speed) / 2) ** 2, 0)),
    );
    return { numbers: { apart }, ...(p.has("spacing") ? drawSpacing(p, speeds, apart) : drawReach(p, speeds, apart)) };
  },
});

function speedsOf(p) {
  if (!p.has("spacing")) return Array.from({ length: p.get("hands") }, (_, i) => p.get("speed") * FACTOR ** -i);
  const slowest = FACTOR ** -7;
  if (p.get("spacing") !== "evenly") return Array.from({ length: 8 }, (_, i) => FACTOR ** -i);
  return Array.from({ length: 8 }, (_, i) => 1 + ((slowest - 1) * i) / 7);
}

function drawReach(p, speeds, apart) {
  const { color } = p;
  const top = Math.max(2, 2 * Math.sqrt(speeds.length));
  const box = { x: 44, y: 26, w: p.w - 70, h: p.h - 78 };
  const scale = p.axes(box, {
    x: [0, Math.log10(MOST_APART)],
    y: [0, top],
    xticks: [1, 2, 5, 10, 20, 50, 100, 200, 500].map((k) => [Math.log10(k), String(k)]),
    yticks: [0, 1, 2, 4].filter((v) => v <= top),
    xlabel: "tokens apart",
    title: "how far apart the codes are",
  });
  const at = (k) => [scale.x(Math.log10(k)), scale.y(apart[k - 1])];
  p.line(box.x, scale.y(LINE), box.x + box.w, scale.y(LINE), color.soft, 1, [5, 4]);
  p.stroke(
    apart.map((_, i) => at(i + 1)),
    color.sin,
    2,
  );
  const far = comesRound(apart);
  const marks = [[1, apart[0] >= LINE, "sharp", `neighbours: ${brief(apart[0])}`]];
  if (far) marks.push([far, apart[far - 1] >= LINE, "far-reaching", `${far} apart: ${brief(apart[far - 1])}`]);
  else marks.push([MOST_APART, true, "far-reaching", `not round in ${MOST_APART} tokens`]);
  marks.forEach(([k, good, name, told], i) => {
    const tone = good ? color.green : color.cos;
    const [x, y] = at(k);
    p.dot(x, y, color.paper, 8);
    p.dot(x, y, tone, 6);
    const right = i === 1;
    const textX = right ? box.x + box.w : box.x + 12;
    p.text(`${good ? "✓" : "✗"} ${name}`, textX, box.y + 8, {
      color: tone,
      weight: 700,
      size: 14,
      align: right ? "right" : "left",
      halo: true,
    });
    if (i === 0)
      p.grab("neighbours", {
        hit: (a, b) => Math.hypot(a - x, b - y) - 6,
        move: (a, b) => p.set("speed", nearestSpeed(p, scale, b)),
        says: "neighbours: drag up for a faster hand",
        at: [x + 14, y],
        way: "↕",
      });
    p.text(told, textX, box.y + 27, { color: color.soft, size: 12, align: right ? "right" : "left", halo: true });
  });
  const hands = `${speeds.length} hand${speeds.length > 1 ? "s" : ""}, the fastest at ${p.get("speed")} rad per token`;
  const round = far
    ? `once it has come round, codes ${far} tokens apart are ${brief(apart[far - 1])} apart`
    : "it does not come round";
  return { alt: `${hands}: neighbours are ${brief(apart[0])} apart; ${round}` };
}

// The speed at which neighbours are about as far apart as this height says.
function nearestSpeed(p, scale, y) {
  const apartAt = (speed) =>
    2 *
    Math.sqrt(
      Array.from({ length: p.get("hands") }, (_, i) => Math.sin((speed * FACTOR ** -i) / 2) ** 2).reduce(
        (a, b) => a + b,
        0,
      ),
    );
  const off = (speed) => Math.abs(scale.y(apartAt(speed)) - y);
  return p.values("speed").reduce((best, speed) => (off(speed) < off(best) ? speed : best));
}

// The tokens between the two codes that are most alike once the curve has passed its first top; 0 if it has not.
function comesRound(apart) {
  const top = apart.findIndex((value, i) => i + 1 < apart.length && apart[i + 1] < value);
  if (top < 0) return 0;
  const least = Math.min(...apart.slice(top + 1));
  return apart.indexOf(least, top + 1) + 1;
}

function drawSpacing(p, speeds, apart) {
  const { color } = p;
  const even = p.get("spacing") === "evenly";
  const hidden = even && p.veiled();
  const box = { x: 44, y: 26, w: p.w - 70, h: p.h - 140 };
  const scale = p.axes(box, {
    x: [0, SHOWN],
    y: [0, 6],
    xticks: [0, 20, 40, 60, 80, 100],
    yticks: [0, 2, 4, 6],
    xlabel: "tokens apart",
    title: "how far apart the codes are",
  });
  const points = apart.slice(0, hidden ? TOLD : SHOWN).map((value, i) => [scale.x(i + 1), scale.y(value)]);
  if (hidden) p.veil(scale.x(TOLD), box.y, box.w - scale.x(TOLD) + box.x, box.h);
  p.stroke(points, even ? color.pink : color.green, 2.2);
  const guess = p.guess((k) => [scale.x(k), scale.y(0)]);
  const strip = { x: 44, y: p.h - 44, w: p.w - 70 };
  const place = (speed) => strip.x + (strip.w * (Math.log10(speed) + 4)) / 4;
  p.line(strip.x, strip.y, strip.x + strip.w, strip.y, color.line);
  for (const tick of [-4, -3, -2, -1, 0])
    p.text(["0.0001", "0.001", "0.01", "0.1", "1"][tick + 4], place(10 ** tick), strip.y + 18, {
      color: color.soft,
      size: 11,
      align: "center",
    });
  p.grab("speeds", {
    hit: (a, b) => (a > strip.x && Math.abs(b - strip.y) < 14 ? 4 : Infinity),
    click: () => p.set("spacing", even ? "one factor" : "evenly"),
    says: "speeds: click to space them the other way",
    at: [place(speeds[3]), strip.y],
  });
  for (const speed of speeds) p.dot(place(speed), strip.y, even ? color.pink : color.green, 5);
  p.text("speeds (rad per token)", strip.x + strip.w, strip.y - 14, { color: color.soft, size: 11, align: "right" });
  const least = apart.indexOf(Math.min(...apart)) + 1;
  const shown = even ? "eight speeds, evenly" : "eight speeds by one factor";
  const alt = hidden
    ? `${shown}: guess first where two codes are almost the same`
    : `${shown}: the most alike are ${least} tokens apart, by ${brief(apart[least - 1])}`;
  if (!hidden && even && least <= SHOWN) {
    p.dot(scale.x(least), scale.y(apart[least - 1]), color.pink, 6);
    p.text(`${least} tokens apart: ${brief(apart[least - 1])}`, scale.x(least) + 12, scale.y(apart[least - 1]) - 14, {
      color: color.ink,
      weight: 600,
      size: 13,
      halo: true,
    });
  }
  return { alt, seen: guess !== undefined && even && !hidden };
}
