// The reader's function is typed, five lamps say what it promises, and a model in the page learns with it at once.
import { ask } from "./ask.js";
import { TEXT, lampList, lampsOf, lampsSaid } from "./lamps.js";
import { element, keepKeys, nextId } from "../widgets/static/elements.js";
import { view } from "../widgets/static/kit.js";

const SMOOTH = 8; // steps over which the drawn share is averaged
const KEPT_ROWS = 128; // of a code, for tests in longer texts
const TYPED_MS = 500;
const WIDE = 620;
const TONES = {
  index: "grey",
  digits: "pink",
  "one sine": "sin",
  "one hand": "green",
  "eight hands": "green",
  mine: "ink",
};
const DASHES = { "one hand": [6, 4] };

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 250 : 420),
  draw(p) {
    const wide = p.w >= WIDE;
    const found = p.found ?? p.model.get("found");
    const rows = found.near.slice(0, TEXT);
    const strips = wide
      ? { x: 34, y: 24, w: Math.min(230, 0.26 * p.w), h: p.h - 62 }
      : { x: 34, y: 24, w: p.w - 50, h: 120 };
    drawCode(p, rows, strips);
    const left = wide ? strips.x + strips.w + 64 : 40;
    const top = wide ? 24 : strips.y + strips.h + 54;
    const box = { x: left, y: top, w: p.w - left - (wide ? 110 : 92), h: p.h - top - 44 };
    const guess = drawRace(p, box);
    const lamps = (p.lamps ??= lampsOf(found));
    const now = p.runs?.at(-1);
    const told = !now
      ? "Nothing has been trained yet"
      : now.ended
        ? `After ${now.rights.length} steps ${now.right.toFixed(2)} of the answers are right`
        : `learning`;
    return {
      alt: `${p.name ?? p.model.get("first")}: ${lampsSaid(lamps)}. ${told}`,
      numbers: { code: rows, lamps: lamps.flatMap(({ numbers }) => numbers) },
      seen: guess && (p.runs ?? []).some((run) => run.ended && run.name === p.model.get("about")),
    };
  },
  build(p) {
    const starts = p.model.get("starts");
    const place = p.model.get("remember") || "machine";
    const draft = `${place}/draft`;
    const what = p.model.get("function");
    const lamps = lampList();
    lamps.show(lampsOf(p.model.get("found")));
    p.name = p.model.get("first");
    p.runs = [];

    const id = nextId();
    const field = element("textarea", { id, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    const refused = element("p", { class: "pe-refused", role: "status" });
    const runs = element("button", { type: "button", class: "pe-primary" }, "Run it");
    const offers = element("div", { class: "pe-bar", role: "group", "aria-label": "codes to begin with" });
    const bar = element("div", { class: "pe-bar" }, runs, offers);
    const label = element(
      "label",
      { for: id, class: "pe-spoken" },
      what === "code" ? "Your code: a function of the position p" : "Your rotation: a function of q and the position p",
    );
    p.root.querySelector(".pe-figure").before(element("div", { class: "pe-editor" }, label, field, bar, refused));
    p.root.querySelector(".pe-figure").after(lamps.list);
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
      if (touched || p.runs.length || !kept || kept === field.value) return;
      write(kept);
      p.found = undefined;
      lamps.show();
    };
    restore();
    p.recalled(restore);

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
      refused.textContent = found.refused ?? "";
      if (found.refused) return void lamps.show();
      if (name === "mine") p.remember(`machine/${what}`, found.source);
      take(found, name);
    }

    function take(found, name) {
      p.found = found;
      p.name = name;
      p.lamps = lampsOf(found);
      p.kept = {};
      lamps.show(p.lamps);
      train(found, name);
    }

    const hear = ({ kept }) => {
      if (kept?.name !== what) return;
      write(kept.source);
      touched = true;
      refused.textContent = "";
      take(kept, "mine");
    };
    p.model.on("msg:custom", hear);
    p.stop.addEventListener("abort", () => p.model.off("msg:custom", hear));

    let serial = 0;
    const worker = engine.connect((told) => {
      const last = p.runs.at(-1);
      if (!last || told.id !== serial) return;
      if (told.trouble && told.trouble !== "diverged") {
        refused.textContent = `The training stopped: ${told.trouble}`;
        return;
      }
      last.rights = told.rights;
      last.right = told.tests.at(-1).accuracy[0];
      last.ended = told.ended;
      p.redraw();
    });
    p.stop.addEventListener("abort", () => worker.end());

    function train({ near, turns, source }, name) {
      serial += 1;
      p.runs = p.runs.filter((run) => run.ended);
      const seed = p.runs.filter((run) => run.source === source).length;
      p.runs.push({ name, source, seed, rights: [], ended: false, right: 0 });
      const his = turns ? { turns } : { table: near.slice(0, KEPT_ROWS) };
      worker.say({ start: { ...p.model.get("settings"), ...his, seed }, id: serial });
      worker.say({ run: true });
      p.redraw();
    }
  },
});

