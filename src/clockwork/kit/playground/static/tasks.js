// The course's toy tasks: two as in clockwork.kit.tasks, and *who is hurt?* as in tools/steered_models.py.
import { NO_ANSWER } from "./tape.js";

/** @typedef {{ tokens: Int32Array, targets: Int32Array }} Batch */
/** @typedef {(random: import("./numbers.js").Random, batch: number, T: number) => Batch} Draw */

export const SYMBOLS = 16;
export const BACK = 3;

/**
 * The target at each position is the symbol three tokens earlier.
 * @type {Draw}
 */
function threeBack(random, batch, T) {
  const tokens = Int32Array.from({ length: batch * T }, () => random.below(SYMBOLS));
  return { tokens, targets: tokens.map((_, i) => (i % T < BACK ? NO_ANSWER : tokens[i - BACK])) };
}

/**
 * One A (0) and one B (1) among fillers; the target of each sequence is the letter that comes first.
 * @type {Draw}
 */
function whoCameFirst(random, batch, T) {
  const tokens = Int32Array.from({ length: batch * T }, () => 2 + random.below(SYMBOLS - 2));
  const targets = Int32Array.from({ length: batch }, (_, b) => {
    const a = random.below(T);
    const other = (a + 1 + random.below(T - 1)) % T;
    tokens[b * T + a] = 0;
    tokens[b * T + other] = 1;
    return other < a ? 1 : 0;
  });
  return { tokens, targets };
}

/**
 * Each sequence, and its twin with A and B swapped: a model without order is right on exactly one of the two.
 * @type {Draw}
 */
function twins(random, batch, T) {
  const { tokens, targets } = whoCameFirst(random, batch / 2, T);
  const swapped = tokens.map((token) => (token < 2 ? 1 - token : token));
  return {
    tokens: Int32Array.from([...tokens, ...swapped]),
    targets: Int32Array.from([...targets, ...targets.map((target) => 1 - target)]),
  };
}

const PEOPLE = ["tom", "anna", "dog", "cat", "man", "bear"];
const VERBS = ["bit", "saw", "hit", "fed"];
export const HURT_WORDS = ["a", ...PEOPLE, ...VERBS];

/**
 * "NAME VERB a NAME", stretched to T words by further articles; the target of each sentence is its second name.
 * @type {Draw}
 */
function whoIsHurt(random, batch, T) {
  const tokens = new Int32Array(batch * T); // articles
  const targets = Int32Array.from({ length: batch }, (_, b) => {
    const first = random.below(PEOPLE.length);
    const second = (first + 1 + random.below(PEOPLE.length - 1)) % PEOPLE.length;
    const said = [1 + first, 1 + PEOPLE.length + random.below(VERBS.length), 0, 1 + second];
    const places = Array.from({ length: T }, (_, p) => p);
    while (places.length > said.length) places.splice(random.below(places.length), 1);
    places.forEach((place, i) => (tokens[b * T + place] = said[i]));
    return 1 + second;
  });
  return { tokens, targets };
}

/**
 * Those of the playground. `shortest`: tokens in the shortest training text, where lengths vary. `tested`: texts of a quick test. `chance`: the
 * share that guessing gets right. `nats`: the loss of guessing.
 * @type {Record<string, { draw: Draw, drawTest: Draw, shortest?: number, tested: number, chance: number, nats: number }>}
 */
export const TASKS = {
  "three back": { draw: threeBack, drawTest: threeBack, tested: 8, chance: 1 / SYMBOLS, nats: Math.log(SYMBOLS) },
  "who came first": { draw: whoCameFirst, drawTest: twins, shortest: 4, tested: 64, chance: 1 / 2, nats: Math.LN2 },
};

/**
 * All that a model in a page can learn.
 * @type {typeof TASKS}
 */
export const LEARNED = {
  ...TASKS,
  "who is hurt": { draw: whoIsHurt, drawTest: whoIsHurt, shortest: 4, tested: 64, chance: 1 / 2, nats: Math.LN2 },
};
