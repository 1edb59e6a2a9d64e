// Crosses where a test sees a fault, to be clicked; beside it what the chosen encoding does, and the difference from
// the sound one.
import "./faults.css";
import { within } from "../../../kit/widgets/static/grab.js";
import { folded, view } from "../../../kit/widgets/static/kit.js";
import { say } from "../../../kit/widgets/static/painter.js";
import { lowered, term } from "../../../kit/widgets/static/terms.js";

const WIDE = 640;
const NAMES = 172; // the width of the faults' names
const BAND = 160; // the height of both pictures side by side, with their words
const LEFT = 50; // of them, for the words beside the first
const rowOf = (w) => (w >= WIDE ? 21 : 20);
const headsOf = (w) => (w >= WIDE ? 92 : 76); // the height of the tests' names

// "ω_i" with its index lowered.
const typeset = (text) => text.split(/_([a-z])(?![a-z])/).map((part, i) => (i % 2 ? lowered(part) : part));
const SIDE = 300; // the height of a picture, with its words
const SHORT = 200; // beside a short table
const words = (name) => name.replace("_", " ");

function drawTable(p, box, s) {
  const { ctx, color, data } = p;
  const { faults, tests, row: ROW, heads: HEADS } = s;
  const left = box.x + NAMES;
  const top = box.y + HEADS;
  const narrow = box.w < NAMES + 34 + 11 * tests.length;
  const dx = (box.w - NAMES - (narrow ? 4 : 34)) / tests.length; // names that lean reach further to the right
  const x = (j) => left + (j + 0.5) * dx;
  const y = (i) => top + (i + 0.5) * ROW;
  const slant = dx < 22 ? 1.35 : 0.95;
  const lean = narrow ? Math.PI / 2 : slant; // of the tests' names, in rad
  const lit = { fault: faults.indexOf(p.lit("fault") ?? ""), test: tests.indexOf(p.lit("test") ?? "") };
  const shade = (alpha, ...area) => {
    ctx.fillStyle = color.line;
    ctx.globalAlpha = alpha;
    ctx.fillRect(...area);
    ctx.globalAlpha = 1;
  };
  shade(0.75, box.x, y(s.fault) - ROW / 2, x(tests.length - 1) + dx / 2 - box.x, ROW);
  shade(0.75, x(s.test) - dx / 2, top, dx, ROW * faults.length);
  if (lit.fault >= 0) shade(0.5, box.x, y(lit.fault) - ROW / 2, x(tests.length - 1) + dx / 2 - box.x, ROW);
  if (lit.test >= 0) shade(0.5, x(lit.test) - dx / 2, top, dx, ROW * faults.length);
  tests.forEach((test, j) => {
    const strong = j === s.test;
    ctx.save();
    ctx.translate(x(j), top - 7);
    ctx.rotate(-lean);
    p.text(words(test), 0, 0, {
      size: narrow ? 10 : 12,
      color: strong ? color.ink : color.soft,
      weight: strong ? 700 : 400,
    });
    ctx.restore();
  });
  faults.forEach((fault, i) => {
    const strong = i === s.fault;
    const style = { align: "right", weight: strong ? 700 : 400, color: strong ? color.ink : color.soft };
    p.text(fault, left - 8, y(i), style);
    tests.forEach((_, j) => {
      if (!data.seen.at(i, j)) return p.dot(x(j), y(i), color.soft, 1.2);
      const r = 4.5;
      p.line(x(j) - r, y(i) - r, x(j) + r, y(i) + r, color.cos, 2.6);
      p.line(x(j) - r, y(i) + r, x(j) + r, y(i) - r, color.cos, 2.6);
    });
  });
  if (s.first) p.line(x(s.first) - dx / 2, top, x(s.first) - dx / 2, top + ROW * faults.length, color.soft, 1);
  p.frame(x(s.test) - dx / 2, y(s.fault) - ROW / 2, dx, ROW);
  const rowAt = (b) => Math.max(0, Math.min(faults.length - 1, Math.floor((b - top) / ROW)));
  const columnAt = (a) => Math.max(0, Math.min(tests.length - 1, Math.floor((a - left) / dx)));
  const grid = { x: left, y: top, w: dx * tests.length, h: ROW * faults.length };
  p.grab("table", {
    hit: (a, b) => (within(grid, a, b) ? 0 : Infinity),
    click(a, b) {
      p.set("fault", faults[rowAt(b)]);
      p.set("test", tests[columnAt(a)]);
    },
    says(a, b) {
      const [i, j] = [rowAt(b), columnAt(a)];
      return `${words(tests[j])} ${data.seen.at(i, j) ? "sees" : "does not see"} ${faults[i]}`;
    },
    lights: (a, b) => ({ fault: faults[rowAt(b)], test: tests[columnAt(a)] }),
  });
  p.grab("faults", {
    hit: (a, b) => (within({ ...grid, x: box.x, w: NAMES - 1 }, a, b) ? 0 : Infinity),
    click(a, b) {
      const i = rowAt(b);
      p.set("fault", faults[i]);
      const first = tests.findIndex((_, j) => data.seen.at(i, j));
      if (first >= 0) p.set("test", tests[first]);
    },
    says: (a, b) => p.get("about")[rowAt(b)],
    lights: (a, b) => ({ fault: faults[rowAt(b)] }),
  });
  const leaning = (a, b) => columnAt(a - (top - b) / Math.tan(lean)); // the names lean to the right
  p.grab("tests", {
    hit: (a, b) => (within({ ...grid, y: top - HEADS, h: HEADS - 1, w: grid.w + 60 }, a, b) ? 0 : Infinity),
    click: (a, b) => p.set("test", tests[leaning(a, b)]),
    lights: (a, b) => ({ test: tests[leaning(a, b)] }),
  });
}

