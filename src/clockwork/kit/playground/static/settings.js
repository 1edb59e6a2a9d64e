// What can be chosen, in the order from the most to the least used; and a link that holds it.
import { CODES } from "./codes.js";
import { TASKS } from "./tasks.js";

/** @typedef {import("./training.js").Settings & import("./transformer.js").Model} Settings */
/**
 * `means`: one sentence for a reader who has never heard the label. `only`: the codes for which it means something.
 * @typedef {{ name: keyof Settings, label: string, means: string, values: any[], says?: (value: any) => string,
 *   only?: string[], main?: boolean }} Choice
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

/**
 * What each code tells the model.
 * @type {Record<string, string>}
 */
export const TOLD = {
  none: "Nothing tells it where a letter stands.",
  index: "The number of its place is added to each letter.",
  "index/length": "Its place, as a share of the text, is added to each letter.",
  sinusoid: "A clock is added to each letter. Its hands turn from place to place.",
  learned: "A row of numbers is added for each place. Training changes them, too.",
  rotary: "Nothing is added. What two letters compare is turned, by hands that follow their places.",
  ALiBi: "The further away a letter is, the less it is listened to.",
  T5: "Training finds a number for each distance: how much to listen there.",
};

/** @type {Choice[]} */
export const CHOICES = [
  { name: "task", label: "Task", means: "What the model has to learn.", values: Object.keys(TASKS), main: true },
  {
    name: "code",
    label: "Position code",
    means:
      "What tells the model where each letter stands. Without one it sees a bag of letters. The field's word: positional encoding.",
    values: CODES,
    says: (code) => NAMED[code] ?? code,
    main: true,
  },
  {
    name: "base",
    label: "Base",
    means: "How slow the slowest hand is: a larger base makes the slow hands slower.",
    values: [10, 100, 1000, 10000, 100000],
    only: ["sinusoid", "rotary"],
    main: true,
  },
  {
    name: "slope",
    label: "Slope",
    means: "How much less each further letter is listened to.",
    values: [0.004, 0.06, 0.15, 0.25, 0.3, 0.7, 1, 2],
    only: ["ALiBi"],
    main: true,
  },
  {
    name: "scale",
    label: "Loudness",
    means: "How large the code is, compared with the numbers of the letters.",
    values: [0.02, 0.1, 0.3, 1, 3, 10],
    only: ["index", "index/length", "sinusoid", "learned"],
    main: true,
  },
  {
    name: "causal",
    label: "A letter hears",
    means: "Whom each letter can listen to. With a mask, only itself and those before it.",
    values: [true, false],
    says: (causal) => (causal ? "those before it (mask)" : "all letters"),
  },
  {
    name: "layers",
    label: "Layers",
    means: "How many times in a row the letters listen to each other.",
    values: [1, 2, 3],
  },
  { name: "heads", label: "Heads", means: "How many ways to listen each layer has.", values: [1, 2, 4, 8] },
  {
    name: "d",
    label: "d_model",
    means: "How many numbers stand for each letter inside the model.",
    values: [16, 32, 64],
  },
  {
    name: "length",
    label: "Text length",
    means:
      "Letters in a training text. Each letter is one token. It is tested on texts two and four times as long, too.",
    values: [8, 16, 24, 32, 48, 64, 128, 256],
    says: (n) => `${n} letters`,
  },
  {
    name: "rate",
    label: "Learning rate",
    means: "How far each step moves the weights. Too large, and training diverges.",
    values: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 1],
  },
  {
    name: "steps",
    label: "Steps",
    means: "How often the weights are moved. Each step reads 16 new texts.",
    values: [100, 200, 300, 400, 600, 1200, 2000],
  },
  {
    name: "seed",
    label: "Seed",
    means: "Which random numbers it begins with. Another seed is another run of the same experiment.",
    values: Array.from({ length: 20 }, (_, seed) => seed),
  },
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
