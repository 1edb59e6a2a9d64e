// Two maps of tiles that lie face down. A click buys a tile's next run; below, the brightest tile of each side.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, say } from "../../../kit/widgets/static/painter.js";

const WIDE = 560;
const SIDES = ["sinusoid", "learned table"];
const NAMES = [...SIDES, "uninvited"]; // who that is, the next section says
const SIZES = ["multiplied by", "drawn at std"];
const TEXTS = 256;
const COINS = 40;
const TUNED_ON = 4; // seeds, and so the most that one tile sells: the others are kept fresh
const [ROWS, COLUMNS] = [6, 4];
const TILES = ROWS * COLUMNS;
const CHANCE = 0.5;
const ABOVE = 42;
const tileOf = (w) => (w >= WIDE ? 30 : 23); // the height of one
const mapOf = (w) => ABOVE + ROWS * tileOf(w) + 44;
const LINE = 30; // of the contestants below

const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values) => sumOf(values) / values.length / TEXTS;

// The share of all splits whose means differ at least as much as those of a and b; all results are whole numbers.
function shareOfSplits(a, b) {
  const both = [...a, ...b];
  const whole = sumOf(both);
  const gap = (sum) => Math.abs(sum * b.length - (whole - sum) * a.length);
  const seen = gap(sumOf(a));
  let [reached, splits] = [0, 0];
  const choose = (from, left, sum) => {
    if (left === 0) {
      splits += 1;
      if (gap(sum) >= seen) reached += 1;
      return;
    }
    for (let i = from; i <= both.length - left; i += 1) choose(i + 1, left - 1, sum + both[i]);
  };
  choose(0, a.length, 0);
  return reached / splits;
}

// What the tiles show and who is compared; kept until a run is bought or all is turned over.
function gameOf(p) {
  const bought = p.get("bought");
  const opened = p.get("opened");
  const mark = JSON.stringify([bought, opened]);
  if (p.game?.mark === mark) return p.game;
  const runs = Array.from({ length: 2 * TILES }, () => 0);
  for (const tile of bought) runs[tile] += 1;
  const results = (tile, from, to) => {
    const [side, inside] = [Math.floor(tile / TILES), tile % TILES];
    return [...p.data.hits.row(side, Math.floor(inside / COLUMNS), inside % COLUMNS)].slice(from, to);
  };
  const means = runs.map((count, tile) => {
    const shown = opened ? TUNED_ON : count;
    return shown ? meanOf(results(tile, 0, shown)) : -1;
  });
  const best = SIDES.map((_, side) => {
    const own = means.slice(side * TILES, (side + 1) * TILES);
    const most = Math.max(...own);
    return most < 0 ? null : side * TILES + own.indexOf(most);
  });
  const compared = best.map((tile) =>
    tile === null ? [] : opened ? results(tile, TUNED_ON) : results(tile, 0, runs[tile]),
  );
  const share = compared.every((row) => row.length) ? shareOfSplits(...compared) : -1;
  if (opened) compared.push([...p.data.index.values]);
  return (p.game = { mark, bought, opened, runs, means, best, compared, share });
}

const chosen = (p) =>
  SIDES.indexOf(p.get("side")) * TILES + (p.get("scale") - 1) * COLUMNS + p.values("rate").indexOf(p.get("rate"));

function buy(p, tile) {
  const { bought, runs, opened } = gameOf(p);
  p.set("side", SIDES[Math.floor(tile / TILES)]);
  p.set("scale", 1 + Math.floor((tile % TILES) / COLUMNS));
  p.set("rate", p.values("rate")[tile % COLUMNS]);
  if (!opened && bought.length < COINS && runs[tile] < TUNED_ON) keep(p, [...bought, tile]);
}

// Whether a tile had runs to sell before its i-th sale: earlier answers may hold up to eight.
const isForSale = (tile, i, bought) => bought.slice(0, i).filter((one) => one === tile).length < TUNED_ON;

function keep(p, bought) {
  p.set("bought", bought);
  p.settle();
  const place = p.model.get("remember");
  if (place) p.remember(`${place}/bought`, bought);
}

function build(p) {
  p.button("Run this tile", () => buy(p, chosen(p)));
  p.button("Begin again", () => keep(p, []));
  const restore = () => {
    const place = p.model.get("remember");
    const kept = place && p.recall(`${place}/bought`)?.filter(isForSale);
    if (kept && JSON.stringify(kept) !== JSON.stringify(p.get("bought"))) p.set("bought", kept);
    if (p.answered(p.get("verdict"))) p.set("opened", true);
  };
  restore();
  p.recalled(restore);
}

