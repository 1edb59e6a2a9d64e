// Two trained models that answer while a reader steers them.
import { speeds } from "./codes.js";
import { element, keepKeys } from "./elements.js";
import { silenced, turnedScores, turningPart } from "./head.js";
import { Memory } from "./memory.js";
import { Random } from "./numbers.js";
import { Pen, colorOf } from "./pen.js";
import { argmax } from "./tape.js";
import { revived } from "./weights.js";

/** @typedef {import("./weights.js").Kept & { words?: string[] }} Kept */

const SMALL_MEMORY = 8;
const SENTENCE = ["tom", "bit", "a", "dog"];
const LAST_PLACE = 7; // tokens: where a word can be put
const FINE = 0.1; // tokens, of a move by an arrow key
const HANDS = 4;
const LENGTH = 32; // tokens of the knob's text
const MOST_BACK = 20;
const TRAINED_BACK = 3;

/**
 * Draw again when the size or the theme changes; returns what ends that.
 * @param {HTMLElement} root
 * @param {() => void} draw
 */
function watched(root, draw) {
  const sized = new ResizeObserver(draw);
  sized.observe(root);
  const themes = new MutationObserver(draw);
  for (const node of [document.documentElement, document.body])
    themes.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class"] });
  return () => {
    sized.disconnect();
    themes.disconnect();
  };
}

/**
 * "Who is hurt?": drag the words of a sentence along the line of positions.
 * @param {HTMLElement} root
 * @param {Kept} kept
 */
export function whoIsHurt(root, kept) {
  const model = revived(kept, new Memory({ megabytes: SMALL_MEMORY }));
  const words = /** @type {string[]} */ (kept.words);
  const tokens = SENTENCE.map((word) => words.indexOf(word));
  const places = SENTENCE.map((_, p) => p);
  root.classList.add("pe", "pg", "pg-steer");
  const pen = new Pen(element("canvas", { role: "img" }));
  const said = element("p", { class: "pg-status", role: "status" });
  const sliders = SENTENCE.map((word, i) => {
    const input = element("input", { type: "range", min: 0, max: LAST_PLACE, step: FINE, value: i });
    input.addEventListener("input", () => put(i, Number(input.value)));
    return {
      input,
      label: element("label", { class: "pg-field" }, element("span", {}, `where “${word}” stands`), input),
    };
  });
  root.append(pen.canvas, said, element("div", { class: "pg-bar" }, ...sliders.map(({ label }) => label)));
  keepKeys(root);
  let held = -1;
  let answered = "";

  /** @param {number} i @param {number} place */
  function put(i, place) {
    places[i] = Math.max(0, Math.min(LAST_PLACE, Math.round(place / FINE) * FINE));
    sliders[i].input.value = String(places[i]);
    sliders[i].input.setAttribute("aria-valuetext", `position ${places[i].toFixed(1)}`);
    draw();
  }

  const margin = 40;
  const x = (/** @type {number} */ place) => margin + ((pen.w - 2 * margin) * place) / LAST_PLACE;
  const placeAt = (/** @type {number} */ at) => ((at - margin) / (pen.w - 2 * margin)) * LAST_PLACE;

  function draw() {
    if (!root.clientWidth) return;
    const { logits } = model.forward(tokens, 1, { positions: places });
    const sums = words.map((_, w) => tokens.reduce((sum, _t, i) => sum + logits.data[i * words.length + w], 0) / 4);
    const best = Math.max(...sums);
    const all = sums.reduce((sum, v) => sum + Math.exp(v - best), 0);
    const share = (/** @type {string} */ word) => Math.exp(sums[words.indexOf(word)] - best) / all;
    const answer = words[argmax(sums)];

    pen.begin(224);
    const { color, ctx } = pen;
    pen.line([[margin, 118], [pen.w - margin, 118]], color.line); // prettier-ignore
    for (let p = 0; p <= LAST_PLACE; p += 1) {
      pen.line([[x(p), 114], [x(p), 122]], color.soft); // prettier-ignore
      pen.text(String(p), x(p), 134, { align: "center", size: 11 });
    }
    const omega = speeds(16, 10000).slice(0, HANDS);
    SENTENCE.forEach((word, i) => {
      const name = i === 0 || i === 3;
      pen.text(word, x(places[i]), 30 + (i % 2) * 4, {
        align: "center",
        size: 20,
        weight: name ? 700 : 400,
        color: color.ink,
      });
      pen.clock(
        x(places[i]),
        80,
        24,
        omega.map((speed) => places[i] * speed),
        (hand) => pen.hand(hand, HANDS),
      );
    });
    pen.text("Who is hurt?", margin, 160, { size: 15, color: color.ink, weight: 600 });
    ["dog", "tom"].forEach((word, row) => {
      const y = 184 + row * 24;
      const left = margin + 44;
      const wide = pen.w - margin - left - 50;
      pen.text(word, left - 8, y, { align: "right", size: 14, color: color.ink, weight: answer === word ? 700 : 400 });
      ctx.fillStyle = answer === word ? color.green : color.faint;
      ctx.fillRect(left, y - 7, Math.max(1, wide * share(word)), 14);
      pen.text(share(word).toFixed(2), left + wide * share(word) + 6, y, { size: 12 });
    });
    pen.canvas.setAttribute("aria-label", SENTENCE.map((word, i) => `${word} at ${places[i].toFixed(1)}`).join(", "));
    if (answer !== answered) said.textContent = `The model answers: ${answer}.`;
    answered = answer;
  }

  const canvas = pen.canvas;
  canvas.style.touchAction = "pan-y";
  canvas.style.cursor = "ew-resize";
  canvas.addEventListener("pointerdown", (event) => {
    const near = SENTENCE.map((_, i) => Math.abs(event.offsetX - x(places[i])));
    held = near.indexOf(Math.min(...near));
    if (near[held] > 44) held = -1;
    else canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held >= 0) put(held, placeAt(event.offsetX));
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (held = -1));
  return watched(root, draw);
}

