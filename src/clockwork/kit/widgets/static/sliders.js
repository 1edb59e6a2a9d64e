// Sliders: synced traits of a model that take one value of an ordered set, moved by hand, in time or by a link.
import { REDUCED, element, keepKeys, listen, nextId, shared } from "./elements.js";
import { say } from "./painter.js";

export const PLAY_MS = 140;
const GLIDE_MS = 600;

export function valuesOf({ values }) {
  if (Array.isArray(values)) return values;
  return Array.from({ length: values.count }, (_, i) => values.start + i * values.step);
}

// The place of a value; the nearest one for a value that a link from elsewhere has set.
export function placeOf(values, value) {
  const exact = values.indexOf(value);
  if (exact >= 0 || typeof value !== "number") return Math.max(exact, 0);
  return values.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(values[best] - value) ? i : best), 0);
}

export const nearest = (values, value) => values[placeOf(values, value)];

export const slidersOf = (store) => store?.get("sliders") ?? {};

export function read(store, name) {
  const spec = slidersOf(store)[name];
  if (!spec) return store.get(name);
  const values = valuesOf(spec);
  return values[placeOf(values, store.get(name))];
}

export function slider(store, name, stop) {
  const spec = slidersOf(store)[name];
  const values = valuesOf(spec);
  const made = values.every((value) => typeof value === "string") ? choice : track;
  return made(store, name, { ...spec, values, id: `${nextId()}-${name}` }, stop);
}

// Names are chosen by buttons: native radio inputs, so that arrow keys walk through them.
function choice(store, name, { label, values, id, names = values }, stop) {
  const row = element("fieldset", { class: "pe-choice" }, element("legend", {}, label));
  const inputs = values.map((value, i) => {
    const input = element("input", { type: "radio", name: id, value, "data-name": name });
    row.append(element("label", {}, input, element("span", {}, names[i])));
    input.addEventListener("change", () => {
      store.set(name, value);
      store.save_changes();
    });
    return input;
  });
  const show = () => (inputs[placeOf(values, store.get(name))].checked = true);
  listen(store, `change:${name}`, show, stop);
  show();
  row.addEventListener("keydown", keepKeys);
  return row;
}

function track(store, name, { label, values, id, play }, stop) {
  const width = Math.max(...values.map((v) => say(v).length));
  const length = `--length:${40 + 12 * values.length}px`;
  const end = values.length - 1;
  const input = element("input", { type: "range", id, min: 0, max: end, step: 1, "data-name": name, style: length });
  const output = element("output", { for: id, style: `min-width:${width + 0.5}ch` }); // a minus is wider than a digit
  const put = (place) => store.set(name, values[place]);
  const show = () => {
    const value = values[Math.min(placeOf(values, store.get(name)), input.max)];
    input.value = values.indexOf(value);
    input.setAttribute("aria-valuetext", say(value));
    output.textContent = say(value);
  };
  const row = element("div", { class: "pe-slider" }, element("label", { for: id }, label), input, output);
  const player = play ? playing(store, name, { label, values, put }, stop) : null;
  if (play) row.append(player.button);
  input.addEventListener("input", () => {
    player?.pause();
    put(Number(input.value));
  });
  input.addEventListener("change", () => store.save_changes());
  input.addEventListener("limit", show);
  listen(store, `change:${name}`, show, stop);
  show();
  row.addEventListener("keydown", keepKeys);
  return row;
}

// A button that moves a slider through its values in time, or by one value where motion is unwelcome.
function playing(store, name, { label, values, put }, stop) {
  let timer = null;
  const button = element("button", { type: "button", class: "pe-play" });
  const face = () => {
    button.textContent = timer ? "❚❚" : "▶";
    button.setAttribute("aria-label", `${timer ? "pause" : REDUCED.matches ? "next" : "play"} ${label}`);
  };
  const seen = () => {
    const { top, bottom } = (button.closest(".pe") ?? button).getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const step = () => {
    if (!seen()) return pause(); // nothing moves out of view
    shared.playing.set(store, { name, at: performance.now() });
    put((placeOf(values, store.get(name)) + 1) % values.length);
  };
  const pause = () => {
    if (!timer) return;
    timer = clearInterval(timer);
    shared.playing.delete(store);
    face();
    store.save_changes();
  };
  button.addEventListener("click", () => {
    if (timer) return pause();
    step();
    if (REDUCED.matches) {
      shared.playing.delete(store);
      return store.save_changes();
    }
    timer = setInterval(step, PLAY_MS);
    face();
  });
  face();
  stop.addEventListener("abort", pause);
  return { button, pause };
}

export const smooth = (part) => part * part * (3 - 2 * part);

// Move sliders to given values through those between, at once where motion is unwelcome.
export function glide(storeOf, state, done, { ms = GLIDE_MS, halted = () => false } = {}) {
  const moves = Object.entries(state).map(([name, value]) => {
    const values = valuesOf(slidersOf(storeOf(name))[name]);
    return { name, values, from: placeOf(values, storeOf(name).get(name)), to: placeOf(values, value) };
  });
  const start = performance.now();
  const frame = (now) => {
    if (halted()) return;
    const part = REDUCED.matches ? 1 : Math.min(1, Math.max(0, (now - start) / ms));
    const eased = smooth(part);
    for (const { name, values, from, to } of moves)
      storeOf(name).set(name, values[Math.round(from + (to - from) * eased)]);
    if (part < 1) requestAnimationFrame(frame);
    else done();
  };
  frame(start);
}
