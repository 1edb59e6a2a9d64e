// A field for one function of the reader's machine: Python runs it, and what it makes of it is kept and shown.
import { ask } from "./ask.js";
import { typed } from "./field.js";

/**
 * Put the field above the picture. It needs the traits `function` and `first`, and those of field.js.
 * @param {any} p the picture
 * @param {{ label: string, take: (found: any, name: string) => void, dim: () => void }} doing `take` gets what the
 *   function gives, and the name of the text or "mine"; `dim` is called where nothing of what is shown holds any more
 * @returns {{ say: (words: string, right?: boolean) => void }} what puts a sentence below the field
 */
export function editor(p, { label, take, dim }) {
  const starts = p.model.get("starts");
  const what = p.model.get("function");
  const draft = `${p.model.get("remember") || "machine"}/draft`;
  const field = typed(p, { says: label, begin: starts[p.model.get("first")], draft, run, back: dim });
  const tell = (found) => field.say(found.refused ?? found.advice ?? found.praise ?? "", Boolean(found.praise));
  const nameOf = (text) => Object.keys(starts).find((name) => starts[name] === text.trim()) ?? "mine";
  let asking = false;
  async function run(source) {
    if (asking) return;
    asking = true;
    field.busy(true);
    const name = nameOf(source);
    const found = await ask(p, what, source, name === "mine");
    asking = false;
    field.busy(false);
    if (p.stop.aborted) return;
    tell(found);
    if (found.refused) return void dim();
    if (name === "mine") p.remember(`machine/${what}`, found.source);
    take(found, name);
  }

  const hear = ({ kept }) => {
    if (kept?.name !== what) return;
    field.write(kept.source);
    tell(kept);
    take(kept, "mine");
  };
  p.model.on("msg:custom", hear);
  p.stop.addEventListener("abort", () => p.model.off("msg:custom", hear));
  return { say: field.say };
}
