// The reader's code against the three demands: its walk, and a line for each demand.
import "../../../kit/widgets/static/typed.css";
import { MOST_GROWN, NEAR, trialOf } from "./expression.js";
import { element, keepKeys, listen, nextId } from "../../../kit/widgets/static/elements.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, withCommas } from "../../../kit/widgets/static/painter.js";

const WALK = 50; // tokens that are drawn, either way
const SIDE = 220;
const ROW = 40;
const LEAST = 1e-6; // an error or a distance below this is told as being less
const FAILURES = 3; // after which the proof is wanted
const BEGINNINGS = {
  digits: "p % 2, p // 2 % 2, p // 4 % 2, p // 8 % 2",
  index: "p, 1",
  fading: "0.98**p * sin(0.3*p), 0.98**p * cos(0.3*p)",
  "a wave": "sin(0.3*p)",
};

export default view({
  height: (w) => (w >= 620 ? SIDE + 30 : SIDE + 20 + 4 * ROW),
  draw(p) {
    if (p.refused) return { alt: `${p.refused.text}: cannot be tried. ${p.refused.message}`, numbers: {} };
    const code = p.get("code");
    if (p.tried?.code !== code) p.tried = { code, ...trialOf(code) };
    const found = p.tried;
    const { color } = p;
    const wide = p.w >= 620;
    const walk = found.codes
      .slice(NEAR - WALK, NEAR + WALK + 1)
      .map((one, i) => (one.length > 1 ? [one[0], one[1]] : [i - WALK, one[0]]));
    const single = found.codes[0].length === 1;
    drawWalk(p, walk, { x: wide ? 8 : (p.w - SIDE) / 2, y: 10, w: SIDE, h: SIDE }, single);
    const left = wide ? SIDE + 40 : 8;
    const rows = rowsOf(found);
    const shown = [];
    rows.forEach(({ met, name, tells }, i) => {
      const y = (wide ? 10 : SIDE + 20) + (i + 0.5) * (wide ? SIDE / 4 : ROW);
      const tone = met === undefined ? color.pink : met ? color.green : color.soft;
      if (met === undefined) p.dot(left + 7, y - 9, color.pink, 5);
      else p.text(met ? "✓" : "✗", left + 7, y - 9, { color: tone, size: 18, weight: 700, align: "center" });
      p.text(name, left + 24, y - 9, { weight: 600, size: 14 });
      p.text(tells, left + 24, y + 10, { color: color.soft, size: p.w < 420 ? 11.5 : 13 });
      shown.push(tells);
    });
    const [first, second, apart] = found.alike;
    const [back, on] = found.growth.map(times);
    const alt = `${code}: the best matrix misses by ${share(found.miss)}, the codes span ${found.rank} of ${found.codes[0].length} dimensions, and up to 1,000,000 tokens they are ${back} times as long backwards and ${on} times forwards; most alike are positions ${first} and ${second}, ${share(apart)} apart`;
    const numbers = {
      miss: [found.miss],
      rank: [found.rank],
      growth: found.growth,
      alike: found.alike,
      walk: walk.flat(),
    };
    return { alt, numbers };
  },
  build(p) {
    const id = nextId();
    const field = element("input", {
      type: "text",
      id,
      autocomplete: "off",
      spellcheck: "false",
      autocapitalize: "off",
    });
    const hint = element("span", { class: "pe-hint", role: "status" });
    const score = element("p", { class: "pe-score", role: "status" });
    const label = element("label", { for: id }, "code(p) =");
    const form = element(
      "form",
      { class: "pe-own" },
      label,
      field,
      element("button", { type: "submit" }, "Try it"),
      hint,
    );
    const key = `${p.model.get("remember") || "02/adversary"}/failed`;
    const show = () => (field.value = p.get("code"));
    const count = () => {
      const failed = p.recall(key) ?? [];
      const passes = !p.refused && p.tried?.met.every(Boolean) && p.tried.code === p.get("code");
      const words = ["one failure", "two failures", `${failed.length} failures`][Math.min(failed.length, FAILURES) - 1];
      score.textContent = passes
        ? "This one meets all three. Is it something new?"
        : failed.length < FAILURES
          ? `Of your own: ${words ?? "none tried yet"}.`
          : `Of your own: ${words}. Is there any code that meets all three?`;
    };
    const attempt = (text, own) => {
      let found;
      try {
        found = trialOf(text);
      } catch (error) {
        hint.textContent = error.message;
        p.refused = { text, message: error.message };
        count();
        p.redraw();
        return;
      }
      hint.textContent = "";
      p.refused = undefined;
      p.tried = { code: text, ...found };
      p.set("code", text);
      p.settle();
      p.redraw(); // also where the same code comes back after one that could not be tried
      const failed = p.recall(key) ?? [];
      if (own && !found.met.every(Boolean) && !failed.includes(text)) p.remember(key, [...failed, text]);
      count();
    };
    show();
    const other = () => {
      p.refused = undefined;
      hint.textContent = "";
      show();
    };
    listen(p.model, "change:code", other, p.stop);
    p.recalled(count);
    form.addEventListener("keydown", keepKeys);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(field.value.trim(), true);
    });
    const offers = element("div", { class: "pe-words", role: "group", "aria-label": "codes to begin with" });
    for (const [name, text] of Object.entries(BEGINNINGS)) {
      const made = element("button", { type: "button", class: "pe-button" }, name);
      made.addEventListener("click", () => attempt(text, false));
      made.addEventListener("keydown", keepKeys);
      offers.append(made);
    }
    p.root.querySelector(".pe-figure").before(form);
    p.controls.append(offers, score);
    count();
  },
});

