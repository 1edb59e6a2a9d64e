// Mounts the widgets of a page from the data inside it: no kernel, no network. What fails to mount keeps its still
// picture. Understood: anywidget models and the links between them.
(async () => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const unpacked = (text) =>
    new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  const [held, texts] = await Promise.all(
    [document.getElementById("clockwork-widgets").textContent, window.clockworkTexts].map(unpacked),
  );
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
  for (const [id, { state, buffers }] of Object.entries(held)) {
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
    if (kind !== "AnyModel") throw new Error(`a page cannot show ${kind}`);
    if (_css !== undefined && !styled.has(_css)) {
      const style = document.createElement("style");
      style.textContent = texts[_css];
      document.head.append(style);
      styled.add(_css);
    }
    const address = () => URL.createObjectURL(new Blob([texts[_esm]], { type: "text/javascript" }));
    const widget = await (modules[_esm] ??= import(address()));
    await widget.default.render({ model, el });
  }

  const mounts = [...document.querySelectorAll("[data-widget]")].map((place) => {
    const live = document.createElement("div");
    return mount(models[place.dataset.widget], live).then(
      () => place.replaceChildren(live),
      (error) => console.error(error),
    );
  });
  await Promise.all(mounts);
  document.dispatchEvent(new Event("clockwork:mounted"));
})();
