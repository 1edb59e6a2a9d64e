// A guess into a picture. The reader puts a mark where the outcome will be; then the hand brings it about, and what explains
// it waits until it has been seen. How a view uses it stands in base.py, how its question is written in questions.py.
import "./guess.css";
import { element, keepKeys, nextId, page, plain } from "./elements.js";
import { glide } from "./sliders.js";
import { veilOf } from "./veil.js";

export const WAITS = 0.9; // where a mark or a thumb waits, as a share of its range: on no answer of the course
const CLICKED = 16; // CSS pixels from a place: a click puts the mark there
const LEAP = 10; // values that a page key passes
const KEPT_MS = 500; // what has been seen is kept at rest, not in a drag
const KEY_STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: LEAP, PageDown: -LEAP };

// What can be guessed: values in order, the words of each, whether it is right, and what is said of it.
function guessedFrom(q) {
  if (q.kind === "choice") {
    const item = (name) => q.items.find(([one]) => one === name);
    return {
      values: q.items.map(([name]) => name),
      words: (name) => item(name)[1],
      right: (name) => name === q.answer,
      comment: (name) => item(name)[2],
      solution: item(q.answer)[1],
      kept: {},
    };
  }
  const { low, high, step, digits, says, unit } = q.scale;
  const count = Math.round((high - low) / step) + 1;
  return {
    values: Array.from({ length: count }, (_, i) => Number((low + i * step).toFixed(digits))),
    words: (value) => says.replace("{}", value.toFixed(digits).replace("-", "−")),
    right: (value) => value >= q.right[0] && value <= q.right[1],
    comment: (value) =>
      q.wrong.find(([number]) => Math.abs(value - number) <= Math.max(step / 2, 0.04 * (high - low)))?.[1] ?? "",
    solution: q.solution,
    kept: { unit, interval: q.right },
  };
}

/**
 * Give a picture `p.veiled` and `p.guess`. Returns, where its question is guessed on it, the lines above and below it and
 * `look(seen)`, which each frame tells whether the outcome is seen.
 */
