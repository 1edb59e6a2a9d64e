// Questions of five formats. A format makes the part where the reader answers; `card` does what all of them share: it
// checks, tells, remembers the answer and the first one, gives it back another day, and opens the fold over the result.
// A format is { node, value(), put(value), lock(on), mark(value), right(value), comment(value), name(value), solution() };
// value() is null while the answer is incomplete, and comment, name and solution are HTML.
import "./questions.css";
import { element, keepKeys, nextId, page, plain } from "./elements.js";
import { WAITS } from "./guess.js";
import { view } from "./kit.js";
import { memory } from "./memory.js";
import { veilOf } from "./veil.js";

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const listed = (tag, pages) => `<${tag}>${pages.map((html) => `<li>${html}</li>`).join("")}</${tag}>`;

function key(label, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", () => act(made));
  return made;
}

const FORMATS = {
  number(q, changed) {
    const { low, high, step, digits, log, unit } = q.scale,
      stops = 240;
    const id = nextId();
    const shown = (value) =>
      value
        .toLocaleString("en", { minimumFractionDigits: log ? 0 : digits, maximumFractionDigits: digits })
        .replace("-", "−");
    const withUnit = (value) => `${shown(value)}${unit ? ` ${unit}` : ""}`;
    const stopOf = (value) => (log ? (stops * Math.log(value / low)) / Math.log(high / low) : value);
    const valueAt = (stop) => {
      if (!log) return Number(stop);
      const value = low * (high / low) ** (stop / stops);
      const grid = Math.max(step, 10 ** (Math.floor(Math.log10(value)) - 1));
      return Math.min(high, Math.max(low, Number((Math.round(value / grid) * grid).toFixed(digits))));
    };
    const share = (value) => (stopOf(value) - stopOf(low)) / (stopOf(high) - stopOf(low));
    const slider = element("input", {
      type: "range",
      class: "pe-unset",
      min: log ? 0 : low,
      max: log ? stops : high,
      step: log ? 1 : step,
      "aria-label": `your guess${unit ? ` in ${unit}` : ""}`,
      "aria-valuetext": "not set yet",
    });
    slider.value = log ? WAITS * stops : low + WAITS * (high - low);
    const typed = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", id, placeholder: "?" });
    typed.style.width = `${Math.max(...[low, high].map((v) => shown(v).length)) + 4}ch`;
    const hint = element("span", { class: "pe-hint", role: "alert" });
    let value = null;
    const show = () => {
      slider.classList.toggle("pe-unset", value === null);
      slider.setAttribute("aria-valuetext", value === null ? "not set yet" : withUnit(value));
      if (value !== null) slider.value = stopOf(value);
    };
    const slide = () => {
      value = valueAt(slider.value);
      typed.value = shown(value);
      hint.textContent = "";
      show();
      changed();
    };
    slider.addEventListener("input", slide);
    slider.addEventListener("click", slide); // a click where the thumb waits moves nothing
    slider.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && slide());
    typed.addEventListener("input", () => {
      const number = Number(typed.value.replaceAll(",", "").replace("−", "-"));
      const fits = typed.value.trim() !== "" && number >= low && number <= high;
      value = fits ? number : null;
      hint.textContent = fits || !typed.value.trim() ? "" : `a number from ${shown(low)} to ${shown(high)}`;
      show();
      changed();
    });
    const marks = element("div", { class: "pe-marks", "aria-hidden": "true" });
    const track = element(
      "div",
      { class: "pe-track" },
      slider,
      marks,
      element("span", { class: "pe-end" }, shown(low)),
      element("span", { class: "pe-end" }, shown(high)),
    );
    const entry = element("label", { class: "pe-entry", for: id }, "Your guess", typed, unit);
    return {
      node: element("div", { class: "pe-number" }, track, entry, hint),
      value: () => value,
      put(given) {
        value = given ?? null;
        typed.value = value === null ? "" : shown(value);
        show();
      },
      lock(on) {
        slider.disabled = typed.disabled = on;
      },
      mark(given, done) {
        marks.innerHTML = done
          ? [
              [given, "guess"],
              [q.answer, "answer"],
            ]
              .filter(([number]) => number !== undefined)
              .map(([number, kind]) => `<i class="pe-at-${kind}" style="--pe-share:${share(number)}"></i>`)
              .join("")
          : "";
      },
      right: (given) => given >= q.right[0] && given <= q.right[1],
      comment(given) {
        const near = q.wrong.find(
          ([number]) =>
            Math.abs(given - number) <= Math.max(step / 2, 0.02 * Math.abs(number)) &&
            Math.abs(given - number) < Math.abs(given - q.answer),
        );
        return near ? near[1] : "";
      },
      name: withUnit,
      solution: () => q.solution || withUnit(q.answer),
    };
  },

  choice(q, changed) {
    const group = nextId(),
      node = element("div", { class: "pe-choices" });
    const inputs = q.items.map(([name, text]) => {
      const input = element("input", { type: "radio", name: group, value: name });
      input.addEventListener("change", changed);
      node.append(element("label", { class: "pe-row" }, input, page("span", text)));
      return input;
    });
    const item = (name) => q.items.find(([one]) => one === name);
    return {
      node,
      value: () => inputs.find((input) => input.checked)?.value ?? null,
      put(given) {
        for (const input of inputs) input.checked = input.value === given;
      },
      lock(on) {
        for (const input of inputs) input.disabled = on;
      },
      mark(given, done) {
        for (const input of inputs) {
          const right = input.value === q.answer;
          input.parentElement.classList.toggle("pe-yes", right && (done || given === q.answer));
          input.parentElement.classList.toggle("pe-no", input.value === given && !right);
        }
      },
      right: (given) => given === q.answer,
      comment: (given) => item(given)?.[2] ?? "",
      name: (given) => item(given)?.[1] ?? "",
      solution: () => item(q.answer)[1],
    };
  },

  order(q, changed, p) {
    const list = element("ol", { class: "pe-steps" }),
      told = element("p", { class: "pe-spoken", role: "status" });
    const texts = Object.fromEntries(q.items),
      hints = Object.fromEntries(q.items.map(([name, , why]) => [name, why])),
      answer = q.items.map(([name]) => name);
    const value = () => [...list.children].map((row) => row.dataset.name);
    let locked = false,
      touched = false;
    const moved = (row) => {
      touched = true;
      const place = [...list.children].indexOf(row) + 1;
      told.textContent = `${plain(texts[row.dataset.name])}: now ${place} of ${answer.length}`;
      changed();
    };
    const shift = (row, by, focused) => {
      const beside = by < 0 ? row.previousElementSibling : row.nextElementSibling;
      if (!beside || locked) return;
      if (by < 0) beside.before(row);
      else beside.after(row);
      focused.focus();
      moved(row);
    };
    const rows = Object.fromEntries(
      answer.map((name) => {
        const row = element("li", { class: "pe-row", "data-name": name });
        const grip = element("span", { class: "pe-grip", "aria-hidden": "true" });
        const said = plain(texts[name]);
        const up = key("↑", () => shift(row, -1, up), { "aria-label": `move up: ${said}` });
        const down = key("↓", () => shift(row, 1, down), { "aria-label": `move down: ${said}` });
        row.append(grip, page("span", texts[name], { class: "pe-text" }), up, down);
        row.addEventListener("pointerdown", (event) => {
          const held = event.target.closest("button, .pe-grip");
          if (locked || held?.tagName === "BUTTON" || (event.pointerType === "touch" && !held)) return;
          event.preventDefault();
          const before = value();
          row.classList.add("pe-held");
          const ending = new AbortController(),
            stop = { signal: ending.signal };
          const follow = ({ clientY }) => {
            const others = [...list.children].filter((other) => other !== row);
            const next = others.find((other) => {
              const box = other.getBoundingClientRect();
              return clientY < box.top + box.height / 2;
            });
            if (next !== row.nextElementSibling) list.insertBefore(row, next ?? null);
          };
          const drop = () => {
            ending.abort();
            row.classList.remove("pe-held");
            if (!same(before, value())) moved(row);
          };
          addEventListener("pointermove", follow, stop);
          addEventListener("pointerup", drop, stop);
          addEventListener("pointercancel", drop, stop);
          p.stop.addEventListener("abort", () => ending.abort());
        });
        return [name, row];
      }),
    );
    const put = (given) => {
      const fits = given && same([...given].sort(), [...answer].sort());
      touched = Boolean(fits);
      list.append(...(fits ? given : q.start).map((name) => rows[name]));
    };
    put();
    const rightUntil = (given) => given.findIndex((name, place) => name !== answer[place]);
    return {
      node: element("div", {}, list, told),
      drafts: true,
      value: () => (touched ? value() : null),
      put,
      lock(on) {
        locked = on;
        for (const button of list.querySelectorAll("button")) button.disabled = on;
      },
      mark(given) {
        const until = given ? rightUntil(given) : 0;
        value().forEach((name, place) => {
          rows[name].classList.toggle("pe-yes", Boolean(given) && (until < 0 || place < until));
          rows[name].classList.toggle("pe-no", Boolean(given) && place === until);
        });
      },
      right: (given) => same(given, answer),
      comment(given) {
        const early = given[rightUntil(given)];
        return early === undefined ? "" : `<b>Too early:</b> ${texts[early]} ${hints[early]}`;
      },
      name(given) {
        const until = rightUntil(given);
        return until < 0 ? "all in order" : `in order up to step ${until}`;
      },
      solution: () => listed("ol", Object.values(texts)),
    };
  },

  match(q, changed, p) {
    const rights = Object.fromEntries(q.bank),
      answer = q.items.map(([name]) => name);
    const hints = Object.fromEntries(q.items.map(([name, , , why]) => [name, why]));
    const lefts = Object.fromEntries(q.items.map(([name, left]) => [name, left]));
    const bank = element("div", { class: "pe-bank", role: "group", "aria-label": "what to match" });
    const table = element("div", { class: "pe-pairs" });
    let placed = {},
      held = null,
      aim = null,
      locked = false;
    const lay = (left, right) => {
      for (const [other, name] of Object.entries(placed)) if (name === right) delete placed[other];
      placed[left] = right;
      held = aim = null;
      show();
      slots[left].focus();
      changed();
    };
    const chips = Object.fromEntries(
      q.bank.map(([name, text]) => {
        const chip = page("button", text, { type: "button", class: "pe-chip" });
        chip.addEventListener("click", () => {
          if (chip.dragged) return;
          if (aim) return lay(aim, name);
          held = held === name ? null : name;
          show();
        });
        drag(chip, name);
        bank.append(chip);
        return [name, chip];
      }),
    );
    const slots = Object.fromEntries(
      q.items.map(([name, left], place) => {
        const slot = element("button", { type: "button", class: "pe-slot" });
        slot.addEventListener("click", () => {
          if (held) return lay(name, held);
          if (placed[name]) {
            held = placed[name];
            delete placed[name];
            changed();
          } else aim = aim === name ? null : name;
          show();
        });
        const numbered = q.kind === "label" ? `<span class="pe-place">${place + 1}</span>` : "";
        table.append(element("div", { class: "pe-pair", "data-name": name }, page("span", numbered + left), slot));
        return [name, slot];
      }),
    );

    // A chip goes where it is dropped; a click alone only picks it up.
    function drag(chip, name) {
      chip.addEventListener("pointerdown", (start) => {
        if (locked || start.button) return;
        chip.dragged = false;
        const ending = new AbortController(),
          stop = { signal: ending.signal };
        addEventListener(
          "pointermove",
          (event) => {
            const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
            chip.dragged ||= Math.hypot(x, y) > 6;
            if (chip.dragged) chip.style.cssText = `translate:${x}px ${y}px;pointer-events:none;z-index:2`;
          },
          stop,
        );
        const drop = (event) => {
          ending.abort();
          chip.style.cssText = "";
          if (!chip.dragged) return;
          const row = document.elementFromPoint(event.clientX, event.clientY)?.closest(".pe-pair");
          if (row && table.contains(row)) lay(row.dataset.name, name);
          setTimeout(() => {
            chip.dragged = false;
          });
        };
        addEventListener("pointerup", drop, stop);
        addEventListener("pointercancel", drop, stop);
        p.stop.addEventListener("abort", () => ending.abort());
      });
    }

    function show() {
      const used = new Set(Object.values(placed));
      for (const [name, chip] of Object.entries(chips)) {
        chip.hidden = used.has(name);
        chip.setAttribute("aria-pressed", held === name);
        chip.disabled = locked;
      }
      bank.hidden = locked;
      for (const [name, slot] of Object.entries(slots)) {
        const inside = rights[placed[name]];
        const empty = held ? "put it here" : "choose";
        slot.innerHTML = inside ?? empty;
        slot.classList.toggle("pe-empty", !inside);
        slot.classList.toggle("pe-aim", aim === name || (Boolean(held) && !inside));
        slot.setAttribute("aria-label", `${plain(lefts[name])}: ${inside ? plain(inside) : empty}`);
        slot.disabled = locked;
      }
    }

    show();
    const wrongOnes = (given) => answer.filter((name) => given[name] !== name);
    return {
      node: element("div", {}, table, bank),
      drafts: true,
      value: () => (answer.every((name) => placed[name]) ? { ...placed } : null),
      draft: () => ({ ...placed }),
      put(given) {
        const fits = Object.entries(given ?? {}).filter(([left, right]) => left in lefts && right in rights);
        placed = Object.fromEntries(fits);
        held = aim = null;
        show();
      },
      lock(on) {
        locked = on;
        show();
      },
      mark(given) {
        for (const row of table.children) {
          const name = row.dataset.name;
          row.classList.toggle("pe-yes", given?.[name] === name);
          row.classList.toggle("pe-no", Boolean(given) && given[name] !== name);
        }
      },
      right: (given) => wrongOnes(given).length === 0,
      comment(given) {
        const [first] = wrongOnes(given);
        return first === undefined ? "" : `<b>${lefts[first]}</b>: ${hints[first]}`;
      },
      name: (given) => `${answer.length - wrongOnes(given).length} of ${answer.length} right`,
      solution: () =>
        listed(
          "ul",
          q.items.map(([, left, right]) => `${left}: ${right}`),
        ),
    };
  },
};
FORMATS.label = FORMATS.match;

