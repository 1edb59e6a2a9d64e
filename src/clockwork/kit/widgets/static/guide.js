// Under a picture: the steps of a guided tour, one at a time, and the challenges, which tick when they are reached.
import { element, keepKeys, listen } from "./elements.js";
import { glide } from "./sliders.js";
import { dressTerms } from "./terms.js";

export function guide(p) {
  const tour = p.model.get("tour") ?? [];
  const goals = p.model.get("goals") ?? [];
  const parts = [];
  if (tour.length) parts.push({ name: "a tour", part: walk(p, tour) });
  if (goals.length)
    parts.push({ name: goals.length > 1 ? `${goals.length} goals` : "a goal", part: challenge(p, goals) });
  return parts;
}

function walk(p, steps) {
  const text = element("p", { class: "pe-step", "aria-live": "polite" });
  const count = element("span", { class: "pe-count" });
  let at = -1; // before the first step: until the tour is begun, the picture is the reader's
  const button = (label, by) => {
    const made = element("button", { type: "button" }, label);
    made.addEventListener("click", () => go(at + by));
    made.addEventListener("keydown", keepKeys);
    return made;
  };
  const [back, next] = [button("‹ Back", -1), button("Next ›", 1)];
  const show = () => {
    text.innerHTML = steps[at]?.words ?? "Press Next for a short tour of the picture.";
    count.textContent = `${at + 1} of ${steps.length}`;
    back.disabled = at <= 0;
    next.disabled = at === steps.length - 1;
    dressTerms();
  };
  const go = (place) => {
    at = place;
    show();
    glide(p.storeOf, steps[at].state, p.settle);
  };
  show();
  return element("div", { class: "pe-tour" }, back, next, count, text);
}

function challenge(p, goals) {
  const list = element("ul", { class: "pe-goals" });
  const place = p.model.get("remember");
  for (const [i, { words, names, reached }] of goals.entries()) {
    const states = new Set(reached.map((state) => JSON.stringify(state)));
    const mark = element("span", { class: "pe-tick", role: "img", "aria-label": "open" }, "○");
    const text = element("span");
    const item = element("li", { "aria-live": "polite" }, mark, text);
    text.innerHTML = words;
    list.append(item);
    const key = `${place}/challenge-${i}`;
    const tick = () => {
      item.className = "pe-reached";
      mark.textContent = "✓";
      mark.setAttribute("aria-label", "reached");
    };
    const now = (name) => (name in p.tells ? p.tells[name](p) : p.get(name));
    const look = () => {
      if (!states.has(JSON.stringify(names.map(now)))) return;
      tick();
      if (place && !p.recall(key)) p.remember(key, true);
    };
    const recall = () => place && p.recall(key) && tick();
    recall();
    p.recalled(recall);
    for (const name of names)
      for (const store of new Set([p.model, p.home]))
        listen(store, name in p.tells ? "change" : `change:${name}`, look, p.stop);
  }
  return list;
}
