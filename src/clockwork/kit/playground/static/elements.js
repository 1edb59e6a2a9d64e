// Making the page's elements.

/**
 * An element with attributes and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * A button that does something.
 * @param {string} label
 * @param {() => void} act
 */
export function button(label, act, kind = "") {
  const made = element("button", { type: "button", class: kind }, label);
  made.addEventListener("click", act);
  return made;
}

/** JupyterLab takes letters and arrow keys for its own commands unless they stop here. */
export function keepKeys(/** @type {HTMLElement} */ root) {
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" && event.key !== "Escape" && !event.ctrlKey && !event.metaKey) event.stopPropagation();
  });
}