// Each place's numbers, a row a place.
function drawCode(p, rows, box) {
  const limit = Math.max(...rows.flat().map(Math.abs), 1e-9);
  const columns = rows[0].length;
  const w = Math.min(box.w, 44 * columns);
  p.heat("code", { ...box, w }, rows.length, columns, (i, j) => rows[i][j], {
    limit,
    version: JSON.stringify(rows[1]) + limit,
  });
  p.stroke(
    [
      [box.x, box.y],
      [box.x + w, box.y],
      [box.x + w, box.y + box.h],
      [box.x, box.y + box.h],
      [box.x, box.y],
    ],
    p.color.line,
  );
  const { soft } = p.color;
  p.text("the code", box.x, box.y - 12, { weight: 600, size: 12.5 });
  const step = box.h / rows.length;
  for (const place of [0, 10, 20, 31])
    p.text(String(place), box.x - 7, box.y + (place + 0.5) * step, { color: soft, size: 11, align: "right" });
  p.text("place", box.x, box.y + box.h + 14, { color: soft, size: 11 });
}

// The share of right answers over the steps: every run stays, with its name at its end and its recorded seeds beside it.
function drawRace(p, box) {
  const { steps, task } = p.model.get("settings");
  const { chance } = engine.TASKS[task];
  const { color } = p;
  const scale = p.axes(box, {
    x: [0, steps],
    y: [0, 1],
    xticks: [0, 100, 200, 300].filter((step) => step <= steps),
    yticks: [0, 0.5, 1],
    xlabel: "training step",
    title: "right answers",
  });
  p.line(box.x, scale.y(chance), box.x + box.w, scale.y(chance), color.soft, 1, [3, 4]);
  p.text("guessing", box.x + 4, scale.y(chance) - 8, { color: color.soft, size: 11 });
  const guess = p.guess((share) => [box.x + box.w, scale.y(share)]);
  const runs = p.runs ?? [];
  const veiled = p.veiled();
  const about = p.model.get("about");
  const names = [];
  runs.forEach((run, i) => {
    const { name, rights } = run;
    const tone = color[TONES[name] ?? "ink"];
    const last = i === runs.length - 1;
    const points = rights.map((_, step) => {
      const part = rights.slice(Math.max(0, step - SMOOTH + 1), step + 1);
      return [scale.x(step + 1), scale.y(part.reduce((a, b) => a + b, 0) / part.length)];
    });
    if (veiled && name === about) return;
    if (points.length > 1) p.stroke(points, tone, last ? 2.8 : 1.4, DASHES[name]);
    if (!points.length) return;
    if (last) p.dot(...points.at(-1), tone, 4.5);
    if (run.ended && !names.some((one) => one.name === name)) names.push({ name, y: scale.y(run.right), tone });
  });
  if (veiled) p.veil(box.x + box.w - 10, box.y, 20, box.h);
  names.sort((a, b) => a.y - b.y);
  let above = -Infinity;
  for (const { name, y, tone } of names) {
    const at = Math.max(y, above + 13);
    above = at;
    for (const share of p.model.get("record")[name] ?? []) p.dot(box.x + box.w + 12, scale.y(share), tone, 2.6);
    p.text(name, box.x + box.w + 20, at, { color: tone, weight: 600, size: 12 });
  }
  return guess;
}
