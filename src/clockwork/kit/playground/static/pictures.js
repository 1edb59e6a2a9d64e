// The pictures of the playground: one text with what is known of its positions and what is answered, each head's map,
// the curves, and what the model knows of positions. Each returns the sentence that stands for it.
import { ADDED, addedRows, speeds } from "./codes.js";
import { colorOf } from "./pen.js";
import { NO_ANSWER } from "./tape.js";
import { TASKS } from "./tasks.js";
import { FACTORS } from "./training.js";

/** @typedef {import("./pen.js").Pen} Pen */
/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("./training.js").Report} Report */

const HANDS = 3; // of the clock under each token: the fastest ones
export const TEXT_HEIGHT = 164; // CSS pixels
const NARROWEST = 12; // CSS pixels for a token
const WIDEST = 44;
const LINE = 13; // CSS pixels between labels
const CURVES = ["green", "pink", "soft"]; // for one, two and four times the length

/** @param {number} share */
const decimal = (share) => share.toFixed(2);

/**
 * A token as a letter: 0 and 1 are A and B where the task asks for these.
 * @param {Settings} settings
 * @param {number} token
 */
export function letter({ task }, token) {
  const name = String.fromCharCode(97 + token);
  return task === "who came first" && token < 2 ? name.toUpperCase() : name;
}

/**
 * The part of a text that is drawn: all of it where it fits, else the stretch in which the token `at` lies.
 * @param {Pen} pen
 * @param {number} length
 * @param {number} at
 */
export function stretch(pen, length, at) {
  const room = pen.w - 8;
  const most = Math.min(length, Math.max(1, Math.floor(room / NARROWEST)));
  const first = Math.min(length - most, Math.floor(at / most) * most);
  const step = Math.min(WIDEST, room / most);
  return { first, end: first + most, step, left: (pen.w - step * most) / 2 };
}

/**
 * The text: arcs to whom the token `at` listens, the tokens, their codes, the answers below.
 * @param {Pen} pen
 * @param {Settings} settings
 * @param {Report} report
 * @param {number} at
 */
