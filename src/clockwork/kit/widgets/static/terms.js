// Words that are tied to pictures: a word lights a part, a number is scrubbed or shown. In captions, tours and the line
// under a picture they are <span data-term data-value>, <span data-scrub>, <span data-show>; in the page around, where
// only classes survive, <span class="pe-hand-3">, <span class="pe-scrub-position">, <span class="pe-show-angle">.
import { element, ours, shared } from "./elements.js";
import { light } from "./grab.js";
import { say } from "./painter.js";
import { placeOf, slidersOf } from "./sliders.js";

const SCRUB_PIXELS = 6; // a step of a scrubbed number
const SPEEDS = 'mjx-msub, g[data-mml-node="msub"]'; // formulas as MathJax sets them
const OMEGA = ".mjx-c1D714, [data-c='1D714']";

export const term = (name, value, text) => ({ term: name, value, text });
export const scrub = (name) => ({ scrub: name });
export const raised = (part) => ({ ...(typeof part === "string" ? { text: part } : part), raised: "pe-raised" }); // an exponent
export const lowered = (text) => ({ text, raised: "pe-lowered" }); // an index

// The line under a picture: texts and tied words, changed in place so that a focused number keeps its focus. Says whether
// any of them is new.
export function readOut(line, parts) {
  let grown = false;
  parts.forEach((part, i) => {
    const kind = typeof part === "string" ? "" : `${part.scrub} ${part.term} ${part.raised}`;
    let node = line.childNodes[i];
    if (node?.kind !== kind) {
      grown = true;
      const made = kind ? element("span", { class: part.raised ?? "" }) : document.createTextNode("");
      if (node) node.replaceWith(made);
      else line.append(made);
      node = Object.assign(made, { kind });
      if (part.scrub) node.dataset.scrub = part.scrub;
      if (part.term) node.dataset.term = part.term;
    }
    if (part.term) node.dataset.value = part.value;
    const text = part.text ?? part;
    if (!part.scrub && node.textContent !== text) node.textContent = text;
  });
  while (line.childNodes.length > parts.length) line.lastChild.remove();
  return grown;
}

