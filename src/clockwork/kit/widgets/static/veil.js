// What a question veils on its page beside its own picture: outputs that kit/veil.py wrote, which show the whole once it is
// answered, and the cells with the tag `veil:<key>`, which are folded until then: in JupyterLab and Notebook 7 as
// collapsed outputs, on the site as <details> of the size of what they hold. Elsewhere this finds nothing to do. Returns
// what brings them up to date. Jupyter opens a cell's output whenever the cell is run, so it is closed again then.
import "./veil.css";

export function veilOf(p, key, answered) {
  const tag = `veil:${key}`;
  const cells = p.model.widget_manager?.context?.model?.cells;
  const veiled = Array.from({ length: cells?.length ?? 0 }, (_, i) => cells.get(i)).filter((cell) =>
    cell.getMetadata("tags")?.includes(tag),
  );
  const update = () => {
    const open = answered();
    for (const cell of veiled)
      if (Boolean(cell.getMetadata("collapsed")) === open) cell.setMetadata("collapsed", !open);
    for (const place of document.querySelectorAll(`.${CSS.escape(`tag_${tag}`)} details.hide`)) {
      if (!open) asTallAsOpen(place);
      place.open = open;
    }
    for (const place of document.querySelectorAll(`[data-veil="${CSS.escape(key)}"]`)) {
      /** @type {HTMLElement} */ (place.querySelector("[data-before]")).hidden = open;
      place.querySelector("details").open = open;
    }
  };
  const ran = (_, change) => {
    if (change.name === "executionState" && !answered()) update();
  };
  for (const cell of veiled) {
    cell.stateChanged.connect(ran);
    p.stop.addEventListener("abort", () => cell.stateChanged.disconnect(ran));
  }
  return update;
}

// A closed fold takes the room of what it will show.
function asTallAsOpen(fold) {
  if (fold.style.getPropertyValue("--pe-veiled")) return;
  fold.open = true;
  fold.style.setProperty("--pe-veiled", `${Math.max(120, Math.round(fold.getBoundingClientRect().height))}px`);
}
