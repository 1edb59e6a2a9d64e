// Shared by every widget: Python puts this text in front of the widget's own. It draws and selects; it computes nothing.
// All state lives in synced models. Dragging changes them here at once; Python hears of the value at rest.

const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");
const PLAY_MS = 140;
const GLIDE_MS = 600;
const EASE_MS = 450;
const REST_MS = 500; // after its last move a slider is at rest
const NOTE_MS = 400; // a screen reader is told only where the picture comes to rest
const THEME_MARKS = ["class", "data-jp-theme-light", "data-theme", "data-vscode-theme-kind"];
// What the widgets of a page share, each of which brings its own copy of this text.
const shared = (globalThis.peKit ??= { views: new Set(), lit: new Map(), playing: new Map(), serial: 0 });
const nextId = () => `pe-${(shared.serial += 1)}`;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function listen(model, event, act, stop) {
  model.on(event, act);
  stop.addEventListener("abort", () => model.off(event, act));
}

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

function valuesOf({ values }) {
  if (Array.isArray(values)) return values;
  return Array.from({ length: values.count }, (_, i) => values.start + i * values.step);
}

// The place of a value; the nearest one for a value that a link from elsewhere has set.
function placeOf(values, value) {
  const exact = values.indexOf(value);
  if (exact >= 0 || typeof value !== "number") return Math.max(exact, 0);
  return values.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(values[best] - value) ? i : best), 0);
}

const nearest = (values, value) => values[placeOf(values, value)];

const slidersOf = (store) => store?.get("sliders") ?? {};

function read(store, name) {
  const spec = slidersOf(store)[name];
  if (!spec) return store.get(name);
  const values = valuesOf(spec);
  return values[placeOf(values, store.get(name))];
}

// JupyterLab takes arrow keys and letters for its own commands unless they stop here; Notebook 7 looks before they come
// here, and passes over what is so marked.
const ours = ({ key, ctrlKey, metaKey, shiftKey }) =>
  key !== "Tab" && key !== "Escape" && !ctrlKey && !metaKey && !(shiftKey && key === "Enter");
function keepKeys(event) {
  if (ours(event)) event.stopPropagation();
}
function markKeys(event) {
  if (event.target.matches?.(".pe input, .pe button, .pe-mark"))
    event.target.toggleAttribute("data-lm-suppress-shortcuts", ours(event));
}
if (!shared.marksKeys) addEventListener("keydown", (shared.marksKeys = markKeys), true);

function slider(store, name, stop) {
  const spec = slidersOf(store)[name];
  const values = valuesOf(spec);
  const made = values.every((value) => typeof value === "string") ? choice : track;
  return made(store, name, { ...spec, values, id: `${nextId()}-${name}` }, stop);
}

// Names are chosen by buttons: native radio inputs, so that arrow keys walk through them.
function choice(store, name, { label, values, id }, stop) {
  const row = element("fieldset", { class: "pe-choice" }, element("legend", {}, label));
  const inputs = values.map((value) => {
    const input = element("input", { type: "radio", name: id, value, "data-name": name });
    row.append(element("label", {}, input, element("span", {}, value)));
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

// Controls for keys and screen readers, folded away where the picture itself is what one clicks and drags.
function folded(title, controls) {
  return element("details", { class: "pe-fold" }, element("summary", {}, title), ...controls);
}

// A button that moves a slider through its values in time, or by one value where motion is unwelcome.
function playing(store, name, { label, values, put }, stop) {
  let timer = null;
  const button = element("button", { type: "button", class: "pe-play" });
  const face = () => {
    button.textContent = timer ? "❚❚" : "▶";
    button.setAttribute("aria-label", `${timer ? "pause" : REDUCED.matches ? "next" : "play"} ${label}`);
  };
  const step = () => {
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

const smooth = (part) => part * part * (3 - 2 * part);

// Move sliders to given values through those between, at once where motion is unwelcome.
function glide(storeOf, state, done) {
  const moves = Object.entries(state).map(([name, value]) => {
    const values = valuesOf(slidersOf(storeOf(name))[name]);
    return { name, values, from: placeOf(values, storeOf(name).get(name)), to: placeOf(values, value) };
  });
  const start = performance.now();
  const frame = (now) => {
    const part = REDUCED.matches ? 1 : Math.min(1, Math.max(0, (now - start) / GLIDE_MS));
    const eased = smooth(part);
    for (const { name, values, from, to } of moves)
      storeOf(name).set(name, values[Math.round(from + (to - from) * eased)]);
    if (part < 1) requestAnimationFrame(frame);
    else done();
  };
  frame(start);
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

function watchTheme(act, stop) {
  const observer = new MutationObserver(act);
  for (const node of [document.documentElement, document.body])
    observer.observe(node, { attributes: true, attributeFilter: THEME_MARKS });
  stop.addEventListener("abort", () => observer.disconnect());
}

function view({ height, draw, build, tells = {} }) {
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
      recalled: (act) => memory.listen(act, stop),
      settle: () => [model, cursor].forEach((store) => store?.save_changes()),
      // Only the slider's first `count` values make a difference now; what the trait holds beyond is shown as the last.
      limit(name, count) {
        const input = controls.querySelector(`[data-name="${name}"]`);
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
      const sharp = (p.sharp = devicePixelRatio || 1);
      p.color ??= paletteOf(root);
      const h = Math.round(height(w, p));
      const size = { width: Math.round(w * sharp), height: Math.round(h * sharp) };
      if (canvas.width !== size.width || canvas.height !== size.height) {
        Object.assign(canvas, size);
        Object.assign(ctx.canvas, size);
        canvas.style.height = `${h}px`;
      }
      ctx.save();
      ctx.scale(sharp, sharp);
      ctx.clearRect(0, 0, w, h);
      p.areas.clear();
      const { alt, numbers, said = {}, reading: line, seen } = draw(Object.assign(p, { w, h }));
      if (seen) idea?.classList.remove("pe-waits");
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
    const own = Object.keys(slidersOf(model)).filter((name) => storeOf(name) === model);
    const idea = model.get("idea_html") && ideaOf(model);
    const todo = model.get("todo_html"); // of a scene: what to do, the picture, its main controls, and the others folded
    const more = element("div", { class: "pe-controls" });
    for (const name of [...(model.get("follows") ?? []), ...own]) {
      const place = todo && !model.get("main_controls").includes(name) ? more : controls;
      place.append(slider(storeOf(name), name, stop));
    }
    root.append(controls);
    if (draw) {
      const caption = element("p", { class: "pe-caption" });
      caption.innerHTML = model.get("caption_html") ?? "";
      const figure = element("div", { class: "pe-figure" }, canvas);
      root.append(figure, reading, note, caption);
      if (todo) {
        const line = element("p", { class: "pe-todo" });
        line.innerHTML = todo;
        root.prepend(line);
        note.after(controls);
        if (more.childElementCount) controls.after(folded("more", [more]));
      }
      if (idea) caption.before(idea);
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
      guide(p);
      keepStates(p, [...(model.get("follows") ?? []), ...own]);
      shared.views.add(p);
      stop.addEventListener("abort", () => {
        shared.views.delete(p);
        sized.disconnect();
        cancelAnimationFrame(frame);
        clearTimeout(noting);
      });
    }
    if (build) build(p);
    memory.attach(model, stop);
    el.append(root);
    return () => {
      ending.abort();
      root.remove();
    };
  }
  return { render };
}
