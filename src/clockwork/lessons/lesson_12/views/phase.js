// How many of a head's hands came round in training and how many did not: what trained models answer in longer texts.
import { arcDial } from "../../../kit/widgets/static/arcs.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { TURN, handColor } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const HANDS = 8;
const COUNT = HANDS + 1;
const TRAINED = 32; // tokens
const WIDE = 620;
const BRIGHT = 0.55; // cells above it are so light that their number is dark
const [DARK, PALE] = ["#16191d", "#ffffff"];

function drawCells(p, box, finished, unfinished, at) {
  const cell = box.w / COUNT;
  const soft = { color: p.color.soft, size: 11 };
  p.text("hands that did not", box.x - 22, box.y - 14, { size: 12 });
  p.heat("cells", box, COUNT, COUNT, (i, j) => p.data.mean.at(at, j, HANDS - i), { map: "shares", version: at });
  for (let came = 0; came < COUNT; came += 1)
    for (let not = 0; came + not < COUNT; not += 1) {
      const share = p.data.mean.at(at, came, not);
      const [a, b] = [box.x + (came + 0.5) * cell, box.y + box.h - (not + 0.5) * cell];
      p.text(fixed(share).replace("0.", "."), a, b + 0.5, {
        color: share > BRIGHT ? DARK : PALE,
        size: 10,
        align: "center",
      });
    }
  for (let count = 0; count < COUNT; count += 2) {
    p.text(String(count), box.x + (count + 0.5) * cell, box.y + box.h + 11, { ...soft, align: "center" });
    p.text(String(count), box.x - 8, box.y + box.h - (count + 0.5) * cell, { ...soft, align: "right" });
  }
  p.text("hands that came round", box.x + box.w, box.y + box.h + 27, { size: 12, align: "right" });
  const corner = box.x + box.w - 6;
  ["grey: more than", "a head's eight hands"].forEach((words, i) =>
    p.text(words, corner, box.y + 12 + 15 * i, { ...soft, align: "right" }),
  );
  p.frame(
    box.x + p.ease("finished", finished) * cell,
    box.y + box.h - (p.ease("unfinished", unfinished) + 1) * cell,
    cell,
    cell,
    2.5,
  );
  const cellAt = (a, b) => [
    Math.max(0, Math.min(HANDS, Math.floor((a - box.x) / cell))),
    Math.max(0, Math.min(HANDS, Math.floor((box.y + box.h - b) / cell))),
  ];
  p.grab("cell", {
    wide: true,
    hit: (a, b) => (within(box, a, b) ? 1 : Infinity),
    move(a, b) {
      const [came, not] = cellAt(a, b);
      p.set("finished", came);
      p.set("unfinished", Math.min(not, HANDS - came));
    },
    says(a, b) {
      const [came, not] = cellAt(a, b);
      return came + not > HANDS
        ? "a head has eight hands"
        : `${came} came round, ${not} did not: ${fixed(p.data.mean.at(at, came, not))}`;
    },
  });
}

function drawDials(p, box, speeds, length) {
  const columns = 4;
  const wide = box.w / columns;
  const R = Math.min(34, wide / 2 - 8);
  const tall = 2.5 * R + 22;
  speeds.forEach((speed, i) => {
    const x = box.x + (0.5 + (i % columns)) * wide;
    const y = box.y + 1.25 * R + tall * Math.floor(i / columns);
    const tone = handColor(p, i, HANDS);
    if (speed) arcDial(p, x, y, R, { met: TRAINED * speed, reach: length * speed, tone });
    else {
      p.circle(x, y, R, p.color.faint, 1);
      p.line(x, y, x, y - 0.86 * R, p.color.soft, 3);
    }
    const what = !speed ? "still" : TRAINED * speed < TURN ? "did not" : "came round";
    p.text(what, x, y + 1.25 * R + 12, { size: 11, align: "center", color: p.color.soft });
  });
}

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 350 : 654),
  draw(p) {
    const finished = p.get("finished");
    const unfinished = Math.min(p.get("unfinished"), HANDS - finished);
    const length = p.get("length");
    const at = p.values("length").indexOf(length);
    const wide = p.w >= WIDE;
    const side = wide ? 274 : Math.min(274, p.w - 44);
    const speeds = Array.from(p.data.speeds.row(finished, unfinished));
    drawCells(p, { x: 32, y: 30, w: side, h: side }, finished, unfinished, at);
    const dials = wide ? { x: side + 62, y: 84, w: p.w - side - 70 } : { x: 0, y: side + 128, w: p.w };
    const [mean, low, high] = ["mean", "low", "high"].map((name) => p.data[name].at(at, finished, unfinished));
    p.text(`${fixed(mean)} of the answers right`, dials.x + 8, dials.y - 42, { size: 17, weight: 600 });
    p.text(`eight models: ${fixed(low)} to ${fixed(high)}`, dials.x + 8, dials.y - 20, { color: p.color.soft });
    drawDials(p, dials, speeds, length);
    p.keys(dials.x + 8, wide ? 322 : dials.y + 230, dials.w - 8, [
      [p.color.line, "angles in training"],
      [p.color.cos, "new angles in this text"],
    ]);
    const still = HANDS - finished - unfinished;
    return {
      alt:
        `finished ${finished}, unfinished ${p.get("unfinished")}, length ${length}: ` + // as many as are left
        `${finished} hands came round, ${unfinished} did not, ${still} stand still; ` +
        `${fixed(mean)} of the answers are right (${fixed(low)} to ${fixed(high)})`,
      numbers: { speeds, right: [mean, low, high] },
      said: { right: fixed(mean) },
      reading: [
        scrub("finished"),
        " hands came round, ",
        unfinished === p.get("unfinished") ? scrub("unfinished") : String(unfinished), // a head has eight hands
        ` did not, ${still} stand still. ${length} tokens: ${fixed(mean)}.`,
      ],
    };
  },
});
