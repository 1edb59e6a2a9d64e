// The reader's function is typed, five lamps say what it promises, and a model in the page learns with it at once.
import { editor } from "./editor.js";
import { TEXT, lampList, lampsOf, lampsSaid } from "./lamps.js";
import { drawRace } from "./race.js";
import { view } from "../widgets/static/kit.js";

const KEPT_ROWS = 128; // of a code, for tests in longer texts
const WIDE = 620;

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 250 : 420),
  draw(p) {
    const wide = p.w >= WIDE;
    const found = p.found ?? p.model.get("found");
    const rows = found.near.slice(0, TEXT);
    const strips = wide
      ? { x: 34, y: 24, w: Math.min(230, 0.26 * p.w), h: p.h - 62 }
      : { x: 34, y: 24, w: p.w - 50, h: 120 };
    drawCode(p, rows, strips);
    const left = wide ? strips.x + strips.w + 64 : 40;
    const top = wide ? 24 : strips.y + strips.h + 54;
    const box = { x: left, y: top, w: p.w - left - (wide ? 110 : 92), h: p.h - top - 44 };
    const guess = drawRace(p, box, engine.TASKS["three back"]);
    const lamps = (p.lamps ??= lampsOf(found));
    const now = p.runs?.at(-1);
    const told = !now
      ? "Nothing has been trained yet"
      : now.ended
        ? `After ${now.rights.length} steps ${now.right.toFixed(2)} of the answers are right`
        : `learning`;
    return {
      alt: `${p.name ?? p.model.get("first")}: ${lampsSaid(lamps)}. ${told}`,
      numbers: { code: rows, lamps: lamps.flatMap(({ numbers }) => numbers) },
      seen: guess && (p.runs ?? []).some((run) => run.ended && run.name === p.model.get("about")),
    };
  },
  build(p) {
    const lamps = lampList();
    lamps.show(lampsOf(p.model.get("found")));
    p.name = p.model.get("first");
    p.runs = [];

    const { say } = editor(p, {
      label: "Your code: a function of the position p",
      take,
      dim() {
        if (!p.runs.length) p.found = undefined;
        lamps.show();
      },
    });
    p.root.querySelector(".pe-figure").after(lamps.list);

    function take(found, name) {
      p.found = found;
      p.name = name;
      p.lamps = lampsOf(found);
      p.kept = {};
      lamps.show(p.lamps);
      train(found, name);
    }

    let serial = 0;
    const worker = engine.connect((told) => {
      const last = p.runs.at(-1);
      if (!last || told.id !== serial) return;
      if (told.trouble && told.trouble !== "diverged") {
        say(`The training stopped: ${told.trouble}`);
        return;
      }
      last.rights = told.rights;
      last.right = told.tests.at(-1).accuracy[0];
      last.ended = told.ended;
      p.redraw();
    });
    p.stop.addEventListener("abort", () => worker.end());

    function train({ near, source }, name) {
      serial += 1;
      p.runs = p.runs.filter((run) => run.ended);
      const seed = p.runs.filter((run) => run.source === source).length;
      p.runs.push({ name, source, seed, rights: [], ended: false, right: 0 });
      worker.say({ start: { ...p.model.get("settings"), table: near.slice(0, KEPT_ROWS), seed }, id: serial });
      worker.say({ run: true });
      p.redraw();
    }
  },
});

// Each place's numbers, a row a place.
function drawCode(p, rows, box) {
  const limit = Math.max(...rows.flat().map(Math.abs), 1e-9);
  const columns = rows[0].length;
  const w = Math.min(box.w, 44 * columns);
  p.heat("code", { ...box, w }, rows.length, columns, (i, j) => rows[i][j], {
    limit,
    version: JSON.stringify(rows[1]) + limit,
  });
  p.stroke(
    [
      [box.x, box.y],
      [box.x + w, box.y],
      [box.x + w, box.y + box.h],
      [box.x, box.y + box.h],
      [box.x, box.y],
    ],
    p.color.line,
  );
  const { soft } = p.color;
  p.text("the code", box.x, box.y - 12, { weight: 600, size: 12.5 });
  const step = box.h / rows.length;
  for (const place of [0, 10, 20, 31])
    p.text(String(place), box.x - 7, box.y + (place + 0.5) * step, { color: soft, size: 11, align: "right" });
  p.text("place", box.x, box.y + box.h + 14, { color: soft, size: 11 });
}