export function drawText(pen, settings, report, at) {
  const { tokens, targets, answers, maps } = report;
  const all = tokens.length;
  pen.begin(TEXT_HEIGHT);
  const { color, ctx } = pen;
  const { first, end, step, left } = stretch(pen, all, at);
  const size = Math.min(30, step - 3);
  const type = Math.min(15, Math.max(size * 0.62, Math.min(11, step * 0.8))); // on a phone a letter fills its box
  const middle = (/** @type {number} */ i) => left + (i - first + 0.5) * step;
  const [top, codes, below] = [76, 110, 144];

  const heard = new Float32Array(all);
  const heads = maps.length * settings.heads;
  for (const map of maps)
    for (let h = 0; h < settings.heads; h += 1)
      for (let j = 0; j < all; j += 1) heard[j] = Math.max(heard[j], map[(h * all + at) * all + j]);
  for (let j = first; j < end; j += 1) {
    if (heard[j] < 0.03) continue;
    const [from, to] = [middle(at), middle(j)];
    const height = j === at ? 16 : Math.min(top - size / 2 - 4, 14 + Math.abs(to - from) * 0.32);
    ctx.strokeStyle = color.sin;
    ctx.globalAlpha = Math.min(1, 0.12 + heard[j]);
    ctx.lineWidth = 0.5 + 4 * heard[j];
    ctx.beginPath();
    ctx.moveTo(from, top - size / 2 - 2);
    const lift = top - size / 2 - 2 - height * 1.33;
    ctx.bezierCurveTo(from, lift, j === at ? to + 12 : to, lift, j === at ? to + 3 : to, top - size / 2 - 2);
    ctx.stroke();
    ctx.globalAlpha = 1;
  }

  const perSequence = answers.length === 1;
  const count = (settings.code === "rotary" ? settings.d / settings.heads : settings.d) / 2;
  const omega = speeds(count, settings.base).slice(0, HANDS);
  const rows =
    settings.code === "learned" && report.table
      ? report.table
      : ADDED.includes(settings.code)
        ? addedRows(settings.code, tokens.map((_, p) => p), settings.d, settings) // prettier-ignore
        : undefined;
  for (let i = first; i < end; i += 1) {
    const x = middle(i) - size / 2;
    const chosen = i === at;
    const asked = settings.task === "who came first" && tokens[i] < 2;
    ctx.fillStyle = color.raised;
    ctx.fillRect(x, top - size / 2, size, size);
    pen.frame({ x, y: top - size / 2, w: size, h: size }, chosen ? color.sin : color.line, chosen ? 2 : 1);
    const ink = settings.task === "who came first" && !asked ? color.soft : color.ink;
    if (size > 7)
      pen.text(letter(settings, tokens[i]), middle(i), top, {
        color: ink,
        align: "center",
        size: type,
        weight: asked ? 700 : 500,
      });

    const radius = Math.min(12, size / 2);
    if (settings.code === "sinusoid" || settings.code === "rotary")
      pen.clock(
        middle(i),
        codes,
        radius,
        omega.map((speed) => i * speed),
        (hand) => pen.hand(hand, HANDS),
      );
    else if (rows && settings.code === "learned")
      pen.heat({ x, y: codes - 12, w: size, h: 24 }, 12, 1, (row) =>
        colorOf("signed", 0.5 + rows[i * settings.d + row] / (4 * settings.scale)),
      );
    else if (rows) {
      const share = rows[i * settings.d] / (rows[(all - 1) * settings.d] || 1);
      ctx.fillStyle = color.sin;
      ctx.fillRect(x, codes + 12 - 24 * share, size, Math.max(1, 24 * share));
    }

    if (perSequence || targets[i] === NO_ANSWER) continue;
    const right = answers[i] === targets[i];
    if (size > 7)
      pen.text(letter(settings, answers[i]), middle(i), below, {
        color: right ? color.right : color.wrong,
        align: "center",
        weight: right ? 700 : 400,
        size: type,
      });
    if (chosen) pen.frame({ x, y: below - size / 2 + 2, w: size, h: size - 4 }, right ? color.right : color.wrong, 1.5);
  }
  const say = (/** @type {string} */ words) => words + (heads > 1 ? ", all heads together" : "");
  pen.text(say("whom the chosen letter listens to"), left, 10, { size: 11, halo: true });
  if (end - first < all)
    pen.text(`letters ${first} to ${end - 1} of ${all}; arrow keys walk on`, left, 26, { size: 11 });
  if (perSequence) {
    const right = answers[0] === targets[0];
    const [said, wanted] = [letter(settings, answers[0]), letter(settings, targets[0])];
    pen.text(
      right ? `The model says: ${said}. Right.` : `The model says: ${said}. Wrong, it was ${wanted}.`,
      pen.w / 2,
      below,
      { align: "center", size: 15, weight: 600, color: right ? color.right : color.wrong },
    );
  } else if (first === 0) pen.text("answers", left + 2, below, { size: Math.min(11, (step * 3) / 4.2) });
  const shares = [...heard.keys()].sort((a, b) => heard[b] - heard[a]).slice(0, 2);
  const names = shares.map((j) => `position ${j} (${letter(settings, tokens[j])}) with weight ${decimal(heard[j])}`);
  return `A text of ${all} letters. The one at position ${at}, ${letter(settings, tokens[at])}, listens most to ${names.join(", then ")}.`;
}

/**
 * Which token lies at a place of the text, while the token `at` is chosen.
 * @param {Pen} pen
 * @param {number} length
 * @param {number} at
 * @param {number} x
 */
export function tokenAt(pen, length, at, x) {
  const { first, end, step, left } = stretch(pen, length, at);
  return Math.max(first, Math.min(end - 1, first + Math.floor((x - left) / step)));
}

/**
 * Where each head's map lies.
 * @param {number} w
 * @param {number} h
 * @param {number} layers
 * @param {number} heads
 */
export function mapBoxes(w, h, layers, heads) {
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= layers * heads; columns += 1) {
    if (heads % columns && columns % heads) continue;
    const rows = Math.ceil((layers * heads) / columns);
    const size = Math.min((w - 8 * (columns - 1)) / columns, h / rows - 20);
    if (size > best.size) best = { size, columns };
  }
  const { size, columns } = best;
  const left = (w - columns * size - 8 * (columns - 1)) / 2;
  return Array.from({ length: layers * heads }, (_, k) => ({
    x: left + (k % columns) * (size + 8),
    y: 18 + Math.floor(k / columns) * (size + 20),
    w: size,
    h: size,
  }));
}

