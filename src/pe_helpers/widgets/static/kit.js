// Shared by every widget: Python puts this text in front of the widget's own. It draws and selects; it computes nothing.
// All state lives in synced models. Dragging changes them here at once; Python hears of the value at rest.

const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");
const PLAY_MS = 140;
const NOTE_MS = 400; // a screen reader is told only where the picture comes to rest
let serial = 0;

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
  return Object.fromEntries(
    Object.entries(model.get("header")).map(([name, { shape, scale, kind, start, count }]) => {
      const raw = kind === "int32" ? new Int32Array(buffer, start, count) : new Int16Array(buffer, start, count);
      const values = kind === "real" ? Float64Array.from(raw, (v) => (v === -32768 ? NaN : v * scale)) : raw;
      const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
      const offset = (index) => {
        let sum = 0;
        for (let axis = 0; axis < index.length; axis += 1) sum += index[axis] * strides[axis];
        return sum;
      };
      return [
        name,
        {
          shape,
          values,
          at: (...index) => values[offset(index)],
          row: (...index) =>
            values.subarray(offset(index), offset(index) + (strides[index.length - 1] ?? values.length)),
        },
      ];
    }),
  );
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

const read = (store, name) => {
  const spec = (store.get("sliders") ?? {})[name];
  if (!spec) return store.get(name);
  const values = valuesOf(spec);
  return values[placeOf(values, store.get(name))];
};

// JupyterLab takes arrow keys and letters for its own commands unless they stop here; Notebook 7 looks before they come
// here, and passes over what is so marked.
const ours = ({ key, ctrlKey, metaKey, shiftKey }) =>
  key !== "Tab" && key !== "Escape" && !ctrlKey && !metaKey && !(shiftKey && key === "Enter");
function keepKeys(event) {
  if (ours(event)) event.stopPropagation();
}
function markKeys(event) {
  if (event.target.matches?.(".pe input, .pe button"))
    event.target.toggleAttribute("data-lm-suppress-shortcuts", ours(event));
}
if (!window.peMarksKeys) addEventListener("keydown", (window.peMarksKeys = markKeys), true);

function slider(store, name, stop) {
  const spec = store.get("sliders")[name],
    values = valuesOf(spec),
    id = `pe-${(serial += 1)}-${name}`;
  const width = Math.max(...values.map((v) => String(v).length));
  const input = element("input", { type: "range", id, min: 0, max: values.length - 1, step: 1, "data-name": name });
  const output = element("output", { for: id, style: `min-width:${width}ch` });
  const put = (place) => store.set(name, values[place]);
  const show = () => {
    const value = values[Math.min(placeOf(values, store.get(name)), input.max)];
    input.value = values.indexOf(value);
    input.setAttribute("aria-valuetext", value);
    output.textContent = value;
  };
  input.addEventListener("input", () => {
    pause();
    put(Number(input.value));
  });
  input.addEventListener("change", () => store.save_changes());
  input.addEventListener("limit", show);
  listen(store, `change:${name}`, show, stop);
  show();
  const row = element("div", { class: "pe-slider" }, element("label", { for: id }, spec.label), input, output);
  let timer = null;
  const button = element("button", { type: "button", class: "pe-play" });
  const face = () => {
    button.textContent = timer ? "❚❚" : "▶";
    button.setAttribute("aria-label", `${timer ? "pause" : REDUCED.matches ? "next" : "play"} ${spec.label}`);
  };
  const step = () => put((placeOf(values, store.get(name)) + 1) % values.length);
  const pause = () => {
    if (!timer) return;
    timer = clearInterval(timer);
    face();
    store.save_changes();
  };
  button.addEventListener("click", () => {
    if (timer) return pause();
    step();
    if (REDUCED.matches) return store.save_changes();
    timer = setInterval(step, PLAY_MS);
    face();
  });
  if (spec.play) row.append(button);
  face();
  row.addEventListener("keydown", keepKeys);
  stop.addEventListener("abort", () => clearInterval(timer));
  return row;
}

function watchTheme(act, stop) {
  const observer = new MutationObserver(act);
  for (const node of [document.documentElement, document.body])
    observer.observe(node, {
      attributes: true,
      attributeFilter: ["class", "data-jp-theme-light", "data-theme", "data-vscode-theme-kind"],
    });
  stop.addEventListener("abort", () => observer.disconnect());
}

function view({ height, draw, build }) {
  async function render({ model, el }) {
    const ending = new AbortController(),
      stop = ending.signal;
    const cursor = await linked(model, "cursor"),
      data = arraysOf(await linked(model, "data"));
    const storeOf = (name) => (cursor && name in (cursor.get("sliders") ?? {}) ? cursor : model);
    const root = element("div", { class: "pe" }),
      controls = element("div", { class: "pe-controls" });
    const p = Object.assign(Object.create(painter), {
      root,
      controls,
      data,
      model,
      stop,
      kept: {},
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
    for (const name of model.get("follows") ?? []) controls.append(slider(cursor, name, stop));
    for (const name of Object.keys(model.get("sliders") ?? {})) controls.append(slider(model, name, stop));
    root.append(controls);
    const canvas = element("canvas", { role: "img" }),
      note = element("p", { class: "pe-note", "aria-live": "polite" });
    let frame = 0,
      noting = 0;
    function paint() {
      frame = 0;
      const w = Math.round(root.clientWidth),
        h = Math.round(height(w)),
        sharp = devicePixelRatio || 1;
      if (!w || stop.aborted) return;
      if (canvas.width !== Math.round(w * sharp) || canvas.height !== Math.round(h * sharp)) {
        Object.assign(canvas, { width: Math.round(w * sharp), height: Math.round(h * sharp) });
        canvas.style.height = `${h}px`;
      }
      const ctx = canvas.getContext("2d");
      ctx.setTransform(sharp, 0, 0, sharp, 0, 0);
      ctx.clearRect(0, 0, w, h);
      p.color ??= paletteOf(root);
      const { alt, numbers } = draw(Object.assign(p, { ctx, w, h }));
      root.shown = numbers;
      if (canvas.getAttribute("aria-label") === alt) return;
      canvas.setAttribute("aria-label", alt);
      clearTimeout(noting);
      noting = setTimeout(
        () => {
          note.textContent = alt;
        },
        note.textContent ? NOTE_MS : 0,
      );
    }
    if (draw) {
      root.append(canvas, note);
      for (const store of [model, cursor]) if (store) listen(store, "change", p.redraw, stop);
      watchTheme(() => {
        p.color = null;
        p.redraw();
      }, stop);
      const sized = new ResizeObserver(p.redraw);
      sized.observe(root);
      stop.addEventListener("abort", () => {
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