// `again`: whether it begins as a new try, whatever was answered; `next`: what a new try does in the place of starting over.
function card(p, q, { again = false, next = null } = {}) {
  const id = nextId(),
    format = FORMATS[q.kind](q, changed, p),
    draft = `${q.key}#draft`,
    drawn = "draw" in q ? { draw: q.draw } : {};
  const commit = key(q.predict ? "This is my guess" : "Check", guess, { class: "pe-primary" });
  const peek = key("Show me", () => p.remember(q.key, { ...p.recall(q.key), ...drawn, shown: true }), {
    class: "pe-quiet",
  });
  const retry = key("Try again", startOver, { class: "pe-quiet" });
  const status = element("div", { role: "status", tabindex: -1 });
  const root = element(
    "section",
    { class: "pe-card", role: "group", "aria-labelledby": id, "data-question": q.key },
    page("p", q.ask, { class: "pe-question", id }),
    ...(q.formula ? [page("p", q.formula, { class: "pe-formula" })] : []),
    format.node,
    element("div", { class: "pe-actions" }, commit, peek),
    status,
    element("div", { class: "pe-actions" }, retry),
  );
  const unveil = veilOf(p, q.key, () => p.answered(q.key));
  let seen = null; // what is shown of the memory; null asks for a fresh look

  function changed() {
    if (format.drafts) {
      const laid = format.draft ? format.draft() : format.value();
      if (seen) seen.laid = laid;
      p.remember(draft, laid);
    }
    format.mark(null);
    const { value } = memory.record(q.key) ?? {};
    commit.disabled = format.value() === null || (!again && same(format.value(), value?.answer));
  }

  function guess() {
    const answer = format.value();
    again = false;
    seen = null;
    p.remember(q.key, { answer, right: format.right(answer), ...drawn });
    status.focus();
  }

  function startOver() {
    if (next) return next();
    again = true;
    seen = null;
    show();
    root.querySelector("input, button")?.focus();
  }

  function show() {
    const { value, first } = memory.record(q.key) ?? {},
      laid = p.recall(draft);
    if (seen && same({ value, laid }, seen)) return;
    const news = !seen || !same(value, seen.value);
    if (seen && news) again = false;
    seen = { value, laid };
    if (value?.answer === undefined || (again && next)) format.put(laid);
    else if (news) format.put(value.answer);
    const told = again ? undefined : value,
      done = Boolean(told && (q.predict || told.right || told.shown));
    format.lock(done);
    format.mark(told?.answer, done);
    commit.parentElement.hidden = done;
    retry.parentElement.hidden = !done;
    commit.disabled = format.value() === null || (!again && told !== undefined);
    const [kind, text] = told ? verdict(told, first) : ["", ""];
    status.className = kind && `pe-answer pe-${kind}`;
    status.innerHTML = text;
    unveil();
  }

  function verdict({ answer, right, shown }, first) {
    const guessed = answer !== undefined,
      because = q.because && `<p>${q.because}</p>`;
    const before =
      first?.answer !== undefined && first.draw === q.draw && !same(first.answer, answer)
        ? `<p class="pe-first">Your first guess: ${format.name(first.answer)}</p>`
        : "";
    if (q.predict || shown) {
      const mine = guessed ? `<div><span>Your guess</span><b>${format.name(answer)}</b></div>` : "";
      const true_ = `<div><span>The answer</span><b>${format.solution()}</b></div>`;
      const comment = guessed && !shown && format.comment(answer);
      return [
        guessed && right ? "right" : "told",
        `<div class="pe-compare">${mine}${true_}</div>${comment ? `<p>${comment}</p>` : ""}${because}${before}`,
      ];
    }
    const sign = `<b class="pe-sign" role="img" aria-label="${right ? "right" : "not right"}">${right ? "✓" : "✗"}</b>`;
    const comment = format.comment(answer) || (right ? "Right." : "Not yet.");
    return [right ? "right" : "wrong", `<p>${sign} ${comment}</p>${right ? because : ""}${before}`];
  }

  p.recalled(show);
  show();
  return root;
}

