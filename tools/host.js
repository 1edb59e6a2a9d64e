// Mounts the widgets of an exported page from the data inside it: no kernel, no network. What fails to mount keeps its
// still picture. Understood: anywidget models, boxes, integer sliders, and the links between them.
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const packed = new Blob([bytes(document.getElementById("clockwork").textContent)]);
const held = await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).json();
const models = {},
  modules = {},
  styled = new Set();

class Model {
  constructor(state) {
    Object.assign(this, { state, heard: {} });
    this.widget_manager = { get_model: async (id) => models[id] };
  }
  get(name) {
    return this.state[name];
  }
  set(name, value) {
    if (this.state[name] === value) return;
    this.state[name] = value;
    for (const event of [`change:${name}`, "change"])
      for (const act of [...(this.heard[event] ?? [])]) act(this, value);
  }
  on(event, act) {
    (this.heard[event] ??= new Set()).add(act);
  }
  off(event, act) {
    this.heard[event]?.delete(act);
  }
  save_changes() {}
  send() {}
}

const find = (reference) => models[reference.replace("IPY_MODEL_", "")];
const made = (tag, parts) => Object.assign(document.createElement(tag), parts);

for (const [id, { state, buffers = [] }] of Object.entries(held.models)) {
  for (const { path, data } of buffers) state[path[0]] = new DataView(bytes(data).buffer);
  models[id] = new Model(state);
}
for (const { state } of Object.values(models)) {
  if (!/LinkModel$/.test(state._model_name)) continue;
  const [[from, a], [to, b]] = [state.source, state.target].map(([ref, name]) => [find(ref), name]);
  const tie = (one, x, other, y) => one.on(`change:${x}`, () => other.set(y, one.get(x)));
  tie(from, a, to, b);
  if (state._model_name === "LinkModel") tie(to, b, from, a);
  to.set(b, from.get(a));
}

async function mount(model, el) {
  const { _model_name: kind, _esm, _css } = model.state;
  if (kind === "VBoxModel" || kind === "HBoxModel") {
    el.style.cssText = `display:flex;gap:8px;flex-direction:${kind === "VBoxModel" ? "column" : "row"}`;
    for (const child of model.get("children")) await mount(find(child), el.appendChild(made("div", {})));
  } else if (kind === "IntSliderModel") {
    const input = made("input", {
      type: "range",
      min: model.get("min"),
      max: model.get("max"),
      step: model.get("step"),
    });
    const show = () => {
      input.value = model.get("value");
    };
    input.addEventListener("input", () => model.set("value", Number(input.value)));
    model.on("change:value", show);
    const label = el.appendChild(made("label", { textContent: `${model.get("description")} ` }));
    label.append(input);
    show();
  } else if (kind === "AnyModel") {
    if (_css !== undefined && !styled.has(_css)) document.head.append(made("style", { textContent: held.texts[_css] }));
    styled.add(_css);
    const address = () => URL.createObjectURL(new Blob([held.texts[_esm]], { type: "text/javascript" }));
    const widget = await (modules[_esm] ??= import(address()));
    await widget.default.render({ model, el });
  } else throw new Error(`an exported page cannot show ${kind}`);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => {
  document.body.dataset.jpThemeLight = String(!dark.matches);
};
dark.addEventListener("change", theme);
theme();
for (const place of document.querySelectorAll("[data-widget]")) {
  const live = made("div", {});
  mount(models[place.dataset.widget], live).then(
    () => place.replaceChildren(live),
    (error) => console.error(error),
  );
}
