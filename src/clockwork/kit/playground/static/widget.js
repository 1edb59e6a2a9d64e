// The playground as an anywidget, and on a page of its own.
import { Playground } from "./page.js";

export { serveWorker } from "./worker.js";

/**
 * @param {{ model: { get: (name: string) => any, set: (name: string, value: any) => void, save_changes: () => void },
 *   el: HTMLElement }} given
 */
export function render({ model, el }) {
  const root = document.createElement("div");
  el.append(root);
  const page = new Playground(root, { settings: model.get("settings"), stories: model.get("stories") });
  return () => page.end();
}

/** Take the place of the still on a page of the site, whose address holds the settings. */
export function mount() {
  const place = document.getElementById("clockwork-playground");
  if (!place) return;
  const root = document.createElement("div");
  place.replaceChildren(root);
  new Playground(root, { link: true });
}
