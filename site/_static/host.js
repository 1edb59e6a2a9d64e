// Mounts the widgets of a page from the data inside it: no kernel, no network. What fails to mount keeps its still
// picture. Understood: anywidget models and the links between them.
(() => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const unpacked = (text) =>
    new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  const models = {},
    modules = {},
    styles = {};

  async function imported(name) {
    const code = await unpacked(window.clockworkTexts[name]);
    return import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  }

  async function styled(name) {
    const style = document.createElement("style");
    document.head.append(style); // in the order of the views, whichever is unpacked first
    style.textContent = await unpacked(window.clockworkTexts[name]);
  }

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
  function revive(held) {
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
  }

  async function mount(model, el) {
    const { _model_name: kind, _esm, _css } = model.state;
    if (kind !== "AnyModel") throw new Error(`a page cannot show ${kind}`);
    const parts = [(modules[_esm] ??= imported(_esm)), _css === undefined || (styles[_css] ??= styled(_css))];
    const [widget] = await Promise.all(parts);
    await widget.default.render({ model, el });
  }

  async function mountAll() {
    revive(await unpacked(document.getElementById("clockwork-widgets").textContent));
    const mounts = [...document.querySelectorAll("[data-widget]")].map((place) => {
      const live = document.createElement("div");
      return mount(models[place.dataset.widget], live).then(
        () => place.replaceChildren(live),
        (error) => console.error(error),
      );
    });
    await Promise.all(mounts);
    document.dispatchEvent(new Event("clockwork:mounted"));
  }

  mountAll();
})();