/**
 * Each head's map: rows are the tokens that listen, columns those they listen to.
 * @param {Pen} pen
 * @param {Settings} settings
 * @param {Report} report
 * @param {number} at
 * @param {number} height
 */
export function drawMaps(pen, settings, report, at, height) {
  const { heads, layers, causal } = settings;
  const { maps, tokens } = report;
  const T = tokens.length;
  pen.begin(height);
  mapBoxes(pen.w, height, layers, heads).forEach((box, k) => {
    const map = maps[Math.floor(k / heads)];
    const first = (k % heads) * T * T;
    const name =
      layers * heads === 1
        ? "a row for each letter; strong: much"
        : `layer ${Math.floor(k / heads)}, head ${k % heads}`;
    if (box.w > 70) pen.text(name, box.x, box.y - 9, { size: 11 });
    pen.heat(box, T, T, (i, j) => (causal && j > i ? null : colorOf("weights", map[first + i * T + j])));
    const tall = box.h / T;
    pen.frame({ x: box.x, y: box.y + at * tall, w: box.w, h: tall }, pen.color.here, 1.5);
  });
  const sharp = maps.map((map) => {
    let sum = 0;
    for (let row = 0; row < heads * T; row += 1) {
      let top = 0;
      for (let j = 0; j < T; j += 1) top = Math.max(top, map[row * T + j]);
      sum += top;
    }
    return decimal(sum / heads / T);
  });
  return `Attention of ${layers * heads} ${layers * heads > 1 ? "heads" : "head"} over ${T} letters. The largest weight of a letter is on average ${sharp.join(" and ")}${layers > 1 ? ", layer by layer" : ""}.`;
}

/**
 * Heights at which labels do not cover each other, as near as may be to where they belong and none below `bottom`.
 * @param {number[]} wanted
 * @param {number} bottom
 */
function apart(wanted, bottom) {
  const order = [...wanted.keys()].sort((a, b) => wanted[a] - wanted[b]);
  const places = [...wanted];
  order.forEach((k, i) => i && (places[k] = Math.max(places[k], places[order[i - 1]] + LINE)));
  let limit = bottom;
  for (const k of order.reverse()) {
    places[k] = Math.min(places[k], limit);
    limit = places[k] - LINE;
  }
  return places;
}

/**
 * The share of right answers at each length, with runs before this one behind it, and the loss.
 * @param {Pen} pen
 * @param {Settings} settings
 * @param {Report} report
 * @param {{ tests: import("./training.js").Test[] }[]} former
 * @param {number} height
 */
