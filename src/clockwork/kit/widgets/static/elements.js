// What every widget is made of: elements, what the widgets of a page share, and keys that stay with them.

export const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");
// What the widgets of a page share, each of which brings its own copy of this text.
export const shared = (globalThis.peKit ??= { views: new Set(), lit: new Map(), playing: new Map(), serial: 0 });
export const nextId = () => `pe-${(shared.serial += 1)}`;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function page(tag, html, attributes = {}) {
  const made = element(tag, attributes);
  made.innerHTML = html;
  return made;
}
export const plain = (html) => page("p", html).textContent;

export function listen(model, event, act, stop) {
  model.on(event, act);
  stop.addEventListener("abort", () => model.off(event, act));
}

// JupyterLab takes arrow keys and letters for its own commands unless they stop here; Notebook 7 looks before they come
// here, and passes over what is so marked.
export const ours = ({ key, ctrlKey, metaKey, shiftKey }) =>
  key !== "Tab" && key !== "Escape" && !ctrlKey && !metaKey && !(shiftKey && key === "Enter");
export function keepKeys(event) {
  if (ours(event)) event.stopPropagation();
}
function markKeys(event) {
  if (event.target.matches?.(".pe input, .pe button, .pe-mark"))
    event.target.toggleAttribute("data-lm-suppress-shortcuts", ours(event));
}
if (!shared.marksKeys) addEventListener("keydown", (shared.marksKeys = markKeys), true);
