// Mounts the widgets of a page from the data inside it: no kernel, no network. What fails to mount keeps its still
// picture. Understood: anywidget models and the links between them.
(() => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const SLICE_MS = 12;
  const models = {};
  const made = {};
  const styles = new Set();
  const bundled = window.clockworkModules ?? {};
  const all = new Proxy(bundled, { get: (_, name) => (made[name] ??= bundled[name](all)) });

  // A widget's module has one export. It is run at once: an import would wait until the page is laid out.
  function run(name) {
    if (name in bundled) return all[name].default;
    const code = window.clockworkTexts[name].replace(/^export default/m, "const exported =");
    return (made[name] ??= Function(`"use strict"; ${code}\nreturn exported;`)());
  }

  function styled(name) {
    const style = document.createElement("style");
    style.textContent = window.clockworkTexts[name];
    document.head.append(style);
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
    if (_css !== undefined && !styles.has(_css)) {
      styles.add(_css);
      styled(_css);
    }
    await run(_esm).render({ model, el });
  }

  async function mountAll() {
    revive(JSON.parse(document.getElementById("clockwork-widgets").textContent));
    let begun = performance.now();
    for (const place of document.querySelectorAll("[data-widget]")) {
      const live = document.createElement("div");
      await mount(models[place.dataset.widget], live).then(
        () => place.replaceChildren(live),
        (error) => console.error(error),
      );
      if (performance.now() - begun < SLICE_MS) continue;
      await new Promise((painted) => setTimeout(painted)); // what stands is drawn before the next are made
      begun = performance.now();
    }
    document.dispatchEvent(new Event("clockwork:mounted"));
  }

  mountAll();
})();
