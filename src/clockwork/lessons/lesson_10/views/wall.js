// Twelve tiles, face down. A click turns one over: who saw its fault, and whether the reader said so.
import "./wall.css";
import { view } from "../../../kit/widgets/static/kit.js";

const WIDE = 560;
const GAP = 6; // CSS pixels between tiles
const TOP = 26;
const TALL = 68; // three lines and who saw it
const LINE = 15; // of the text on a tile
const WHEN = ["as they were", "as they are now"];

const guessesOf = (p) => p.values("says").slice(1); // the first is that none is chosen yet
const saidNow = (p) => guessesOf(p).indexOf(p.get("says")); // −1 if none is

const tileOf = (p) => p.values("fault").indexOf(p.get("fault"));
const columnsOf = (w) => (w >= WIDE ? 4 : 2);

// The guesses that are right of a tile: by the tests that are chosen, or by those of the first day.
function seersOf(p, tile, when = p.get("tests")) {
  const row = p.data.seen.row(WHEN.indexOf(when), tile);
  return guessesOf(p).filter((_, guess) => row[guess]);
}

function keep(p, guesses) {
  p.set("guesses", guesses);
  p.settle();
  const place = p.model.get("remember");
  if (place) p.remember(`${place}/guesses`, guesses);
}

function turn(p, tile) {
  const guesses = [...p.get("guesses")];
  p.set("fault", p.values("fault")[tile]);
  if (guesses[tile] < 0 && saidNow(p) >= 0) {
    guesses[tile] = saidNow(p);
    keep(p, guesses);
  }
}

function build(p) {
  p.root.classList.add("pe-wall");
  const reading = p.root.querySelector(".pe-reading");
  p.root.querySelector(".pe-todo").after(p.controls, reading); // one chooses who, reads what it asked, and then the tiles
  p.button("Turn this tile over", () => turn(p, tileOf(p)));
  p.button("Begin again", () => keep(p, p.get("guesses").fill(-1).slice()));
  const place = p.model.get("remember");
  const restore = () => {
    const kept = place && p.recall(`${place}/guesses`);
    if (kept && JSON.stringify(kept) !== JSON.stringify(p.get("guesses"))) p.set("guesses", kept);
  };
  restore();
  p.recalled(restore);
}

function drawTile(p, tile, box) {
  const { ctx, color } = p;
  const guess = p.get("guesses")[tile];
  const seers = seersOf(p, tile);
  const none = guessesOf(p)[0];
  const escaped = seers[0] === none;
  const down = guess < 0;
  Object.assign(ctx, { fillStyle: down ? color.line : escaped ? color.cos : color.green });
  ctx.globalAlpha = down ? 0.45 : 0.22;
  ctx.fillRect(box.x, box.y, box.w, box.h);
  ctx.globalAlpha = 1;
  const size = box.w > 150 ? 12 : 11.5;
  p.broken(p.get("about")[tile], box.w - 14, { size })
    .slice(0, 3)
    .forEach((line, i) => p.text(line, box.x + 7, box.y + 13 + i * LINE, { size }));
  const right = seersOf(p, tile, WHEN[0]).includes(guessesOf(p)[guess]);
  const told = down ? "?" : seers.join(", ");
  const [last] = p.broken(told, box.w - 44, { size: 12, weight: 700 });
  const cut = last === told ? told : `${last} …`;
  p.text(cut, box.x + 7, box.y + box.h - 11, { size: 12, weight: 700, color: down ? color.soft : color.ink });
  if (!down) p.text(right ? "✓" : "✗", box.x + box.w - 7, box.y + box.h - 11, { size: 13, align: "right" });
  if (tile === tileOf(p)) p.frame(box.x, box.y, box.w, box.h, 2);
  p.grab(`tile ${tile}`, {
    hit: (a, b) => (a >= box.x && a < box.x + box.w && b >= box.y && b < box.y + box.h ? 1 : Infinity),
    click: () => turn(p, tile),
    says: down ? (saidNow(p) < 0 ? "first choose who saw it" : `you say: ${p.get("says")}`) : told,
  });
}

function readingOf(p, tile) {
  const guess = p.get("guesses")[tile];
  const name = p.get("fault");
  if (guess < 0) {
    const now = saidNow(p);
    return now < 0
      ? `${name}: face down. First choose who saw it`
      : `${name}: face down. On that day, ${p.get("says")}: ${p.get("asked")[now]}`;
  }
  const said = guessesOf(p)[guess];
  const seers = seersOf(p, tile);
  const [why, added] = p.get("reasons")[tile];
  const now = p.get("tests") === WHEN[1];
  const because = why ? ` ${now ? added : why}` : "";
  const right = seersOf(p, tile, WHEN[0]).includes(said);
  return `${name}: ${seers.join(", ")}${right && !now ? ", as you said" : now ? "" : `; you said ${said}`}.${because}`;
}

export default view({
  height: (w, p) => TOP + Math.ceil(p.values("fault").length / columnsOf(w)) * (TALL + GAP),
  build,
  draw(p) {
    const tiles = p.values("fault");
    const columns = columnsOf(p.w);
    const wide = (p.w - 4 - (columns - 1) * GAP) / columns;
    const guesses = p.get("guesses");
    const turned = guesses.filter((guess) => guess >= 0).length;
    const caught = tiles.filter((_, i) => guesses[i] >= 0 && seersOf(p, i)[0] !== guessesOf(p)[0]).length;
    const count = `${turned} of ${tiles.length} turned over, ${caught} of them seen by a test`;
    p.text(count, 2, 12, { size: 13, weight: 600 });
    tiles.forEach((_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      const box = { x: 2 + column * (wide + GAP), y: TOP + row * (TALL + GAP), w: wide, h: TALL };
      drawTile(p, i, box);
    });
    const tile = tileOf(p);
    const shown = guesses[tile] >= 0;
    const state = shown ? `seen by ${seersOf(p, tile).join(", ")}` : "face down";
    const row = [...p.data.seen.row(WHEN.indexOf(p.get("tests")), tile)];
    return {
      alt:
        `${tiles[tile]}, ${state}; ${turned} of ${tiles.length} turned over; ` +
        `tests ${p.get("tests")}; you say ${p.get("says")}`,
      numbers: { sees: row.map((sees) => (shown ? sees : 0)), turned: guesses.map((guess) => Number(guess >= 0)) },
      reading: [readingOf(p, tile)],
      seen: turned === tiles.length,
    };
  },
});
