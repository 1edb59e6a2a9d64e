// The reader's own sentence: a field for it, numbers that only a word's letters decide (as typed.py draws them), and a
// memory for what was made of it.
import "./typed.css";
import { element, keepKeys, listen, nextId } from "./elements.js";

const FEWEST = 2;
const MOST = 12;
const FNV_START = 2166136261;
const FNV_PRIME = 16777619;
const LCG_FACTOR = 1664525;
const LCG_STEP = 1013904223;

export function drawnFrom(text, count) {
  let state = FNV_START;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0), FNV_PRIME);
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, LCG_FACTOR) + LCG_STEP) >>> 0;
    return ((2 * state) / 2 ** 32 - 1) * Math.sqrt(3);
  });
}

export function short(p, word, space) {
  p.ctx.font = `600 13px ${p.color.font}`;
  if (p.ctx.measureText(word).width <= space) return word;
  const fits = (count) => p.ctx.measureText(`${word.slice(0, count)}…`).width <= space;
  let count = word.length;
  while (count > 1 && !fits(count)) count -= 1;
  return `${word.slice(0, count)}…`;
}

// The field above a picture; `become` gets the words of a sentence that is neither too short nor too long. `button` puts
// one behind it.
export function ownSentence(p, become) {
  const id = nextId();
  const field = element("input", { type: "text", id, autocomplete: "off", spellcheck: "false" });
  const hint = element("span", { class: "pe-hint", role: "status" });
  const use = element("button", { type: "submit" }, "Use it");
  const label = element("label", { for: id }, `your own sentence (${FEWEST} to ${MOST} words)`);
  const form = element("form", { class: "pe-own" }, label, field, use, hint);
  const show = () => (field.value = p.get("given").join(" "));
  show();
  listen(p.model, "change:given", show, p.stop);
  form.addEventListener("keydown", keepKeys);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = field.value.trim().split(/\s+/).filter(Boolean);
    const fits = words.length >= FEWEST && words.length <= MOST;
    hint.textContent = fits ? "" : `It needs ${FEWEST} to ${MOST} words, this has ${words.length}.`;
    if (fits) become(words);
  });
  p.root.prepend(form);
  return {
    button(text, act) {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", () => {
        hint.textContent = "";
        act();
      });
      hint.before(made);
    },
  };
}

// Where a lesson names its picture, these traits return to what the reader made of them; `p.rest()` keeps them.
export function keepWords(p, names) {
  const place = p.model.get("remember");
  const restore = () => {
    const kept = place && p.recall(`${place}/words`);
    if (kept) for (const name of names) p.set(name, kept[name]);
  };
  p.rest = () => {
    p.settle();
    if (place) p.remember(`${place}/words`, Object.fromEntries(names.map((name) => [name, p.get(name)])));
  };
  restore();
  p.recalled(() => p.root.contains(document.activeElement) || restore());
}