export function drawCurves(pen, settings, report, former, height) {
  const { tests, losses } = report;
  const { chance, nats } = TASKS[settings.task];
  pen.begin(height);
  const { color } = pen;
  const right = pen.w - (settings.length * FACTORS[2] > 99 ? 88 : 76); // room for what stands behind the curves
  const x = (/** @type {number} */ step) => 30 + ((right - 30) * step) / settings.steps;
  const [top, bottom] = [20, Math.round(height * 0.6)];
  const y = (/** @type {number} */ share) => bottom - (bottom - top) * share;
  const lengths = FACTORS.map((factor) => factor * settings.length);
  pen.text(`share of right answers in texts of ${lengths.join(", ")} letters`, 0, 8, { size: 11 });
  for (const share of [0, 0.5, 1]) {
    pen.line([[30, y(share)], [right, y(share)]], color.line); // prettier-ignore
    pen.text(String(share), 24, y(share), { size: 11, align: "right" });
  }
  pen.line([[30, y(chance)], [right, y(chance)]], color.soft, 1, [3, 3]); // prettier-ignore
  if (tests.length < 3) pen.text("guessing", right - 4, y(chance) - 8, { size: 11, align: "right" });
  for (const run of former)
    pen.line(
      run.tests.map(({ step, accuracy }) => [x(Math.min(step, settings.steps)), y(accuracy[0])]),
      color.faint,
      1.5,
    );
  const last = tests[tests.length - 1];
  const places = apart(last.accuracy.map(y), bottom);
  lengths.forEach((length, k) => {
    const tone = color[CURVES[k]];
    pen.line(
      tests.map(({ step, accuracy }) => [x(step), y(accuracy[k])]),
      tone,
      2.5 - 0.4 * k,
    );
  });
  lengths.forEach((length, k) => {
    const words = `${decimal(last.accuracy[k])} at ${length}`;
    const how = { color: color[CURVES[k]], size: 12, weight: 600, halo: true };
    pen.text(words, Math.min(x(last.step) + 5, right + 5), places[k], how);
  });

  const [lossTop, lossBottom] = [bottom + 30, height - 18];
  const most = Math.max(nats * 1.15, ...losses.slice(0, 400));
  const z = (/** @type {number} */ loss) => lossBottom - (lossBottom - lossTop) * Math.min(1, loss / most);
  pen.text("loss", 30, bottom + 18, { size: 11 });
  if (former.length) pen.text("grey: earlier runs", right, bottom + 14, { size: 11, align: "right" });
  pen.line([[30, lossBottom], [right, lossBottom]], color.line); // prettier-ignore
  pen.line([[30, z(nats)], [right, z(nats)]], color.soft, 1, [3, 3]); // prettier-ignore
  pen.text("guessing", right + 5, z(nats), { size: 11 });
  pen.text("0", 24, lossBottom, { size: 11, align: "right" });
  const every = Math.max(1, Math.floor(losses.length / 400));
  const points = [];
  for (let i = 0; i < losses.length; i += every) {
    const part = losses.slice(Math.max(0, i - 4), i + 1);
    points.push([x(i + 1), z(part.reduce((a, b) => a + b, 0) / part.length)]);
  }
  if (points.length > 1) pen.line(points, color.ink, 1.5);
  pen.text("0", 30, height - 6, { size: 11, align: "center" });
  pen.text(`${settings.steps} steps`, right, height - 6, { size: 11, align: "right" });
  const shares = lengths.map((length, k) => `${decimal(last.accuracy[k])} at ${length} letters`);
  return `After ${report.step} of ${settings.steps} steps, the share of right answers is ${shares.join(", ")}; guessing gives ${decimal(chance)}.`;
}

/**
 * What the model knows of positions, in the form that can be read: clocks, likeness of rows, or a bias by distance.
 * @param {Pen} pen
 * @param {Settings} settings
 * @param {Report} report
 * @param {number} height
 */
