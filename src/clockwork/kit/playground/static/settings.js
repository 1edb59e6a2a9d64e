// What can be chosen, in the order from the most to the least used; and a link that holds it.
import { CODES } from "./codes.js";
import { TASKS } from "./tasks.js";

/** @typedef {import("./training.js").Settings & import("./transformer.js").Model} Settings */
/**
 * `only`: the codes for which the choice means something.
 * @typedef {{ name: keyof Settings, label: string, values: any[], says?: (value: any) => string, only?: string[],
 *   main?: boolean }} Choice
 */

/** @type {Settings} */
export const DEFAULTS = {
  task: "three back",
  code: "sinusoid",
  scale: 1,
  base: 10000,
  slope: 0.7,
  causal: true,
  layers: 1,
  heads: 1,
  d: 32,
  length: 24,
  rate: 0.005,
  steps: 300,
  seed: 0,
  vocab: 16,
  rows: 96,
};

/** @param {number} value */
const plain = (value) => value.toLocaleString("en", { maximumFractionDigits: 4 });

/** @type {Record<string, string>} */
const NAMED = { none: "no code", learned: "learned table", rotary: "rotary (RoPE)" };

/** @type {Choice[]} */
export const CHOICES = [
  { name: "task", label: "Task", values: Object.keys(TASKS), main: true },
  {
    name: "code",
    label: "Position code",
    values: CODES,
    says: (code) => NAMED[code] ?? code,
    main: true,
  },
  { name: "base", label: "Base", values: [10, 100, 1000, 10000, 100000], only: ["sinusoid", "rotary"], main: true },
  { name: "slope", label: "Slope", values: [0.004, 0.06, 0.15, 0.25, 0.3, 0.7, 1, 2], only: ["ALiBi"], main: true },
  {
    name: "scale",
    label: "Loudness",
    values: [0.02, 0.1, 0.3, 1, 3, 10],
    only: ["index", "index/length", "sinusoid", "learned"],
    main: true,
  },
  {
    name: "causal",
    label: "A token hears",
    values: [true, false],
    says: (causal) => (causal ? "those before it (mask)" : "all tokens"),
  },
  { name: "layers", label: "Layers", values: [1, 2, 3] },
  { name: "heads", label: "Heads", values: [1, 2, 4, 8] },
  { name: "d", label: "d_model", values: [16, 32, 64] },
  { name: "length", label: "Text length", values: [8, 16, 24, 32, 48, 64, 128, 256], says: (n) => `${n} tokens` },
  { name: "rate", label: "Learning rate", values: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 1] },
  { name: "steps", label: "Steps", values: [100, 200, 300, 400, 600, 1200, 2000] },
  { name: "seed", label: "Seed", values: Array.from({ length: 20 }, (_, seed) => seed) },
];

/**
 * A value as the reader sees it.
 * @param {Choice} choice
 * @param {any} value
 */
export function said({ says }, value) {
  if (says) return says(value);
  return typeof value === "number" ? plain(value) : String(value);
}

/**
 * Settings as the part of a link behind #: only what is not the default.
 * @param {Settings} settings
 */
export function linkOf(settings) {
  const parts = CHOICES.filter(({ name }) => settings[name] !== DEFAULTS[name]).map(
    ({ name }) => `${name}=${encodeURIComponent(String(settings[name]))}`,
  );
  return parts.length ? `#${parts.join("&")}` : "";
}

/**
 * The settings that a link holds; what it names wrongly stays the default and is told.
 * @param {string} link
 * @returns {{ settings: Settings, unknown: string[] }}
 */
export function settingsOf(link) {
  /** @type {any} */
  const settings = { ...DEFAULTS };
  /** @type {string[]} */
  const unknown = [];
  for (const [name, text] of new URLSearchParams(link.replace(/^#/, ""))) {
    const choice = CHOICES.find((each) => each.name === name);
    const value = choice?.values.find((each) => String(each) === text);
    if (value === undefined) unknown.push(`${name} = ${text}`);
    else settings[name] = value;
  }
  return { settings, unknown };
}
