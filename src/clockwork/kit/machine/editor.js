// The field in which a function of the reader's machine is typed, run by Python, and kept.
import { ask } from "./ask.js";
import { element, keepKeys, nextId } from "../widgets/static/elements.js";

const TYPED_MS = 500;

/**
 * Put the field above the picture. It needs the picture's traits `starts`, `first`, `function`, `order` and `header`.
 * @param {any} p the picture
 * @param {{ label: string, take: (found: any, name: string) => void, dim: () => void }} doing `take` gets what the
 *   function gives, and the name of the text or "mine"; `dim` is called where nothing of what is shown holds any more
 * @returns {{ say: (words: string, right?: boolean) => void }} what puts a sentence below the field
 */
export function editor(p, { label, take, dim }) {
  const starts = p.model.get("starts");
  const what = p.model.get("function");
  const draft = `${p.model.get("remember") || "machine"}/draft`;
  const id = nextId();
  const field = element("textarea", { id, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const said = element("p", { class: "pe-refused", role: "status" });
  const say = (words, right = false) => {
    said.textContent = words;
    said.classList.toggle("pe-praised", right);
  };
  const runs = element("button", { type: "button", class: "pe-primary" }, "Run it");
  const offers = element("div", { class: "pe-bar", role: "group", "aria-label": "texts to begin with" });
  const bar = element("div", { class: "pe-bar" }, runs, offers);
  const words = element("label", { for: id, class: "pe-spoken" }, label);
  p.root.querySelector(".pe-figure").before(element("div", { class: "pe-editor" }, words, field, bar, said));
  for (const [name, text] of Object.entries(starts)) {
    const made = element("button", { type: "button", class: "pe-button" }, name);
    made.addEventListener("click", () => {
      write(text);
      run(false);
    });
    offers.append(made);
  }

  // All that he has kept so far, as one file.
  const carry = element("button", { type: "button", class: "pe-button pe-carry", hidden: "" }, "my_clock.py ↓");
  const machine = () =>
    p.model
      .get("order")
      .map((name) => p.recall(`machine/${name}`))
      .filter(Boolean);
  carry.addEventListener("click", () => {
    const text = `${[p.model.get("header"), ...machine()].join("\n\n\n")}\n`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
    element("a", { href: address, download: "my_clock.py" }).click();
    setTimeout(() => URL.revokeObjectURL(address));
  });
  bar.append(carry);
  const offer = () => (carry.hidden = machine().length === 0);
  offer();
  p.recalled(offer);

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
  write(starts[p.model.get("first")]);
  const isOwn = () => !Object.values(starts).includes(field.value.trim());
  let resting = 0;
  const keep = () => {
    clearTimeout(resting);
    if (isOwn() && p.recall(draft) !== field.value) p.remember(draft, field.value);
  };
  field.addEventListener("input", () => {
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
      return void run(true);
    }
    const line = field.value.slice(0, field.selectionStart).split("\n").at(-1);
    const indent = line.match(/^ */)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
    field.setRangeText(`\n${indent}`, field.selectionStart, field.selectionEnd, "end");
    fit();
  });
  runs.addEventListener("click", () => run(true));

  // What he typed comes back, dark until it is run again.
  let touched = false;
  field.addEventListener("input", () => (touched = true));
  const restore = () => {
    const kept = p.recall(draft);
    if (touched || !kept || kept === field.value) return;
    write(kept);
    dim();
  };
  restore();
  p.recalled(restore);

  const tell = (found) => say(found.refused ?? found.advice ?? found.praise ?? "", Boolean(found.praise));
  let asking = false;
  const nameOf = (text) => Object.keys(starts).find((name) => starts[name] === text.trim()) ?? "mine";
  async function run(own) {
    if (asking) return;
    asking = touched = true;
    runs.setAttribute("aria-disabled", "true");
    const source = field.value;
    const name = nameOf(source);
    if (own) keep();
    const found = await ask(p, what, source, name === "mine");
    asking = false;
    runs.removeAttribute("aria-disabled");
    if (p.stop.aborted) return;
    tell(found);
    if (found.refused) return void dim();
    if (name === "mine") p.remember(`machine/${what}`, found.source);
    take(found, name);
  }

  const hear = ({ kept }) => {
    if (kept?.name !== what) return;
    write(kept.source);
    touched = true;
    tell(kept);
    take(kept, "mine");
  };
  p.model.on("msg:custom", hear);
  p.stop.addEventListener("abort", () => p.model.off("msg:custom", hear));
  return { say };
}