function rowsOf({ miss, rank, growth, alike, met, codes }) {
  const [back, on] = growth.map(times);
  const [first, second, apart] = alike;
  return [
    { met: met[0], name: "one rule", tells: `misses by ${share(miss)} of the codes’ size` },
    { met: met[1], name: "nothing wasted", tells: `spans ${rank} of ${codes[0].length} dimensions` },
    { met: met[2], name: "bounded", tells: `×${back} backwards, ×${on} forwards by 1,000,000` },
    { name: "most alike", tells: `positions ${first} and ${second}, ${share(apart)} apart` },
  ];
}

// The walk through the plane, on one scale, or a single number against p.
function drawWalk(p, points, box, single) {
  const { color } = p;
  const size = 1.15 * Math.max(...points.flat().map(Math.abs), 1e-9);
  const tall = single ? 1.15 * Math.max(...points.map(([, y]) => Math.abs(y)), 1e-9) : size;
  const at = ([x, y]) => [box.x + (box.w / 2) * (1 + x / size), box.y + (box.h / 2) * (1 - y / tall)];
  const [middle, height] = at([0, 0]);
  p.line(box.x, height, box.x + box.w, height, color.line);
  p.line(middle, box.y, middle, box.y + box.h, color.line);
  if (!single && size < 40) p.circle(middle, height, box.w / 2 / size, color.soft, 0.8);
  for (const [way, tone, radius] of [
    [points.slice(0, WALK + 1), color.pink, 4],
    [points.slice(WALK), color.green, 2.6],
  ]) {
    p.stroke(way.map(at), tone, 1);
    for (const point of way) p.dot(...at(point), tone, radius);
  }
  p.dot(...at(points[WALK]), color.ink, 6);
}

function share(value) {
  if (value === 0) return "0";
  if (value < LEAST) return `less than ${LEAST.toFixed(6)}`;
  return value >= 0.01 ? fixed(value) : value.toFixed(6).replace(/0+$/, "");
}

function times(value) {
  if (value >= MOST_GROWN) return "over a billion";
  return value < 100 ? fixed(value) : withCommas(Math.round(value));
}