function drawMap(p, box, side, game) {
  const { color, ctx } = p;
  const [wide, tall] = [box.w / COLUMNS, box.h / ROWS];
  const soft = { color: color.soft, size: 11 };
  const tileAt = (x, y) => side * TILES + (ROWS - 1 - y) * COLUMNS + x;
  const shown = (mean) => (mean < 0 ? NaN : Math.max(0, (mean - CHANCE) / (1 - CHANCE)));
  p.text(SIDES[side], box.x, box.y - 28, { weight: 600, size: 13 });
  p.text(SIZES[side], box.x - 34, box.y - 11, soft);
  p.heat(`map ${side}`, box, ROWS, COLUMNS, (y, x) => shown(game.means[tileAt(x, y)]), {
    map: "shares",
    version: game.mark,
  });
  for (let y = 0; y < ROWS; y += 1) {
    const scale = p.data.scales.at(side, ROWS - 1 - y);
    p.text(say(scale, 2), box.x - 7, box.y + (y + 0.5) * tall, { ...soft, align: "right" });
    for (let x = 0; x < COLUMNS; x += 1)
      drawTile(p, tileAt(x, y), box.x + x * wide, box.y + y * tall, wide, tall, game);
  }
  p.values("rate").forEach((rate, x) =>
    p.text(String(rate), box.x + (x + 0.5) * wide, box.y + box.h + 11, { ...soft, align: "center" }),
  );
  p.text("learning rate", box.x + box.w / 2, box.y + box.h + 27, { ...soft, align: "center" });
  Object.assign(ctx, { strokeStyle: color.line, lineWidth: 1 });
  ctx.strokeRect(box.x, box.y, box.w, box.h);
  const own = chosen(p) - side * TILES;
  if (own >= 0 && own < TILES && !game.opened) {
    const [row, column] = [ROWS - 1 - Math.floor(own / COLUMNS), own % COLUMNS];
    p.stroke(corners(box.x + column * wide + 3, box.y + row * tall + 3, wide - 6, tall - 6), color.soft, 1.5, [3, 3]);
  }
  if (game.best[side] !== null) {
    const inside = game.best[side] - side * TILES;
    const [row, column] = [ROWS - 1 - Math.floor(inside / COLUMNS), inside % COLUMNS];
    p.frame(box.x + column * wide, box.y + row * tall, wide, tall, 2.5);
  }
}

const corners = (x, y, w, h) => [
  [x, y],
  [x + w, y],
  [x + w, y + h],
  [x, y + h],
  [x, y],
];

function drawTile(p, tile, x, y, w, h, game) {
  const { color, ctx } = p;
  const mean = game.means[tile];
  const down = mean < 0;
  Object.assign(ctx, { strokeStyle: color.paper, lineWidth: 2 });
  if (down) {
    ctx.fillStyle = color.faint;
    ctx.fillRect(x, y, w, h);
  }
  ctx.strokeRect(x, y, w, h);
  const tone = mean > CHANCE + 0.6 * (1 - CHANCE) ? "#000000" : "#ffffff";
  const [center, middle] = [x + w / 2, y + h / 2];
  p.text(down ? "?" : fixed(mean), center, middle - (game.runs[tile] ? 3 : 0), {
    align: "center",
    size: 12,
    color: down ? color.soft : tone,
  });
  for (let i = 0; i < game.runs[tile]; i += 1)
    p.dot(center + (i - (game.runs[tile] - 1) / 2) * 5, y + h - 6, tone, 1.6);
  const count = game.runs[tile];
  p.grab(`tile ${tile}`, {
    hit: (a, b) => (a >= x && a < x + w && b >= y && b < y + h ? 1 : Infinity),
    click: () => buy(p, tile),
    says: down ? "not run yet" : `${fixed(mean)}${count ? `, ${count} ${count === 1 ? "run" : "runs"} of yours` : ""}`,
  });
}

function drawContestants(p, box, game) {
  const { color } = p;
  const tones = [color.sin, color.cos, color.grey];
  const scale = p.axes(box, {
    x: [0.4, 1],
    y: [0, 1],
    xticks: [0.5, 0.6, 0.7, 0.8, 0.9, 1],
    yticks: [],
    xlabel: game.opened ? "accuracy of eight fresh seeds" : "accuracy of your runs",
  });
  game.compared.forEach((row, i) => {
    const y = box.y + (i + 0.5) * LINE;
    p.text(NAMES[i], box.x - 8, y, { align: "right", size: 12 });
    if (!row.length) return p.text("no run yet", box.x + 10, y, { size: 12, color: color.soft });
    row.forEach((hits, j) => p.circle(scale.x(hits / TEXTS), y + ((j % 3) - 1) * 5, 3.5, tones[i], 1.75));
    const x = scale.x(meanOf(row));
    p.line(x, y - 11, x, y + 11, tones[i], 3);
    p.text(fixed(meanOf(row)), box.x + box.w + 8, y, { weight: 600, size: 12 });
  });
}

const linesOf = (p) => (p.get("opened") ? 3 : 2) * LINE;

export default view({
  height: (w, p) => (w >= WIDE ? 1 : 2) * mapOf(w) + linesOf(p) + 62,
  build,
  draw(p) {
    const game = gameOf(p);
    const wide = p.w >= WIDE;
    const room = wide ? p.w / 2 : p.w;
    SIDES.forEach((_, side) => {
      const box = {
        x: 40 + (wide ? side * room : 0),
        y: ABOVE + (wide ? 0 : side * mapOf(p.w)),
        w: room - 56,
        h: ROWS * tileOf(p.w),
      };
      drawMap(p, box, side, game);
    });
    const top = (wide ? 1 : 2) * mapOf(p.w) + 12;
    drawContestants(p, { x: 96, y: top, w: p.w - 150, h: linesOf(p) }, game);
    const told = game.compared.flatMap((row, i) =>
      row.length ? [`${NAMES[i]} ${fixed(meanOf(row))} in ${row.length} ${row.length === 1 ? "run" : "runs"}`] : [],
    );
    const begun = game.opened ? "all tiles turned over" : `${COINS - game.bought.length} runs left`;
    const share = game.share < 0 ? "" : `; p = ${fixed(game.share, 4)}`;
    const result = `${begun}: ${told.join(", ") || "nothing was run"}${share}`;
    const alt = `${result}; the tile of ${p.get("side")}, scale ${p.get("scale")}, learning rate ${p.get("rate")}`;
    const compared = game.compared.map((row) => (row.length ? meanOf(row) : -1));
    return { alt, numbers: { means: game.means, compared, p: [game.share] }, reading: [result] };
  },
});
