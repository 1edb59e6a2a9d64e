// Two texts on two strips of positions, and the scores of one query of the first with the keys of the second.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

function scoresOf(p, queryStart, keyStart) {
  const query = p.get("query");
  const turned = p.get("turned");
  const atQuery = turned === "neither" ? 0 : queryStart + query;
  return p.values("query").map((key) => {
    const atKey = turned === "query and key" ? keyStart + key : 0;
    const along = p.data.along.row(query, key);
    const across = p.data.across.row(query, key);
    return along.reduce((sum, alike, hand) => {
      const angle = (atKey - atQuery) * 10000 ** (-hand / along.length); // rad a token: lesson 02
      return sum + alike * Math.cos(angle) - across[hand] * Math.sin(angle);
    }, 0);
  });
}

function drawStrip(p, name, y, tone, label) {
  const { color } = p;
  const start = p.get(name);
  const left = 62;
  const words = p.values("query").length;
  const last = p.values(name).at(-1); // where a text begins at the latest
  const cell = (p.w - left - 4) / (last + words);
  const from = p.ease(name, start);
  p.text(label, 0, y + 13, { size: 12, color: color.soft });
  for (let place = 0; place < last + words; place++)
    p.line(left + place * cell, y + 30, left + (place + 1) * cell - 2, y + 30, color.line, 1);
  for (let word = 0; word < words; word++) {
    const asks = name === "query_start" && word === p.get("query");
    const x = left + (from + word) * cell;
    p.ctx.globalAlpha = name === "key_start" ? 0.45 : asks ? 0.75 : 0.2;
    p.ctx.fillStyle = tone;
    p.ctx.fillRect(x + 1, y, cell - 2, 26);
    p.ctx.globalAlpha = 1;
    p.text(String(start + word), x + cell / 2, y + 13, { size: 11, align: "center" });
  }
  p.grab(name, {
    hit: (a, b) =>
      b > y - 8 && b < y + 36 && a > left + from * cell && a < left + (from + words) * cell ? 1 : Infinity,
    move: (a) => p.set(name, Math.max(0, Math.min(last, Math.round((a - left) / cell - words / 2)))),
    says: `this text begins at ${start}`,
  });
}

function drawScores(p, scores, before, box) {
  const { color } = p;
  const most = 3.6;
  const zero = box.y + box.h / 2;
  const cell = box.w / scores.length;
  p.text("score with each key; outlined: both texts at 0", box.x, box.y - 14, { size: 12, color: color.soft });
  p.line(box.x, zero, box.x + box.w, zero, color.line, 1);
  scores.forEach((score, key) => {
    const x = box.x + key * cell + cell * 0.2;
    const h = (p.ease(`score ${key}`, score) / most) * (box.h / 2);
    p.ctx.fillStyle = color.cos;
    p.ctx.fillRect(x, Math.min(zero, zero - h), cell * 0.6, Math.max(1.5, Math.abs(h)));
    const old = (before[key] / most) * (box.h / 2);
    p.ctx.strokeStyle = color.ink;
    p.ctx.lineWidth = 1.5;
    p.ctx.strokeRect(x - 3, Math.min(zero, zero - old), cell * 0.6 + 6, Math.abs(old));
    p.grab(`score ${key}`, {
      wide: true,
      hit: (a, b) => (a >= x && a < x + cell * 0.6 && b > box.y && b < box.y + box.h ? 3 : Infinity),
      says: `key ${key}: score ${fixed(score)}, with both texts at 0 ${fixed(before[key])}`,
    });
  });
}

export default view({
  height: () => 290,
  draw(p) {
    const [queryStart, keyStart] = [p.get("query_start"), p.get("key_start")];
    const scores = scoresOf(p, queryStart, keyStart);
    const before = scoresOf(p, 0, 0);
    const moved = fixed(Math.max(...scores.map((score, key) => Math.abs(score - before[key]))));
    drawStrip(p, "query_start", 8, p.color.sin, "queries");
    drawStrip(p, "key_start", 58, p.color.cos, "keys");
    drawScores(p, scores, before, { x: 4, y: 128, w: p.w - 8, h: 156 });
    return {
      alt:
        `texts begin at ${queryStart} and ${keyStart}, word ${p.get("query")} asks, turned: ${p.get("turned")}; ` +
        `scores moved by up to ${moved}`,
      numbers: { scores, before },
      said: { moved },
      reading: [
        "upper text from ",
        scrub("query_start"),
        ", lower from ",
        scrub("key_start"),
        `: scores moved by up to ${moved}`,
      ],
    };
  },
});
