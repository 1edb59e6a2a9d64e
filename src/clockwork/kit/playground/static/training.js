// Trains a model in small pieces of work and reports on it. The same code runs in a worker and, where a page may have
// none, between two frames of the page.
import { Memory, TooLarge } from "./memory.js";
import { Random } from "./numbers.js";
import { argmax } from "./tape.js";
import { LEARNED } from "./tasks.js";
import { Transformer } from "./transformer.js";
import { packed } from "./weights.js";

/** @typedef {Partial<import("./transformer.js").Model> & { task: string, length: number, steps: number,
 *   keep?: boolean }} Settings  with `keep`, the trained model is told at the end */
/** @typedef {{ step: number, accuracy: number[], loss: number, texts: number }} Test */
/**
 * @typedef {{ step: number, loss: number, tests: Test[], losses: number[], rights: number[], running: boolean, ended: boolean,
 *   trouble: string, parameters: number, simd: boolean, busy: number, tokens: number[], targets: number[],
 *   answers: number[], maps: Float32Array[], table?: Float32Array, bias?: Float32Array, id: number,
 *   kept?: import("./weights.js").Kept }} Report
 */

/** @typedef {{ trouble: string, id: number, step?: undefined }} Trouble when there is no training to report on */

export const BATCH = 16; // texts in each step
export const FACTORS = [1, 2, 4]; // tested lengths, as multiples of the trained one
export const TEST_EVERY = 25; // steps
const LAST_TEST = 4; // as many texts as in the others
const REPORT_MS = 80;
const TEST_SEED = 1000003;
const DATA_SEED = 7777;
const SHOWN_SEED = 5;
const HOPELESS = 2; // times the loss of guessing
const PATIENCE = 50; // steps before a loss counts as hopeless
const RECENT = 10; // steps over which the loss that is told is averaged

/** A whole training, of which each `work.next()` is one small piece, and what it has found so far. */
export class Training {
  /**
   * @param {Settings} settings
   * @param {Memory} memory
   */
  constructor(settings, memory = new Memory()) {
    this.settings = settings;
    this.task = LEARNED[settings.task];
    if (!this.task)
      throw new RangeError(`task must be one of ${Object.keys(LEARNED)} (those are drawn), got ${settings.task}`);
    this.model = new Transformer({ ...settings, rows: Math.max(...FACTORS) * settings.length }, memory);
    /** @type {number[]} */
    this.losses = [];
    /** @type {number[]} the share of right answers in the batch of each step, before the step */
    this.rights = [];
    /** @type {Test[]} */
    this.tests = [];
    this.trouble = "";
    this.work = this.pieces();
  }

  get step() {
    return this.losses.length;
  }

  /** The loss, averaged over the last steps. */
  get loss() {
    const last = this.losses.slice(-RECENT);
    return last.reduce((sum, loss) => sum + loss, 0) / last.length;
  }

  *pieces() {
    const { length, steps, seed = 0 } = this.settings;
    const { shortest = length, draw } = this.task;
    const random = new Random(seed + DATA_SEED);
    yield* this.test();
    yield;
    while (this.step < steps && !this.trouble) {
      const T = Math.min(shortest, length) + random.below(Math.max(length - shortest, 0) + 1);
      const { tokens, targets } = draw(random, BATCH, T);
      this.losses.push(this.model.learn(tokens, targets, BATCH));
      this.rights.push(this.model.right);
      this.trouble = this.diverged();
      if (this.trouble || this.step === steps) yield* this.test(LAST_TEST);
      else if (this.step % TEST_EVERY === 0) yield* this.test();
      yield;
    }
  }

  /** "diverged" when the loss is no number any more, or stays far above that of guessing. */
  diverged() {
    const { loss, step } = this;
    return Number.isFinite(loss) && (step < PATIENCE || loss < HOPELESS * this.task.nats) ? "" : "diverged";
  }