export function drawCode(pen, settings, report, height) {
  const { code, d, heads, length, base, causal } = settings;
  pen.begin(height);
  const { color } = pen;
  if (code === "sinusoid" || code === "rotary") {
    const count = (code === "rotary" ? d / heads : d) / 2;
    const shown = Math.min(count, 8);
    const rows = Math.min(length, Math.floor((height - 20) / 26));
    const step = Math.min(30, (pen.w - 34) / shown);
    const radius = Math.min(11, step / 2 - 2);
    pen.text("a row for each place", 0, 8, { size: 11 });
    speeds(count, base)
      .slice(0, shown)
      .forEach((speed, hand) => {
        for (let p = 0; p < rows; p += 1) {
          const y = 32 + p * 26;
          pen.clock(34 + (hand + 0.5) * step, y, radius, [p * speed], () => pen.hand(hand, shown));
          if (!hand) pen.text(String(p), 22, y, { size: 11, align: "right" });
        }
      });
    return `Clock hands at positions 0 to ${rows - 1}; the fastest turns by 1 radian a token, the slowest shown by ${speeds(count, base)[shown - 1].toPrecision(2)}.`;
  }
  if (code === "learned" && report.table) {
    const table = report.table;
    const rows = 2 * length;
    const size = Math.min(pen.w, height - 40);
    const norms = Array.from({ length: rows }, (_, p) => Math.hypot(...table.subarray(p * d, p * d + d)) || 1);
    const box = { x: 0, y: 18, w: size, h: size };
    let nearby = 0;
    pen.text("how alike the rows of two positions are", 0, 8, { size: 11 });
    const like = (/** @type {number} */ a, /** @type {number} */ b) => {
      let sum = 0;
      for (let i = 0; i < d; i += 1) sum += table[a * d + i] * table[b * d + i];
      return sum / norms[a] / norms[b];
    };
    pen.heat(box, rows, rows, (a, b) => {
      const tone = colorOf("signed", 0.5 + like(a, b) / 2);
      if (a < length && b < length) return tone;
      const grey = (tone[0] + tone[1] + tone[2]) / 3;
      return [grey, grey, grey];
    });
    for (let p = 0; p + 1 < length; p += 1) nearby += like(p, p + 1) / (length - 1);
    pen.frame({ ...box, w: size / 2, h: size / 2 }, color.ink, 1.5);
    pen.text(`framed: trained; grey: rows ${length} on, never trained`, 0, height - 6, { size: 11 });
    return `Likeness of the rows of the table: neighbouring rows have a cosine of ${decimal(nearby)} on average. Rows from ${length} on are never trained.`;
  }
  if (report.bias) {
    const { bias } = report;
    const most = Math.min(length - 1, 32);
    const first = causal ? 0 : -most;
    const middle = causal ? length - 1 : Math.floor(length / 2);
    const from = Math.max(-most, -middle);
    const to = causal ? 0 : Math.min(most, length - 1 - middle);
    const values = Array.from({ length: heads }, (_, h) =>
      Array.from({ length: to - from + 1 }, (_, i) => bias[(h * length + middle) * length + middle + from + i]),
    );
    const low = Math.min(-1, ...values.flat());
    const high = Math.max(1, ...values.flat());
    const x = (/** @type {number} */ i) => 30 + ((pen.w - 40) * i) / Math.max(1, to - from);
    const y = (/** @type {number} */ v) => 24 + ((height - 64) * (high - v)) / (high - low);
    pen.text("added to each score, by distance", 0, 8, { size: 11 });
    pen.line([[30, y(0)], [pen.w - 10, y(0)]], color.line); // prettier-ignore
    for (const v of [low, 0, high]) pen.text(v.toFixed(1).replace("-", "−"), 26, y(v), { size: 11, align: "right" });
    values.forEach((line, h) => pen.line(line.map((v, i) => [x(i), y(v)]), pen.hand(h, heads), 2)); // prettier-ignore
    pen.text(`${-from} back`, 30, height - 26, { size: 11 });
    pen.text(to ? `${to} ahead` : "itself", pen.w - 10, height - 26, { size: 11, align: "right" });
    pen.text(heads > 1 ? `a line for each of ${heads} heads` : "", 0, height - 6, { size: 11 });
    const best = values.map((line) => line.indexOf(Math.max(...line)) + from);
    return `Bias by distance, from ${first || from} on. The distance that is favoured most: ${best.join(", ")}.`;
  }
  if (code === "none") {
    pen.text("Nothing: no code is added,", 0, 40, { size: 14, color: color.ink });
    pen.text("nothing is turned,", 0, 62, { size: 14, color: color.ink });
    pen.text(causal ? "only the mask tells before from after." : "the text is a bag of letters.", 0, 84, { size: 14, color: color.ink }); // prettier-ignore
    return causal ? "No code. Only the mask tells before from after." : "No code: the text is a bag of letters.";
  }
  const rows = addedRows(code, report.tokens.map((_, p) => p), d, settings); // prettier-ignore
  const tallest = rows[(length - 1) * d] || 1;
  pen.text("one number, added to the first feature", 0, 8, { size: 11 });
  const wide = (pen.w - 40) / length;
  pen.ctx.fillStyle = color.sin;
  for (let p = 0; p < length; p += 1) {
    const tall = ((height - 60) * rows[p * d]) / tallest;
    pen.ctx.fillRect(34 + p * wide, height - 34 - tall, Math.max(1, wide - 1.5), tall);
  }
  pen.text(String(Number(tallest.toPrecision(3))), 28, 28, { size: 11, align: "right" });
  pen.text("0", 28, height - 34, { size: 11, align: "right" });
  pen.text(`position 0 to ${length - 1}`, 34, height - 18, { size: 11 });
  return `One number for each position, from 0 to ${Number(tallest.toPrecision(3))}, on the first of ${d} features.`;
}
