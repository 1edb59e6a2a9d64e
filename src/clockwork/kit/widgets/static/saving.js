// A saved notebook holds its widgets. JupyterLab can see to that by a setting of its own, but then takes every notebook
// with widgets for changed as soon as it is open; so the widgets do, and the setting stays off.
import { shared } from "./elements.js";

const STATE = "application/vnd.jupyter.widget-state+json";

export function initialize({ model }) {
  const manager = model.widget_manager;
  const { context } = manager; // of a notebook in JupyterLab or Notebook 7
  shared.saved ??= new WeakSet();
  if (!context?.saveState || shared.saved.has(context)) return;
  shared.saved.add(context);
  context.saveState.connect((_, step) => {
    if (step !== "started") return;
    context.model.setMetadata("widgets", { [STATE]: manager.get_state_sync({ drop_defaults: true }) });
  });
}
