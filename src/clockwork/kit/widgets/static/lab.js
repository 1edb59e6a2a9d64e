// What JupyterLab and Notebook 7 need of the widgets of a notebook, beside showing them.
import { shared } from "./elements.js";

const STATE = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";
const LOST = "Error displaying widget: model not found";

export function initialize({ model }) {
  const manager = model.widget_manager;
  const { context } = manager;
  shared.notebooks ??= new WeakSet();
  if (!context?.saveState || shared.notebooks.has(context)) return;
  shared.notebooks.add(context);
  context.saveState.connect((_, step) => step === "started" && save(manager));
  manager.restored.connect(() => showAgain(manager));
  showAgain(manager);
}

// A saved notebook holds its widgets. JupyterLab can see to that by a setting of its own, but then takes every notebook
// with widgets for changed as soon as it is open; so the widgets do, and the setting stays off.
function save(manager) {
  manager.context.model.setMetadata("widgets", { [STATE]: manager.get_state_sync({ drop_defaults: true }) });
}

// JupyterLab may look for a model a moment before it has read it, and never looks again. What has no model at all shows
// its still and its words.
function showAgain(manager) {
  const said = [...document.querySelectorAll(".jp-OutputArea-output.jupyter-widgets")];
  if (!said.some((node) => node.textContent === LOST)) return;
  const { model } = manager.context;
  const { dirty } = model;
  for (const { outputs } of model.cells)
    for (let place = 0; place < (outputs?.length ?? 0); place += 1) {
      const output = outputs.get(place).toJSON();
      const { [VIEW]: view, ...rest } = output.data ?? {};
      if (!view) continue;
      if (manager.has_model(view.model_id)) outputs.set(place, output);
      else if (Object.keys(rest).length) outputs.set(place, { ...output, data: rest });
    }
  model.dirty = dirty;
}
