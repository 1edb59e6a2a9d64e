// What moves by itself: a picture goes once through its `cycle` when it first comes into view, and a ghost stands on its
// handle until the first touch. Nothing moves out of view, where motion is unwelcome, or where the reader has been before.
import "./motion.css";
import { REDUCED, element } from "./elements.js";
import { glide } from "./sliders.js";

const STOP_MS = 1200; // from one stop of a cycle to the next
const ENOUGH = 0.5; // of the canvas in view

/** @param {[string, any][]} cycle sliders and the values that they come to, one after another */
export function moving(p, figure, cycle) {
  const ghost = element("div", { class: "pe-ghost", "aria-hidden": "true", hidden: "" }, "↔");
  figure.append(ghost);
  const place = p.model.get("remember");
  const names = cycle.map(([name]) => name);
  const been = () => place && names.some((name) => p.recall(`${place}/${name}`) !== undefined);
  let touched = false;
  let begun = false;
  let inView = false;
  const touch = () => {
    touched = true;
    ghost.remove();
  };
  for (const type of ["pointerdown", "keydown", "click"])
    p.root.addEventListener(type, touch, { capture: true, signal: p.stop });
  const halted = () => touched || !inView || p.stop.aborted || been();
  const go = (stop) => {
    if (stop === cycle.length || halted()) return;
    const [name, value] = cycle[stop];
    glide(p.storeOf, { [name]: value }, () => go(stop + 1), { ms: STOP_MS, halted });
  };
  const watch = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      inView = isIntersecting;
      ghost.classList.toggle("pe-still", !inView);
      if (!inView || begun || REDUCED.matches) return;
      begun = true;
      go(0);
    },
    { threshold: ENOUGH },
  );
  watch.observe(p.canvas);
  p.stop.addEventListener("abort", () => watch.disconnect());

  // Called after each frame: the ghost stands where the first handle that says so lies.
  return () => {
    if (touched) return;
    const area = [...p.areas.values()].find(({ at }) => at);
    ghost.hidden = !area || Boolean(been());
    if (area) ghost.style.transform = `translate(${area.at[0]}px, ${area.at[1]}px)`;
    if (area) ghost.textContent = area.way ?? "↔";
  };
}
