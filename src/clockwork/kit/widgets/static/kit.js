// A view: its canvas, its controls and the words around them. It draws and selects; it computes nothing.
// All state lives in synced models. Dragging changes them here at once; Python hears of the value at rest.
import "./kit.css";
import { REDUCED, element, keepKeys, listen, shared } from "./elements.js";
import { grabbing } from "./grab.js";
import { guessing } from "./guess.js";
import { guide } from "./guide.js";
import { initialize } from "./lab.js";
import { memory } from "./memory.js";
import { moving } from "./motion.js";
import { painter, paletteOf } from "./painter.js";
import { PLAY_MS, read, slider, slidersOf, smooth, valuesOf } from "./sliders.js";
import { dressTerms, readOut, showTerms } from "./terms.js";

const EASE_MS = 450;
const REST_MS = 500; // after its last move a slider is at rest
const HEIGHT_MOST = 400; // CSS pixels: a picture and what stands round it fit a laptop's screen together
const WIDE_ENOUGH = 700; // from this width on; a narrower page scrolls
const AT_HAND = 2; // controls below a picture; the others are folded
const NOTE_MS = 400; // a screen reader is told only where the picture comes to rest
const THEME_MARKS = ["class", "data-jp-theme-light", "data-theme", "data-vscode-theme-kind"];
async function linked(model, name) {
  const reference = model.get(name);
  if (typeof reference !== "string" || !reference.startsWith("IPY_MODEL_")) return null;
  return model.widget_manager.get_model(reference.slice("IPY_MODEL_".length));
}

// Named arrays of a Data model: .at(i, j, …) is one number, .row(i, …) what lies under leading indices.
function arraysOf(model) {
  if (!model) return {};
  const held = model.get("buffer");
  const bytes = ArrayBuffer.isView(held) ? held : new DataView(held);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return Object.fromEntries(Object.entries(model.get("header")).map(([name, head]) => [name, arrayOf(buffer, head)]));
}

function arrayOf(buffer, { shape, scale, kind, start, count }) {
  const raw = kind === "int32" ? new Int32Array(buffer, start, count) : new Int16Array(buffer, start, count);
  const values = kind === "real" ? Float64Array.from(raw, (v) => (v === -32768 ? NaN : v * scale)) : raw;
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const offset = (index) => {
    let sum = 0;
    for (let axis = 0; axis < index.length; axis += 1) sum += index[axis] * strides[axis];
    return sum;
  };
  return {
    shape,
    values,
    at: (...index) => values[offset(index)],
    row: (...index) => values.subarray(offset(index), offset(index) + (strides[index.length - 1] ?? values.length)),
  };
}

// Controls for keys and screen readers, folded away where the picture itself is what one clicks and drags.
export function folded(title, controls) {
  return element("details", { class: "pe-fold" }, element("summary", {}, title), ...controls);
}

// Where a lesson names its picture, the sliders return to where the reader left them.
function keepStates(p, names) {
  const place = p.model.get("remember");
  if (!place) return;
  let touched = false;
  let timer = 0;
  for (const type of ["pointerdown", "keydown", "click"])
    // a screen reader may send nothing but the click
    p.root.addEventListener(type, () => (touched = true), { capture: true, signal: p.stop });
  const restore = () => {
    if (touched) return;
    for (const name of names) {
      const kept = p.recall(`${place}/${name}`);
      if (p.values(name).includes(kept) && kept !== p.get(name)) p.set(name, kept);
    }
    p.settle();
  };
  const keep = () => {
    for (const name of names) {
      const key = `${place}/${name}`;
      if (p.recall(key) !== p.get(name)) p.remember(key, p.get(name));
    }
  };
  restore();
  p.recalled(restore);
  for (const name of names)
    listen(
      p.storeOf(name),
      `change:${name}`,
      () => {
        clearTimeout(timer);
        if (touched) timer = setTimeout(keep, REST_MS);
      },
      p.stop,
    );
}

// One sentence, what the picture shows, in a place kept for it: it appears when the picture has shown it (`seen`).
function ideaOf(model) {
  const line = element("p", { class: "pe-idea pe-waits", "aria-live": "polite" });
  line.innerHTML = model.get("idea_html");
  return line;
}

// The width at which a picture is drawn: all there is, or as much as keeps it from being too tall.
function fitting(w, height) {
  if (w < WIDE_ENOUGH || height(w) <= HEIGHT_MOST) return w;
  let at = w;
  while (at > w / 2 && height(at) > HEIGHT_MOST) at -= 10;
  return height(at) > HEIGHT_MOST ? w : at;
}