/**
 * The knob: a model that learned "three back" answers any number of places back when its head is turned.
 * @param {HTMLElement} root
 * @param {Kept} kept
 */
export function knob(root, kept) {
  const model = revived(kept, new Memory({ megabytes: SMALL_MEMORY }));
  const { heads } = model.settings;
  const parts = Array.from({ length: /** @type {number} */ (heads) }, (_, head) => turningPart(model, head));
  silenced(model);
  const random = new Random(3);
  const tokens = Array.from({ length: LENGTH }, () => random.below(16));
  let back = TRAINED_BACK;
  root.classList.add("pe", "pg", "pg-steer");
  const pen = new Pen(element("canvas", { role: "img" }));
  const said = element("p", { class: "pg-status", role: "status" });
  const input = element("input", { type: "range", min: 1, max: MOST_BACK, step: 1, value: back });
  input.addEventListener("input", () => {
    back = Number(input.value);
    draw();
  });
  const label = element(
    "label",
    { class: "pg-field pg-knob" },
    element("span", {}, "turn the head: places back"),
    input,
  );
  root.append(element("div", { class: "pg-bar" }, label), pen.canvas, said);
  keepKeys(root);

  function draw() {
    if (!root.clientWidth) return;
    const scores = turnedScores(model, parts, LENGTH, back - TRAINED_BACK);
    const { logits, maps } = model.forward(tokens, 1, { scores });
    const answers = tokens.map((_, i) => argmax(logits.data.subarray(i * 16, i * 16 + 16)));
    const narrow = pen.canvas.clientWidth < 620;
    const side = narrow ? Math.min(300, pen.canvas.clientWidth - 20) : 230;
    pen.begin(side + 130);
    const { color, ctx } = pen;
    const step = Math.min(30, (pen.w - 8) / LENGTH);
    const left = (pen.w - step * LENGTH) / 2;
    let right = 0;
    tokens.forEach((token, i) => {
      const at = left + (i + 0.5) * step;
      const size = Math.min(15, step * 0.75);
      pen.text(String.fromCharCode(97 + token), at, 56, { align: "center", size, color: color.ink, weight: 500 });
      if (i < back) return;
      const good = answers[i] === tokens[i - back];
      right += good ? 1 : 0;
      pen.text(String.fromCharCode(97 + answers[i]), at, 84, {
        align: "center",
        size,
        weight: good ? 700 : 400,
        color: good ? color.right : color.wrong,
      });
    });
    const from = LENGTH - 4;
    const [a, b] = [left + (from + 0.5) * step, left + (from - back + 0.5) * step];
    ctx.strokeStyle = color.sin;
    ctx.lineWidth = 2.5;
    ctx.beginPath();
    ctx.moveTo(a, 46);
    ctx.bezierCurveTo(a, 46 - Math.min(44, 10 + back * 3), b, 46 - Math.min(44, 10 + back * 3), b, 46);
    ctx.stroke();
    const box = { x: (pen.w - side) / 2, y: 118, w: side, h: side };
    pen.text("whom the head listens to: rows listen to columns", pen.w / 2, 106, { align: "center", size: 11 });
    pen.heat(box, LENGTH, LENGTH, (i, j) => colorOf("magnitude", maps[0][i * LENGTH + j]));
    const words = `Asked ${back} back, the model that learned three back gets ${right} of ${LENGTH - back} answers right.`;
    pen.canvas.setAttribute("aria-label", words);
    input.setAttribute("aria-valuetext", `${back} back`);
    said.textContent = words;
  }
  return watched(root, draw);
}

const KINDS = { "who is hurt": whoIsHurt, knob };

/**
 * As an anywidget: `kind` says which of the two, `kept` holds the model.
 * @param {{ model: { get: (name: string) => any }, el: HTMLElement }} given
 */
export function render({ model, el }) {
  const root = document.createElement("div");
  el.append(root);
  return KINDS[/** @type {"knob"} */ (model.get("kind"))](root, model.get("kept"));
}

/** Take the places of the stills on a page of the site, whose data hold the models. */
export function mount() {
  const data = document.getElementById("clockwork-steered")?.textContent;
  if (!data) return;
  const models = JSON.parse(data);
  for (const place of document.querySelectorAll("[data-steered]")) {
    const kind = /** @type {"knob"} */ (place.getAttribute("data-steered"));
    const root = document.createElement("div");
    place.replaceChildren(root);
    KINDS[kind](root, models[kind]);
  }
}
