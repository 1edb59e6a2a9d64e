// How many directions the codes of a text take beside random rows, and what one matrix for both maps costs.
import { within } from "../../../kit/widgets/static/grab.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const FLOOR = -6; // the smallest share that is drawn, as a power of ten
const WIDE = 640;
const NEAR = 90; // CSS pixels: what is nearer to the end of the text is named beyond it
const TABLES = [
  ["sinusoid", "sin"],
  ["random rows", "grey"],
];
const ERRORS = [
  ["codes", "sin"],
  ["words", "pink"],
];

function sizesOf(w) {
  const wide = w >= WIDE;
  const plot = { x: 40, y: 30, w: wide ? 0.62 * w - 40 : w - 52, h: 200 };
  const bars = wide ? { x: 0.67 * w, y: 46, w: 0.33 * w - 10 } : { x: 8, y: 298, w: w - 16 };
  return { plot, bars, height: wide ? 276 : 430 };
}

const logsOf = (p, at, table) => Array.from(p.data.logs.row(at, table)).filter(Number.isFinite);
const percent = (share) => `${fixed(100 * share, 0)}%`;

// Shares as bars without gaps, on one path.
function drawShares(p, x, y, logs, tone) {
  const { ctx } = p;
  ctx.fillStyle = tone;
  ctx.beginPath();
  logs.forEach((log, i) => ctx.rect(x(i + 0.5), y(log), x(i + 1.5) - x(i + 0.5), y(FLOOR) - y(log)));
  ctx.fill();
}

function drawPlot(p, box, at) {
  const { color, data } = p;
  const counts = p.values("positions");
  const all = data.logs.row(at, 0).length;
  const { x, y } = p.axes(box, {
    x: [0.5, all + 0.5],
    y: [FLOOR, 0],
    xticks: [1, 2, 3, 4].map((part) => (part * all) / 4),
    yticks: [
      [-6, "10⁻⁶"],
      [-4, "10⁻⁴"],
      [-2, "10⁻²"],
      [0, "1"],
    ],
    xlabel: "direction, the largest first",
    ylabel: "share of squared length",
  });
  const tones = [color.sin, color.faint];
  [1, 0].forEach((table) => drawShares(p, x, y, logsOf(p, at, table), tones[table]));
  const end = x(p.ease("end", Math.min(counts[at], all)) + 0.5);
  p.line(end, box.y, end, box.y + box.h, color.ink, 1.5);
  p.dot(end, box.y + box.h, color.paper, 7.5);
  p.dot(end, box.y + box.h, color.ink, 6);
  TABLES.forEach(([name, tone], table) => {
    const needed = data.needed.at(at, table);
    const line = x(p.ease(name, needed) + 0.5);
    p.line(line, box.y, line, box.y + box.h, color[tone], 1.6, [5, 4]);
    const right = needed < 0.75 * all;
    const from = right && end - line < NEAR ? end : line;
    p.text(`${name}: ${needed}`, from + (right ? 6 : -6), box.y + 12 + 20 * table, {
      color: color[tone],
      size: 13,
      weight: 600,
      align: right ? "left" : "right",
      halo: true,
    });
  });
  const countAt = (a) => nearest(counts, ((a - box.x) / box.w) * all);
  p.grab("text", {
    wide: true,
    hit: (a, b) => (within({ ...box, h: box.h + 10 }, a, b) ? 1 : Infinity),
    move: (a) => p.set("positions", countAt(a)),
    says: (a) => `${countAt(a)} positions`,
  });
}

function drawErrors(p, box, at) {
  const { color, data } = p;
  const [codes, all] = [data.needed.at(at, 0), data.logs.row(at, 0).length];
  p.text("one matrix for both", box.x, box.y, { size: 14, weight: 600 });
  p.text(`${codes} directions for codes, ${all - codes} for words`, box.x, box.y + 20, { color: color.soft });
  ERRORS.forEach(([name, tone], part) => {
    const off = data.off.at(at, part);
    const y = box.y + 52 + 46 * part;
    p.text(`${name} off by`, box.x, y, { size: 13 });
    p.text(percent(off), box.x + box.w, y, { size: 15, weight: 600, align: "right" });
    const [from, long] = [box.x + 4, box.w - 8];
    p.line(from, y + 19, from + long, y + 19, color.line, 9);
    p.line(from, y + 19, from + p.ease(`${name} off`, off) * long, y + 19, color[tone], 9);
  });
}

export default view({
  height: (w) => sizesOf(w).height,
  draw(p) {
    const { data } = p;
    const counts = p.values("positions");
    const at = counts.indexOf(p.get("positions"));
    const { plot, bars } = sizesOf(p.w);
    drawPlot(p, plot, at);
    drawErrors(p, bars, at);
    const needed = Array.from(data.needed.row(at));
    const off = Array.from(data.off.row(at));
    const [codes, words] = off.map(percent);
    const all = data.logs.row(at, 0).length;
    return {
      alt:
        `${counts[at]} positions: ${needed[0]} directions hold 99.9% of the sinusoid, ${needed[1]} of random rows; ` +
        `with one matrix for both maps, codes are off by ${codes}, words by ${words}`,
      numbers: { logs: [0, 1].flatMap((table) => logsOf(p, at, table)), needed, off },
      said: {},
      seen: at === counts.length - 1,
      reading: [
        "The codes of ",
        scrub("positions"),
        ` positions take ${needed[0]} of ${all} directions. One matrix for both: words off by ${words}.`,
      ],
    };
  },
});