// Everything that is not the picture's first stack: the rest of its caption, further controls, the tour and the goals.
function rest(p, controls) {
  const main = p.model.get("main_controls") ?? [];
  const named = (one) => one.querySelector("[data-name]")?.dataset.name;
  const [kept, more] = [[], []];
  for (const one of controls.querySelectorAll(":scope > :is(.pe-slider, .pe-choice)"))
    (kept.length < AT_HAND && (!main.length || main.includes(named(one))) ? kept : more).push(one);
  const words = element("p", { class: "pe-caption" });
  words.innerHTML = p.model.get("rest_html") ?? "";
  const steps = guide(p);
  const parts = [
    [words.innerHTML, "how to read it", words],
    [more.length, "settings", element("div", { class: "pe-controls" }, ...more)],
    ...steps.map(({ name, part }) => [true, name, part]),
  ].filter(([there]) => there);
  if (!parts.length) return "";
  const fold = folded(
    `More: ${parts.map(([, name]) => name).join(", ")}`,
    parts.map(([, , part]) => part),
  );
  fold.classList.add("pe-more");
  return fold;
}

function watchTheme(act, stop) {
  const observer = new MutationObserver(act);
  for (const node of [document.documentElement, document.body])
    observer.observe(node, { attributes: true, attributeFilter: THEME_MARKS });
  stop.addEventListener("abort", () => observer.disconnect());
}

/** @typedef {{ alt: string, numbers: Record<string, any>, said?: Record<string, string>, reading?: any[], seen?: any }} Drawn */

/**
 * @param {{ wide?: number, height?: (w: number, p: any) => number, draw?: (p: any) => Drawn, build?: (p: any) => void,
 *   cycle?: [string, any][], tells?: Record<string, (p: any) => number> }} made  as kit/widgets/base.py says
 */