// A question with several draws begins with any of them, or with `from`, and each new try takes the next. An answer keeps
// its draw; one from before there were draws has the first.
function drawnCard(p, { key: name, draws, from }) {
  const place = element("div");
  const answered = () => memory.record(name)?.value;
  const drawOf = (value) => value.draw ?? 0;
  let now = null,
    known = null; // the draw that is asked, and the answer that was known when it was laid
  const lay = (draw, again) => {
    [now, known] = [draw, answered()];
    const next = () => {
      lay((draw + 1) % draws.length, true);
      place.querySelector("input").focus();
    };
    place.replaceChildren(card(p, { ...draws[draw], draw }, { again, next }));
  };
  p.recalled(() => {
    const value = answered();
    if (same(value, known)) return;
    known = value;
    if (value && drawOf(value) !== now) lay(drawOf(value), false);
  });
  const begin = from ?? Math.floor(Math.random() * draws.length);
  lay(answered() ? drawOf(answered()) : begin, false);
  return place;
}

// A test can be sat again, what was missed in it or all of it, with the next draws. Each sitting keeps its answers under
// keys of its own: so its first answers are known, and those of the first sitting stay what the lessons count.
function sittings(p, questions, titles) {
  const place = element("div", { class: "pe-sitting" }),
    name = `${questions[0].key.split("/")[0]}#sitting`,
    first = { number: 1, keys: questions.map(({ key }) => key) };
  let shown = null;

  function asked(q, number) {
    const keyIn = (sitting) => (sitting > 1 ? `${q.key}#${sitting}` : q.key);
    const one = { ...q, key: keyIn(number), stem: q.key };
    if (!q.draws) return one;
    const earlier = Array.from({ length: number - 1 }, (_, i) => memory.record(keyIn(i + 1))).filter(Boolean);
    const last = earlier.at(-1)?.value.draw ?? (earlier.length ? 0 : undefined);
    const from = last === undefined ? undefined : (last + 1) % q.draws.length;
    return { ...one, from, draws: q.draws.map((draw) => ({ ...draw, key: one.key })) };
  }

  function lay() {
    const kept = p.recall(name);
    const sitting = kept?.keys.some((one) => first.keys.includes(one)) ? kept : first;
    if (same(sitting, shown)) return;
    shown = sitting;
    const now = questions.filter(({ key }) => sitting.keys.includes(key)).map((q) => asked(q, sitting.number));
    const sit = (again) => {
      p.remember(name, { number: sitting.number + 1, keys: again });
      place.scrollIntoView();
      place.querySelector("input, button")?.focus({ preventScroll: true });
    };
    const buttons = () => {
      const missed = now.filter(({ key }) => !memory.record(key)?.first.right).map(({ stem }) => stem);
      const done = now.every(({ key }) => memory.record(key));
      const actions = element("div", { class: "pe-actions" });
      if (done && missed.length)
        actions.append(key(`Ask again what I missed (${missed.length})`, () => sit(missed), { class: "pe-primary" }));
      if (done || sitting.number > 1)
        actions.append(key(`Ask everything again (${questions.length})`, () => sit(first.keys), { class: "pe-quiet" }));
      return actions;
    };
    place.replaceChildren(
      ...(now.every(({ key }) => memory.record(key)) ? [lastTime(now, buttons())] : []),
      ...now.map((q) => (q.draws ? drawnCard(p, q) : card(p, q))),
      summary(p, now, titles, buttons),
    );
  }
  p.recalled(lay);
  lay();
  return place;
}

