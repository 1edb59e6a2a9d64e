// A field in which one function of the reader's machine is typed: what he types is kept, and runs by a button or a key.
import "./machine.css";
import { element, keepKeys, nextId } from "../widgets/static/elements.js";

const TYPED_MS = 500;

/**
 * Put a field above a picture that has the traits `starts`, `begin`, `pieces` and `header`.
 * @param {any} p the picture
 * @param {{ says: string, draft: string, run: (source: string) => void }} options
 */
export function typed(p, { says, draft, run }) {
  const starts = p.model.get("starts");
  const id = nextId();
  const field = element("textarea", { id, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const told = element("p", { class: "pe-refused", role: "status" });
  const bar = element("div", { class: "pe-bar" });
  const label = element("label", { for: id, class: "pe-spoken" }, says);
  p.root.querySelector(".pe-figure").before(element("div", { class: "pe-editor" }, label, field, bar, told));

  const fit = () => {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  };
  const sized = new ResizeObserver(fit); // a narrow field breaks lines
  sized.observe(p.root);
  p.stop.addEventListener("abort", () => sized.disconnect());
  const write = (text) => {
    field.value = text;
    fit();
  };
  const button = (words, act, look = "pe-button") => {
    const made = element("button", { type: "button", class: look }, words);
    made.addEventListener("click", act);
    bar.append(made);
    return made;
  };
  let resting = 0;
  const keep = () => {
    clearTimeout(resting);
    const own = !Object.values(starts).includes(field.value.trim());
    if (own && p.recall(draft) !== field.value) p.remember(draft, field.value);
  };
  const act = () => {
    keep();
    run(field.value);
  };
  const runs = button("Run it", act, "pe-primary");
  for (const [name, text] of Object.entries(starts))
    button(name, () => {
      touched = true;
      write(text);
      run(text);
    });

  // All that he has kept so far, as one file.
  const carry = button("my_clock.py ↓", () => {
    const text = `${[p.model.get("header"), ...machine()].join("\n\n\n")}\n`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
    element("a", { href: address, download: "my_clock.py" }).click();
    setTimeout(() => URL.revokeObjectURL(address));
  });
  carry.classList.add("pe-carry");
  const machine = () =>
    p.model
      .get("pieces")
      .map((name) => p.recall(`machine/${name}`))
      .filter(Boolean);

  let touched = false;
  field.addEventListener("input", () => {
    touched = true;
    fit();
    clearTimeout(resting);
    resting = setTimeout(keep, TYPED_MS);
  });
  field.addEventListener("blur", keep);
  field.addEventListener("keydown", (event) => {
    keepKeys(event);
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      event.stopPropagation();
      return act();
    }
    const line = field.value.slice(0, field.selectionStart).split("\n").at(-1);
    const indent = line.match(/^ */)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
    field.setRangeText(`\n${indent}`, field.selectionStart, field.selectionEnd, "end");
    fit();
  });
  const restore = () => {
    carry.hidden = machine().length === 0;
    const kept = p.recall(draft);
    if (!touched && kept && kept !== field.value) write(kept);
  };
  write(p.model.get("begin"));
  restore();
  p.recalled(restore);
  return {
    say: (words) => (told.textContent = words),
    busy: (yes) => (yes ? runs.setAttribute("aria-disabled", "true") : runs.removeAttribute("aria-disabled")),
  };
}