export function view({ wide: sideBySide = 0, height, draw, build, cycle = [], tells = {} }) {
  async function render({ model, el }) {
    const ending = new AbortController();
    const stop = ending.signal;
    const cursor = await linked(model, "cursor");
    const data = arraysOf(await linked(model, "data"));
    const storeOf = (name) => (name in slidersOf(cursor) ? cursor : model);
    const root = element("div", { class: "pe" });
    const controls = element("div", { class: "pe-controls" });
    const canvas = element("canvas", { role: "img" });
    const reading = element("p", { class: "pe-reading" });
    const note = element("p", { class: "pe-note", "aria-live": "polite" });
    const ctx = element("canvas").getContext("2d"); // not in the page: there, each font set has all styles computed
    let frame = 0;
    let noting = 0;
    const eased = {};
    let w = 0; // as last observed: to ask for it in each frame would lay the page out each time
    const p = Object.assign(Object.create(painter), {
      root,
      controls,
      canvas,
      ctx,
      data,
      model,
      stop,
      storeOf,
      home: cursor ?? model, // what linked views have in common
      kept: {},
      said: {},
      tells,
      areas: new Map(),
      has: (name) => name in slidersOf(storeOf(name)),
      values: (name) => valuesOf(slidersOf(storeOf(name))[name]),
      get: (name) => read(storeOf(name), name),
      set: (name, value) => storeOf(name).set(name, value),
      recall: (key) => memory.record(key)?.value,
      remember: (key, value) => memory.remember(model, key, value),
      answered: (key) => Boolean(memory.record(key)), // or shown
      recalled: (act) => memory.listen(act, stop),
      settle: () => [model, cursor].forEach((store) => store?.save_changes()),
      // Only the slider's first `count` values make a difference now; what the trait holds beyond is shown as the last.
      limit(name, count) {
        const input = root.querySelector(`[data-name="${name}"]`);
        if (!input || Number(input.max) === count - 1) return;
        input.max = count - 1;
        input.dispatchEvent(new Event("limit"));
      },
      // The value of a slider while it plays, between two of its values, so that what turns with it turns smoothly.
      time(name) {
        const played = shared.playing.get(storeOf(name));
        if (played?.name !== name) return p.get(name);
        p.redraw();
        return Math.max(0, p.get(name) - 1 + Math.min(1, (performance.now() - played.at) / PLAY_MS));
      },
      // A drawn number on its way to `target`, at once where motion is unwelcome.
      ease(key, target) {
        const now = performance.now();
        const move = (eased[key] ??= { from: target, to: target, begun: -EASE_MS });
        const part = Math.min(1, (now - move.begun) / EASE_MS);
        const at = move.from + (move.to - move.from) * smooth(part);
        if (REDUCED.matches) Object.assign(move, { from: target, to: target });
        else if (move.to !== target) Object.assign(move, { from: at, to: target, begun: now });
        if (now - move.begun < EASE_MS) p.redraw();
        return REDUCED.matches ? target : at;
      },
      redraw: () => {
        frame ||= requestAnimationFrame(paint);
      },
      button(label, act) {
        const made = element("button", { type: "button", class: "pe-button" }, label);
        made.addEventListener("click", () => act(made));
        made.addEventListener("keydown", keepKeys);
        controls.append(made);
        return made;
      },
    });
    function paint() {
      frame = 0;
      if (!w || !root.isConnected || stop.aborted) return; // what is not in the page has no colours
      root.classList.toggle("pe-stacked", w < sideBySide);
      const sharp = (p.sharp = devicePixelRatio || 1);
      p.color ??= paletteOf(root);
      const wide = fitting(w, (at) => height(at, p));
      const h = Math.round(height(wide, p));
      const size = { width: Math.round(wide * sharp), height: Math.round(h * sharp) };
      if (canvas.width !== size.width || canvas.height !== size.height) {
        Object.assign(canvas, size);
        Object.assign(ctx.canvas, size);
        canvas.style.height = `${h}px`;
        figure.style.width = `${wide}px`;
      }
      ctx.save();
      ctx.scale(sharp, sharp);
      ctx.clearRect(0, 0, wide, h);
      p.areas.clear();
      const { alt, numbers, said = {}, reading: line, seen } = draw(Object.assign(p, { w: wide, h }));
      if (seen && idea) idea.classList.remove("pe-waits");
      guess?.look(seen);
      ghost();
      ctx.restore();
      const page = canvas.getContext("2d");
      page.globalCompositeOperation = "copy";
      page.drawImage(ctx.canvas, 0, 0);
      const first = !root.shown;
      root.shown = numbers;
      p.said = said;
      if (readOut(reading, line ?? []) || first) dressTerms();
      else showTerms(p);
      if (canvas.getAttribute("aria-label") === alt) return;
      canvas.setAttribute("aria-label", alt);
      clearTimeout(noting);
      noting = setTimeout(() => (note.textContent = alt), note.textContent ? NOTE_MS : 0);
    }
    let guess = null;
    let ghost = () => {};
    const own = Object.keys(slidersOf(model)).filter((name) => storeOf(name) === model);
    const idea = model.get("idea_html") && ideaOf(model);
    const figure = element("div", { class: "pe-figure" }, canvas);
    for (const name of [...(model.get("follows") ?? []), ...own]) {
      const values = p.values(name);
      if (values.length === 1 && typeof values[0] === "string") continue; // nothing to choose
      controls.append(slider(storeOf(name), name, stop));
    }
    if (draw) {
      const caption = element("p", { class: "pe-caption" });
      caption.innerHTML = model.get("caption_html") ?? "";
      const line = element("p", { class: "pe-todo" });
      line.innerHTML = model.get("todo_html") ?? "";
      root.append(line, figure, reading, note, caption, controls);
      if (idea) controls.after(idea);
      for (const store of [model, cursor]) if (store) listen(store, "change", p.redraw, stop);
      const repaint = () => {
        p.color = null;
        p.kept = {};
        p.redraw();
      };
      watchTheme(repaint, stop);
      document.fonts.addEventListener("loadingdone", repaint, { signal: stop });
      const sized = new ResizeObserver(([{ contentRect }]) => {
        w = Math.round(contentRect.width) || w; // JupyterLab hides the page for the frame in which it changes the theme
        p.redraw();
      });
      sized.observe(root);
      grabbing(p, figure);
      guess = guessing(p, figure);
      if (guess) figure.before(guess.head);
      if (guess) controls.after(guess.foot); // below the controls, which stay where they are when it grows
      ghost = moving(p, figure, cycle);
      keepStates(p, [...(model.get("follows") ?? []), ...own]);
      shared.views.add(p);
      stop.addEventListener("abort", () => {
        shared.views.delete(p);
        sized.disconnect();
        cancelAnimationFrame(frame);
        clearTimeout(noting);
      });
    } else root.append(controls);
    if (build) build(p);
    if (draw) root.append(rest(p, controls));
    memory.attach(model, stop);
    el.append(root);
    return () => {
      ending.abort();
      root.remove();
    };
  }
  return { initialize, render };
}