export function guessing(p, figure) {
  const q = p.model.get("question") ?? {};
  const kept = () => (q.key ? p.recall(q.key) : undefined);
  Object.assign(p, { veiled: () => Boolean(q.key) && kept() === undefined, guess: () => undefined });
  if (q.key) p.recalled(p.redraw);
  if (!q.place) return null;

  const { values, words, right, comment, solution, kept: beside } = guessedFrom(q);
  const name = `${nextId()}-ask`;
  const mark = element("div", { class: "pe-guess", "aria-describedby": name });
  const commit = element("button", { type: "button", class: "pe-primary" }, "This is my guess");
  const show = element("button", { type: "button", class: "pe-quiet" }, "Show me");
  const hint = element("span", { class: "pe-way" }, "Drag the mark “?” or use the arrow keys.");
  const status = element("div", { role: "status", tabindex: -1 });
  const actions = element("div", { class: "pe-guess-actions" }, commit, show, hint);
  const foot = element("div", { class: "pe-guess-foot", "data-question": q.key }, actions, status);
  const head = page("p", q.ask, { class: "pe-ask", id: name });
  figure.append(mark);

  let place = null; // of the mark, among the values
  let points = []; // where the values lie in this frame
  let seen = false;
  let told = "";
  const rest = Math.round(WAITS * (values.length - 1));

  const put = (to) => {
    place = Math.max(0, Math.min(values.length - 1, to));
    dress();
    p.redraw();
  };
  const off = (x, y) => points.map(([a, b]) => Math.hypot(a - x, b - y));
  const nearest = (x, y) => {
    const distances = off(x, y);
    return distances.indexOf(Math.min(...distances));
  };
  const guess = () => {
    const answer = values[place];
    p.remember(q.key, { answer, right: right(answer), ...beside });
    status.focus({ preventScroll: true });
  };
  const reveal = () => {
    p.remember(q.key, { ...kept(), shown: true });
    glide(p.storeOf, q.shows, p.settle);
    status.focus({ preventScroll: true });
  };
  commit.addEventListener("click", guess);
  show.addEventListener("click", reveal);
  foot.addEventListener("keydown", keepKeys);
  mark.addEventListener("keydown", (event) => {
    keepKeys(event);
    const by = { ...KEY_STEPS, Home: -values.length, End: values.length }[event.key];
    if (kept() || (by === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    if (by !== undefined) put((place ?? rest) + by);
    else if (place !== null) guess();
  });
  mark.addEventListener("pointerdown", (event) => {
    if (kept() || event.button) return;
    const box = p.canvas.getBoundingClientRect();
    const [x, y] = points[place ?? rest];
    const grip = [event.clientX - box.left - x, event.clientY - box.top - y];
    const move = ({ clientX, clientY }) => {
      const now = p.canvas.getBoundingClientRect();
      put(nearest(clientX - now.left - grip[0], clientY - now.top - grip[1]));
    };
    mark.setPointerCapture(event.pointerId);
    mark.addEventListener("pointermove", move);
    const end = () => mark.removeEventListener("pointermove", move);
    mark.addEventListener("lostpointercapture", end, { once: true });
    put(place ?? rest); // a click where the mark waits puts it there
  });

  // The words and the roles of the mark and of what stands below, after each step.
  function dress() {
    const record = kept();
    const made = record?.answer;
    const open = record && (seen || record.seen || record.shown);
    mark.hidden = Boolean(record) && made === undefined;
    mark.className = `pe-guess${record || place !== null ? " pe-put" : ""}${record ? " pe-made" : ""}`;
    mark.classList.toggle("pe-yes", Boolean(open && record.right));
    mark.classList.toggle("pe-no", Boolean(open && !record.right));
    mark.textContent = !open ? "?" : record.right ? "✓" : "✗";
    if (record) {
      for (const attribute of ["tabindex", "aria-valuemin", "aria-valuemax", "aria-valuenow", "aria-valuetext"])
        mark.removeAttribute(attribute);
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", made === undefined ? "no guess" : `your guess: ${plain(words(made))}`);
    } else {
      const at = place ?? rest;
      const says = place === null ? "not placed yet" : plain(words(values[place]));
      const told = { role: "slider", tabindex: 0, "aria-label": "your guess", "aria-valuetext": says };
      Object.assign(told, { "aria-valuemin": 0, "aria-valuemax": values.length - 1, "aria-valuenow": at });
      for (const [attribute, value] of Object.entries(told)) mark.setAttribute(attribute, value);
    }
    commit.hidden = hint.hidden = Boolean(record);
    commit.disabled = place === null;
    if (place !== null) hint.textContent = `Your mark: ${plain(words(values[place]))}.`;
    actions.hidden = Boolean(open);
    const news = record ? verdict(record, open) : "";
    if (news !== told) status.innerHTML = told = news;
    status.className = open ? `pe-answer ${record.right ? "pe-right" : "pe-told"}` : "";
  }

  function verdict({ answer, shown }, open) {
    const mine = answer === undefined ? "" : words(answer);
    if (!open) return `<p><b>Your guess: ${mine}.</b> ${q.then}</p>`;
    const guessed = mine && `<div><span>Your guess</span><b>${mine}</b></div>`;
    const said = mine && !shown ? comment(answer) : "";
    const because = [said, q.because].filter(Boolean).map((html) => `<p>${html}</p>`);
    const compared = `${guessed}<div><span>The answer</span><b>${solution}</b></div>`;
    return `<div class="pe-compare">${compared}</div>${because.join("")}`;
  }

  // Where the right answers lie, once they have been seen.
  const drawRight = () => {
    const good = points.filter((_, i) => right(values[i]));
    if (good.length > 1) p.stroke(good, p.color.right, 5);
    else p.circle(...good[0], 9, p.color.right, 3);
  };

  p.guess = (pointOf) => {
    points = values.map(pointOf);
    const record = kept();
    const answer = record?.answer;
    const at = record ? values.indexOf(answer) : (place ?? rest);
    const [x, y] = points[at] ?? [0, 0];
    mark.style.transform = `translate(${x}px, ${y}px)`;
    if (record && (seen || record.seen || record.shown)) drawRight();
    if (!record)
      p.grab("guess", {
        wide: true,
        hit: (a, b) => {
          const distance = Math.min(...off(a, b));
          return distance <= CLICKED ? distance / 4 + 1 : Infinity; // what the view itself names there comes first
        },
        move: (a, b) => put(nearest(a, b)),
        says: "your guess",
      });
    return answer ?? (place === null ? undefined : values[place]);
  };
  const unveil = veilOf(p, q.key, () => Boolean(kept()));
  const update = () => {
    dress();
    unveil();
  };
  update();
  p.recalled(update);
  return {
    head,
    foot,
    look(shown) {
      const record = kept();
      if (!record) seen = false; // or forgotten
      if (!shown || !record || seen) return;
      seen = true;
      dress();
      p.redraw();
      const keep = () => kept() && !kept().seen && p.remember(q.key, { ...kept(), seen: true });
      if (!record.seen) setTimeout(keep, KEPT_MS);
    },
  };
}