const rightAtFirst = (questions) => questions.filter(({ key }) => memory.record(key)?.first.right).length;

// What a reader sees first who comes back to a test that is done.
function lastTime(questions, buttons) {
  const ended = Math.max(...questions.map(({ key }) => memory.record(key).first_at));
  const day = new Date(ended).toLocaleDateString("en-GB", { day: "numeric", month: "long" });
  const told = `Your answers of ${day}: ${rightAtFirst(questions)} of ${questions.length} right at the first guess.`;
  return element("div", { class: "pe-card pe-last" }, page("p", told, { class: "pe-question" }), buttons);
}

function summary(p, questions, titles, buttons) {
  const status = element("div", { role: "status" }),
    root = element("div", { class: "pe-card pe-summary" }, status, buttons());
  const show = () => {
    const open = questions.filter(({ key }) => !memory.record(key)).length;
    root.hidden = open === questions.length;
    const lessons = Object.entries(titles).map(([lesson, title]) => {
      const asked = questions.filter((q) => q.lesson === lesson);
      const missed = asked.filter(({ key }) => memory.record(key) && !memory.record(key).first.right);
      return { name: `<b>${lesson} ${title}</b>`, asked: asked.length, missed };
    });
    const weak = lessons.filter(({ missed }) => missed.length).sort((a, b) => b.missed.length - a.missed.length);
    const right = rightAtFirst(questions);
    const advice = weak.map(({ name, asked, missed }) => {
      const sections = [...new Set(missed.map(({ section }) => section).filter(Boolean))];
      const where = sections.length ? `: ${sections.map((section) => `<i>${section}</i>`).join(", ")}` : "";
      return `${name}, ${missed.length} of ${asked} missed${where}`;
    });
    status.innerHTML = `<p class="pe-question">${right} of ${questions.length} right at the first guess${
      open ? `, ${open} still open` : ""
    }</p>${advice.length ? `<p>Read again:</p>${listed("ul", advice)}` : open ? "" : "<p>Nothing to read again.</p>"}`;
    root.lastChild.replaceWith(buttons());
  };
  p.recalled(show);
  show();
  return root;
}

export default view({
  build(p) {
    p.root.classList.add("pe-questions");
    p.root.addEventListener("keydown", keepKeys);
    const questions = p.model.get("questions"),
      titles = p.model.get("summary");
    if (Object.keys(titles).length) p.root.append(sittings(p, questions, titles));
    else p.root.append(...questions.map((q) => (q.draws ? drawnCard(p, q) : card(p, q))));
  },
});
