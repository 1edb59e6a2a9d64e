// Two waves, or a hand whose shadows they are: the sine falls below it, how far right; the cosine beside it, how far up.
import { TURN, toSegment, wrap } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const LAST = 24;
const POINTS = 240;

function sizesOf(w) {
  const wide = w >= 560;
  const r = wide ? 74 : 58;
  return { wide, r, cx: r + (wide ? 42 : 26), cy: r + 16, down: wide ? 120 : 96 };
}

export default view({
  cycle: [["position", 9]],
  height: (w) => 2 * sizesOf(w).r + sizesOf(w).down + 58,
  draw(p) {
    const { ctx, color } = p;
    const { wide, r, cx, cy, down } = sizesOf(p.w);
    const [position, speed, shown] = [p.get("position"), p.get("speed"), p.get("shown")];
    const angle = position * speed;
    const bent = p.ease("bent", shown === "one hand" ? 1 : 0);
    const at = p.ease("position", position);
    const turning = p.ease("speed", speed);
    const turned = at * turning;
    const mix = (a, b) => a + (b - a) * bent;
    const [from, to] = [cx + r + 24, p.w - 10];
    const low = cy + r + 22;
    // Where a place of either wave is drawn: both lie across first, then the sine runs down from under the hand.
    const across = (q, first) => first + ((to - first) * q) / LAST;
    const second = cy + r + 22 + down / 2;
    const place = {
      up: (q, v) => [mix(across(q, 10), across(q, from)), cy - v * mix(down * 0.42, r)],
      right: (q, v) => [mix(across(q, 10), cx + v * r), mix(second - v * down * 0.42, low + (down * q) / LAST)],
    };
    const curve = (kind, turn, tone) => {
      const points = Array.from({ length: POINTS + 1 }, (_, i) => {
        const q = (LAST * i) / POINTS;
        return place[kind](q, turn(q * turning));
      });
      p.stroke(points, tone, 2.5);
    };
    curve("up", Math.cos, color.cos);
    curve("right", Math.sin, color.sin);
    const tips = { up: place.up(at, Math.cos(turned)), right: place.right(at, Math.sin(turned)) };

    ctx.globalAlpha = bent;
    const hand = [cx + r * Math.sin(turned), cy - r * Math.cos(turned)];
    p.circle(cx, cy, r, color.soft, 1.5);
    if (position > 0) {
      ctx.beginPath();
      ctx.moveTo(cx, cy);
      ctx.arc(cx, cy, r, turned - speed - TURN / 4, turned - TURN / 4);
      ctx.globalAlpha = bent * 0.22;
      ctx.fillStyle = color.green;
      ctx.fill();
      ctx.globalAlpha = bent;
    }
    p.line(...hand, ...tips.up, color.cos, 1.5, [3, 4]);
    p.line(...hand, ...tips.right, color.sin, 1.5, [3, 4]);
    p.line(cx, cy, ...hand, color.ink, 5);
    p.dot(...hand, color.ink, 7);
    p.dot(cx, cy, color.ink, 4);
    ctx.globalAlpha = 1;
    p.dot(...tips.up, color.cos, 8);
    p.dot(...tips.right, color.sin, 8);

    const near = (x, y) => (a, b) => Math.max(0, Math.hypot(a - x, b - y) - 8);
    const put = (place) => p.set("position", Math.max(0, Math.min(LAST, Math.round(place))));
    p.grab("up", {
      hit: near(...tips.up),
      move: (a) => put((LAST * (a - mix(10, from))) / (to - mix(10, from))),
      at: bent === 1 ? hand : tips.up,
      says: "drag: along the wave",
    });
    if (bent === 1)
      p.grab("hand", {
        hit: (a, b) => toSegment(a, b, cx, cy, ...hand),
        move: (a, b, begun) => {
          const points = Math.atan2(a - cx, cy - b);
          begun.turned ??= angle;
          begun.turned += wrap(points - (begun.last ?? angle));
          begun.last = points;
          put(begun.turned / speed);
        },
        says: "drag: turn the hand",
      });
    const [right, up] = [fixed(Math.sin(angle)), fixed(Math.cos(angle))];
    const left = wide ? from + 6 : from - 8;
    const corner = wide ? low + 30 : low + 22;
    ctx.globalAlpha = bent;
    const lines = [
      [`${up} up`, color.cos],
      [`${right} right`, color.sin],
      [`each word: ${fixed(speed, 1)} rad`, color.green],
    ];
    lines.forEach(([words, tone], i) => p.text(words, left, corner + 25 * i, { size: 16, weight: 600, color: tone }));
    ctx.globalAlpha = 1 - bent;
    p.text("up and down", 10, cy - r - 8, { size: 13, color: color.cos });
    p.text("the same, a quarter of a wave later", 10, low - 4, { size: 13, color: color.sin });
    ctx.globalAlpha = 1;
    return {
      alt: `${shown}, position ${position}, ${fixed(speed, 1)} rad a word: ${right} right, ${up} up`,
      numbers: { hand: [Math.sin(angle), Math.cos(angle)], angle: [angle] },
      said: { right, up },
    };
  },
});