// A word's view: the one it stands in, else the first one below it in the page that knows the name, else the last above.
function viewOf(mark, name, knows) {
  const able = [...shared.views].filter((p) => p.root.isConnected && knows(p, name));
  const within = able.find((p) => p.root.contains(mark));
  if (within) return within;
  const below = (p) => mark.compareDocumentPosition(p.root) & Node.DOCUMENT_POSITION_FOLLOWING;
  const order = (p, q) => (p.root.compareDocumentPosition(q.root) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
  able.sort(order);
  return able.find(below) ?? able.at(-1);
}

const knowsSlider = (p, name) => p.has(name);
const knowsNumber = (p, name) => name in p.said;

function valueOf(p, name, text) {
  if (text === undefined) return p.get(name);
  const slug = (value) => String(value).replace(/\W+/g, "-");
  return p.values(name).find((value) => String(value) === text || slug(value) === slug(text));
}

// Turn classes of the page around into the attributes that marks within a widget have, and make all reachable by keys.
export function dressTerms() {
  for (const span of document.querySelectorAll('span[class*="pe-"]:not(.pe-mark)')) {
    const [, kind, name, value] = /(?:^|\s)pe-(?:(scrub|show)-)?(\w+?)(?:-(\S+))?(?:\s|$)/.exec(span.className) ?? [];
    if (!name || span.closest(".pe")) continue;
    if (kind) span.dataset[kind] = name;
    else if ([...shared.views].some((p) => p.has(name)))
      Object.assign(span.dataset, { term: name }, value && { value });
  }
  if ([...shared.views].some((p) => p.has("hand")))
    for (const symbol of document.querySelectorAll(SPEEDS))
      if (symbol.querySelector(OMEGA)) symbol.dataset.term = "hand";
  for (const mark of document.querySelectorAll("[data-term]:not(.pe-mark), [data-scrub]:not(.pe-mark)")) {
    mark.classList.add("pe-mark");
    if (mark.closest("[aria-hidden=true]")) continue; // a part of a formula, which is read aloud as a whole
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", mark.dataset.scrub ? "slider" : "button");
  }
  shared.marks = [...document.querySelectorAll(".pe-mark, [data-show]")].map((mark) => {
    const { term: named, scrub: number, show } = mark.dataset;
    const name = named ?? number ?? show;
    return { mark, name, p: viewOf(mark, name, show ? knowsNumber : knowsSlider) };
  });
  for (const p of shared.views) showTerms(p);
}

// Give the scrubbed and shown numbers that belong to a view its values, and light the words for what is lit.
export function showTerms(p) {
  const lit = shared.lit.get(p.home) ?? {};
  for (const { mark, name, p: owner } of shared.marks ?? []) {
    if (owner !== p) continue;
    const { value, scrub: number, show } = mark.dataset;
    if (show) {
      if (mark.textContent !== p.said[show]) mark.textContent = p.said[show];
      continue;
    }
    if (number) showNumber(p, mark, number);
    const meant = number ? p.get(name) : valueOf(p, name, value);
    mark.classList.toggle("pe-lit", lit[name] !== undefined && lit[name] === meant);
    const tint = p.tints?.(name, meant);
    if (tint) mark.style.setProperty("--pe-tint", tint);
  }
}

function showNumber(p, mark, name) {
  const values = p.values(name);
  const text = say(p.get(name));
  mark.setAttribute("aria-valuemax", lastOf(p, name)); // another slider may have moved it
  if (mark.getAttribute("aria-valuetext") === text) return;
  mark.textContent = text;
  mark.setAttribute("aria-label", slidersOf(p.storeOf(name))[name].label);
  mark.setAttribute("aria-valuemin", 0);
  mark.setAttribute("aria-valuenow", placeOf(values, p.get(name)));
  mark.setAttribute("aria-valuetext", text);
}

// The place of the last value that makes a difference now.
function lastOf(p, name) {
  const input = p.root.querySelector(`input[type=range][data-name="${name}"]`);
  return input ? Number(input.max) : p.values(name).length - 1;
}

function stepBy(p, name, from, steps) {
  p.set(name, p.values(name)[Math.max(0, Math.min(lastOf(p, name), from + steps))]);
}

// One set of listeners a page, for words that a notebook renders again and again.
function followWords() {
  const marked = (event) => event.target.closest?.(".pe-mark");
  const on = (type, act) => {
    const heard = (event) => {
      const mark = marked(event);
      const name = mark && (mark.dataset.term ?? mark.dataset.scrub);
      const p = name && viewOf(mark, name, knowsSlider);
      if (p) act(event, mark, name, p);
    };
    addEventListener(type, heard, true);
  };
  const shine = (event, mark, name, p) =>
    light(p.home, { [name]: mark.dataset.term ? valueOf(p, name, mark.dataset.value) : p.get(name) });
  const fade = (event, mark, name, p) => light(p.home, null);
  on("pointerover", shine);
  on("focusin", shine);
  on("pointerout", fade);
  on("focusout", fade);
  const choose = (mark, name, p) => {
    if (mark.dataset.value === undefined) return;
    p.set(name, valueOf(p, name, mark.dataset.value));
    p.settle();
  };
  on("click", (event, mark, name, p) => choose(mark, name, p));
  on("keydown", (event, mark, name, p) => {
    if (!ours(event)) return;
    event.stopPropagation();
    if (event.key === "Enter" || event.key === " ") choose(mark, name, p);
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
    const far = { Home: -Infinity, End: Infinity };
    const step = steps[event.key] ?? far[event.key];
    if (!mark.dataset.scrub || step === undefined) return;
    event.preventDefault();
    stepBy(p, name, placeOf(p.values(name), p.get(name)), step);
    p.settle();
  });
  on("pointerdown", (event, mark, name, p) => {
    if (!mark.dataset.scrub || event.button) return;
    event.preventDefault();
    mark.focus();
    const from = placeOf(p.values(name), p.get(name));
    const move = (now) => stepBy(p, name, from, Math.round((now.clientX - event.clientX) / SCRUB_PIXELS));
    const done = new AbortController();
    const end = () => {
      done.abort();
      p.settle();
    };
    addEventListener("pointermove", move, { signal: done.signal });
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, end, { signal: done.signal });
  });
  let waiting = 0;
  const again = () => {
    waiting ||= setTimeout(() => {
      waiting = 0;
      dressTerms();
    }, 200);
  };
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => !target.closest?.(".pe, .pe-mark, [data-show]"))) again();
  }).observe(document.body, { childList: true, subtree: true });
}
if (!shared.followsWords) {
  shared.followsWords = true;
  followWords();
}
