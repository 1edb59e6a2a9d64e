// The field in which a function of the reader's machine is typed. What he types is kept, and runs by a button or a key.
import { element, keepKeys, nextId } from "../widgets/static/elements.js";

const TYPED_MS = 500;

/**
 * Put the field above the picture. It needs the picture's traits `starts`, `pieces` and `header`.
 * @param {any} p the picture
 * @param {{ says: string, begin: string, draft: string, run: (source: string) => void, back?: () => void }} doing `draft` is the key
 *   under which his text is kept; `back` is called when it has come back, and nothing of it has run
 * @returns what puts a sentence below the field, shows that it runs, and writes into it
 */
export function typed(p, { says, begin, draft, run, back = () => {} }) {
  const starts = p.model.get("starts");
  const id = nextId();
  const field = element("textarea", { id, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const told = element("p", { class: "pe-refused", role: "status" });
  const label = element("label", { for: id, class: "pe-spoken" }, says);
  const offers = element("div", { class: "pe-bar", role: "group", "aria-label": "texts to begin with" });
  const button = (words, act, look) => {
    const made = element("button", { type: "button", class: look }, words);
    made.addEventListener("click", act);
    return made;
  };
  for (const [name, text] of Object.entries(starts)) {
    const start = () => {
      touched = true;
      write(text);
      run(text);
    };
    offers.append(button(name, start, "pe-button"));
  }

  // All that he has kept so far, as one file.
  const machine = () =>
    p.model
      .get("pieces")
      .map((name) => p.recall(`machine/${name}`))
      .filter(Boolean);
  const save = () => {
    const text = `${[p.model.get("header"), ...machine()].join("\n\n\n")}\n`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
    element("a", { href: address, download: "my_clock.py" }).click();
    setTimeout(() => URL.revokeObjectURL(address));
  };
  const act = () => {
    touched = true;
    keep();
    run(field.value);
  };
  const runs = button("Run it", act, "pe-primary");
  const carry = button("my_clock.py ↓", save, "pe-button pe-carry");
  const bar = element("div", { class: "pe-bar" }, runs, ...(offers.children.length ? [offers] : []), carry);
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
  let resting = 0;
  const keep = () => {
    clearTimeout(resting);
    const own = !Object.values(starts).includes(field.value.trim());
    if (own && p.recall(draft) !== field.value) p.remember(draft, field.value);
  };
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
    if (touched || !kept || kept === field.value) return;
    write(kept);
    back();
  };
  write(begin);
  restore();
  p.recalled(restore);
  return {
    say(words, right = false) {
      told.textContent = words;
      told.classList.toggle("pe-praised", right);
    },
    busy: (yes) => (yes ? runs.setAttribute("aria-disabled", "true") : runs.removeAttribute("aria-disabled")),
    write(text) {
      touched = true;
      write(text);
    },
  };
}