  /** The share of right answers at each length, on texts that are always the same. */
  *test(times = 1) {
    const { length } = this.settings;
    const accuracy = [];
    const count = this.task.tested * times;
    for (const factor of FACTORS) {
      const random = new Random(TEST_SEED + factor * length);
      const part = Math.max(2, this.task.tested / factor / 2); // about as long as a step
      let [right, asked] = [0, 0];
      for (let n = 0; n < count; n += part) {
        const { tokens, targets } = this.task.drawTest(random, part, factor * length);
        const found = this.model.score(tokens, targets, part);
        right += found.right;
        asked += found.asked;
        yield;
      }
      accuracy.push(right / asked);
    }
    this.tests.push({ step: this.step, accuracy, loss: this.loss, texts: count });
  }

  /** What a page draws: one text, what the model answers, whom its heads listen to, what it knows of positions. */
  shown() {
    const { length } = this.settings;
    const { heads } = this.model.settings;
    const { tokens, targets } = this.task.drawTest(new Random(SHOWN_SEED), 2, length);
    const { answers, maps } = this.model.score(tokens, targets, 2);
    const asked = targets.length / 2;
    const { table } = this.model.weights;
    return {
      tokens: [...tokens.subarray(0, length)],
      targets: [...targets.subarray(0, asked)],
      answers: Array.from({ length: asked }, (_, i) =>
        argmax(answers.data.subarray(i * answers.columns, (i + 1) * answers.columns)),
      ),
      maps: maps.map((map) => map.slice(0, heads * length * length)),
      table: table?.data.slice(0, 2 * length * table.columns),
      bias: this.model.bias(length)?.data.slice(),
    };
  }
}

/**
 * Serve a page: returns what handles its messages `{ start: settings, id }`, `{ run: true | false }`, `{ step: n }`.
 * @param {(report: Report | Trouble) => void} post called about twelve times a second
 * @param {{ slice?: number, simd?: boolean }} [options] `slice`: milliseconds of work before others have their turn
 */
export function serve(post, { slice = 40, simd = true } = {}) {
  const memory = new Memory({ simd });
  /** @type {Training | undefined} */
  let training;
  let [id, running, ended, busy, reported, until, waiting] = [0, false, false, 0, 0, Infinity, false];

  function report() {
    if (!training) return;
    const { step, loss, tests, losses, rights, trouble, model } = training;
    const { count: parameters } = model;
    const all = { step, loss, tests, losses, rights, running, ended, trouble, parameters, busy, id };
    const kept = ended && training.settings.keep ? packed(model) : undefined;
    post({ ...all, kept, simd: Boolean(memory.kernel), ...training.shown() });
    reported = performance.now();
  }

  /** @param {() => void} work */
  function carefully(work) {
    try {
      work();
    } catch (error) {
      running = false;
      training = undefined;
      const trouble = error instanceof TooLarge ? "too large" : String(error);
      post({ trouble, id });
    }
  }

  function go() {
    waiting = false;
    if (!running || !training) return;
    const begun = performance.now();
    while (running && performance.now() - begun < slice) {
      ended = Boolean(training.work.next().done);
      if (ended || training.step >= until) running = false;
    }
    busy += performance.now() - begun;
    if (!running || performance.now() - reported > REPORT_MS) report();
    later();
  }

  function later() {
    if (!running || waiting) return;
    waiting = true;
    setTimeout(() => carefully(go));
  }

  /** @param {{ start?: Settings, id?: number, run?: boolean, step?: number }} message */
  return ({ start, id: named = 0, run, step }) =>
    carefully(() => {
      if (start) {
        [id, running, ended, busy, until] = [named, false, false, 0, Infinity];
        training = new Training(start, memory);
        while (!training.tests.length) training.work.next(); // to the first test, so that there is something to draw
        report();
      }
      if (!training || ended) return;
      if (run === false && running) {
        running = false;
        report();
      }
      if (run) [running, until] = [true, Infinity];
      if (step) [running, until] = [true, training.step + step];
      later();
    });
}