function drawCodes(p, box, s, { key, title, values, limit, beside }) {
  const { rows, cols, wide } = s;
  const { soft } = p.color;
  const blank = !values.some((value) => Math.abs(value) > 0.005);
  p.text(title, box.x, box.y - 14, { weight: 600, size: 13 });
  if (!blank) p.heat(key, box, rows, cols, (i, j) => values[i * cols + j], { version: s.fault, limit });
  Object.assign(p.ctx, { strokeStyle: p.color.line, lineWidth: 1 });
  p.ctx.strokeRect(box.x, box.y, box.w, box.h);
  if (blank) p.text("nothing", box.x + box.w / 2, box.y + box.h / 2, { align: "center", color: soft });
  if (!beside) {
    p.text("token 0", box.x - 7, box.y + 6, { size: 11, align: "right", color: soft });
    p.text(String(rows - 1), box.x - 7, box.y + box.h - 6, { size: 11, align: "right", color: soft });
  }
  p.text("feature 0", box.x, box.y + box.h + 12, { size: 11, color: soft });
  p.text(String(cols - 1), box.x + box.w, box.y + box.h + 12, { size: 11, align: "right", color: soft });
  const middle = box.x + box.w / 2;
  const length = wide ? Math.min(70, box.w / 4) : 60;
  p.strip(middle - (wide ? 20 : 30), box.y + box.h + (wide ? 12 : 29), length, "signed", `−${limit}`, String(limit));
  const tokenAt = (b) => Math.max(0, Math.min(rows - 1, Math.floor(((b - box.y) / box.h) * rows)));
  const numberAt = (a) => Math.max(0, Math.min(cols - 1, Math.floor(((a - box.x) / box.w) * cols)));
  p.grab(key, {
    hit: (a, b) => (within(box, a, b) ? 0 : Infinity),
    says(a, b) {
      const [i, j] = [tokenAt(b), numberAt(a)];
      return `token ${i}, feature ${j}: ${say(values[i * cols + j], 2)}`;
    },
  });
}

export default view({
  wide: WIDE,
  height(w, p) {
    const table = headsOf(w) + rowOf(w) * p.values("fault").length;
    return w >= WIDE ? Math.max(table, 2 * SHORT + 20) + 12 : table + BAND;
  },
  build(p) {
    p.root.classList.add("pe-faults");
    p.root.querySelector(".pe-note").after(folded("Choose by name", p.controls.querySelectorAll(".pe-choice")));
  },
  draw(p) {
    const faults = p.values("fault");
    const tests = p.values("test");
    const fault = faults.indexOf(p.get("fault"));
    const test = tests.indexOf(p.get("test"));
    const [rows, cols] = p.data.codes.shape.slice(1);
    const codes = p.data.codes.row(fault);
    const sound = p.data.codes.row(p.data.sound.at(fault));
    const difference = Array.from(codes, (value, i) => value - sound[i]);
    const wide = p.w >= WIDE;
    const row = rowOf(p.w);
    const heads = headsOf(p.w);
    const s = { faults, tests, fault, test, rows, cols, row, heads, wide, first: p.get("first") };
    const table = Math.min(wide ? p.w * 0.58 : p.w, 560);
    const below = heads + row * faults.length;
    const side = Math.max(SHORT, Math.min(SIDE, (row * faults.length) / 2));
    const half = (p.w - LEFT - 16) / 2;
    drawTable(p, { x: 0, y: 0, w: table }, s);
    const at = (i) =>
      wide
        ? { x: table + 52, y: heads + i * side - (side < SIDE ? 40 : 0), w: p.w - table - 62, h: side - 64 }
        : { x: LEFT + i * (half + 12), y: below + 34, w: half, h: BAND - 78 };
    const pictures = [
      {
        key: "codes",
        title: wide ? `what ${faults[fault]} does` : "what it does",
        values: Array.from(codes),
        limit: 1,
        beside: false,
      },
      { key: "difference", title: "less the sound one", values: difference, limit: 2, beside: !wide },
    ];
    pictures.forEach((picture, i) => drawCodes(p, at(i), s, picture));
    const seen = p.data.seen.row(fault);
    const names = tests.filter((_, j) => seen[j]).join(", ") || "no test";
    const about = p.get("about")[fault];
    const shown = p.get("shown")[fault];
    const said = p.get("messages")[fault][tests[test]];
    const verdict = said ? `says: ${said}` : "does not see it.";
    return {
      alt: `fault ${faults[fault]}: seen by ${names}. ${about} The picture: ${shown} ${tests[test]} ${verdict}`,
      numbers: { seen: Array.from(seen), codes: Array.from(codes), difference },
      reading: [
        ...typeset(`${faults[fault]}, in code: ${about}\nThe picture: ${shown}\n`),
        term("test", tests[test], words(tests[test])),
        ...typeset(` ${verdict}`),
      ],
    };
  },
});
