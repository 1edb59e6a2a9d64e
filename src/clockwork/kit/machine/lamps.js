// One list of demands, as five lamps beside a code: computed as lamps.py computes them, and shown as a list.
import "./machine.css";
import { element } from "../widgets/static/elements.js";
import { withCommas } from "../widgets/static/painter.js";

export const DEMANDS = [
  "the same in every text",
  "different for each place",
  "one rule for every step",
  "bounded",
  "loud enough, not too loud",
];
const APART = 0.1;
const NO_ERROR = 1e-6;
const ALIKE = 1e-9;
const NEAR = 501;
const FAR = 1_000_000;
const LATE = 300_000;
const GROWN = 1.05;
const [QUIET, LOUD] = [0.15, 8];
export const TEXT = 32; // tokens that the model reads
const TOKEN = Math.sqrt(32);
const QUERY = Math.sqrt(4);

/**
 * The five lamps of a code: `near` has its rows from position 0 on, `far` the lengths of codes further on, `moved` says
 * where it is not the same in every text.
 * @param {{ near: number[][], far: number[], moved: string }} found
 * @param {string} [name] "rotate" where they are of a query that is turned
 * @returns {{ name: string, met: boolean, numbers: number[], tells: string }[]}
 */
export function lampsOf({ near, far, moved }, name = "code") {
  const turned = name === "rotate";
  const [first, second, apart] = nearestOf(near);
  const miss = missOf(near);
  const [before, after] = grownOf(near, far);
  const [quiet, loud] = loudnessOf(near, turned ? QUERY : TOKEN);
  const alone = `places ${first} and ${second} are ${brief(apart)} apart`;
  /** @type {[boolean, number[], string][]} */
  const told = [
    [!moved, [], moved || `the ${turned ? "turn" : "code"} knows the position alone`],
    [apart >= APART, [first, second, apart], apart >= APART ? `closest: ${alone}` : alone],
    [
      miss < NO_ERROR,
      [miss],
      miss < NO_ERROR ? "one matrix makes every step" : `the best matrix misses by ${Math.round(100 * miss)}%`,
    ],
    [after <= GROWN * before, [before, after], boundSays(before, after)],
    [quiet >= QUIET && loud <= LOUD, [quiet, loud], volumeSays(quiet, loud, turned)],
  ];
  return DEMANDS.map((name, i) => ({ name, met: told[i][0], numbers: told[i][1], tells: told[i][2] }));
}

function nearestOf(codes) {
  let found = [0, 1, Infinity];
  let least = Infinity;
  for (let i = 0; i < codes.length; i += 1)
    for (let j = i + 1; j < codes.length; j += 1) {
      let square = 0;
      for (let k = 0; k < codes[i].length; k += 1) square += (codes[i][k] - codes[j][k]) ** 2;
      const apart = Math.sqrt(square);
      const rounded = Math.round(apart * 1e9) / 1e9;
      if (rounded >= least) continue;
      least = rounded;
      found = [i, j, apart];
    }
  return found;
}

const along = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);
const sizeOf = (column) => Math.sqrt(along(column, column));

// What the best matrix, with a constant, leaves of the next codes: what the columns span, the longest rest first.
function missOf(codes) {
  const columns = codes[0].map((_, j) => Float64Array.from(codes, (code) => code[j]));
  const count = codes.length - 1;
  const rests = [...columns.map((column) => column.slice(0, -1)), new Float64Array(count).fill(1)].map((column) => {
    const size = sizeOf(column);
    return size > 0 ? column.map((v) => v / size) : column;
  });
  const basis = [];
  for (;;) {
    const sizes = rests.map(sizeOf);
    const longest = sizes.indexOf(Math.max(...sizes));
    if (!(sizes[longest] > ALIKE)) break;
    const next = rests[longest].map((v) => v / sizes[longest]);
    basis.push(next);
    for (const rest of rests) for (let twice = 0; twice < 2; twice += 1) without(rest, next);
    rests[longest].fill(0);
  }
  let [missed, vary] = [0, 0];
  for (const column of columns) {
    const there = column.slice(1);
    const mean = there.reduce((a, b) => a + b, 0) / count;
    for (const v of there) vary += (v - mean) ** 2;
    for (let twice = 0; twice < 2; twice += 1) for (const part of basis) without(there, part);
    missed += along(there, there);
  }
  return vary > 0 ? Math.max(Math.sqrt(missed / vary), Number.EPSILON) : 0;
}

function without(column, part) {
  const share = along(column, part);
  for (let i = 0; i < column.length; i += 1) column[i] -= share * part[i];
}

function grownOf(near, far) {
  const place = (i) => NEAR * (FAR / NEAR) ** ((i + 1) / far.length);
  const late = far.filter((_, i) => place(i) > LATE);
  const early = far.filter((_, i) => place(i) <= LATE);
  return [Math.max(...near.map((code) => Math.hypot(...code)), ...early), Math.max(...late)];
}

function loudnessOf(codes, own) {
  const shares = [];
  for (let start = 0; start + TEXT <= codes.length; start += TEXT) {
    const text = codes.slice(start, start + TEXT);
    shares.push(Math.sqrt(text.reduce((sum, code) => sum + along(code, code), 0) / TEXT) / own);
  }
  return [Math.min(...shares), Math.max(...shares)];
}

const boundSays = (before, after) =>
  after <= GROWN * before
    ? `never longer than ${brief(Math.max(before, after))}`
    : `grows: ${brief(after)} long at a million`;

function volumeSays(quiet, loud, turned) {
  if (turned)
    return Math.abs(quiet - 1) < NO_ERROR && Math.abs(loud - 1) < NO_ERROR
      ? "turned words keep their length"
      : `${brief(loud)} as long as before`;
  if (quiet < QUIET) return `${brief(quiet)} as long as the words: drowned`;
  return loud > LOUD ? `${brief(loud)} times as long as the words` : `${brief(loud)} as long as the words`;
}

// Three digits that count.
export function brief(value) {
  if (value === 0 || value >= 1e15) return value === 0 ? "0" : "beyond count";
  if (value >= 100) return withCommas(Math.round(value));
  if (value < 1e-6) return value.toExponential(0).replace(/e-(\d)$/, "e-0$1");
  const text = value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(value))));
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

const STATES = {
  true: ["pe-met", "✓", "met"],
  false: ["pe-broken", "✗", "not met"],
  undefined: ["pe-dark", "○", "not tried yet"],
};

// The list, which `show` lights: a sign, the demand, a few words why, and for a screen reader what the sign says.
export function lampList() {
  const list = element("ul", { class: "pe-lamps", "aria-label": "what we ask of a code" });
  const items = DEMANDS.map((name) => {
    const sign = element("b", { class: "pe-sign", "aria-hidden": "true" });
    const state = element("span", { class: "pe-spoken" });
    const why = element("span", { class: "pe-why" });
    const item = element("li", {}, sign, element("span", { class: "pe-demand" }, name), state, why);
    list.append(item);
    return { item, sign, state, why };
  });
  const show = (lamps) =>
    items.forEach(({ item, sign, state, why }, i) => {
      const lamp = lamps?.[i];
      const [kind, mark, word] = STATES[lamp?.met];
      item.className = kind;
      sign.textContent = mark;
      state.textContent = `: ${word}. `;
      why.textContent = lamp?.tells ?? "";
    });
  show();
  return { list, show };
}

// The same in a sentence.
export const lampsSaid = (lamps) => lamps.map(({ name, met }) => `${name}: ${met ? "met" : "not met"}`).join("; ");
