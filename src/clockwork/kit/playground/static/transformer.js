// The course's small transformer, clockwork.kit.attention.Transformer, forwards and backwards: pre-norm layers, and
// three doors for positions. The weights have torch's names.
import { BUCKETS, addedRows, angles, bucket, givenTurns, slopes } from "./codes.js";
import { Memory } from "./memory.js";
import { AdamW, Random } from "./numbers.js";
import { Tape } from "./tape.js";

/**
 * What makes a model. `scale` multiplies a computed code and is the standard deviation of a learned table; `rows` are
 * those of a learned table; `slope` is that of ALiBi's steepest head. The code "given" adds the rows of `table`, one for
 * each position, and turns queries and keys by the matrices `turns`, if there are any.
 * @typedef {{ code: string, vocab: number, d: number, heads: number, layers: number, causal: boolean, scale: number,
 *   base: number, slope: number, rows: number, rate: number, seed: number,
 *   table?: number[][], turns?: number[][][] }} Model
 */

/** @type {Model} */
export const MODEL = {
  code: "sinusoid",
  vocab: 16,
  d: 32,
  heads: 4,
  layers: 2,
  causal: false,
  scale: 1,
  base: 10000,
  slope: 0.25,
  rows: 128,
  rate: 0.005,
  seed: 0,
};

export class Transformer {
  /**
   * @param {Partial<Model>} settings
   * @param {Memory} memory what it held before is forgotten
   */
  constructor(settings, memory = new Memory()) {
    this.settings = { ...MODEL, ...settings };
    const { code, d, heads, layers, vocab, rows, rate, seed } = this.settings;
    if (d % (2 * heads))
      throw new RangeError(`heads must divide d_model=${d} into even parts (features turn in pairs), got ${heads}`);
    memory.top = 0;
    this.memory = memory;
    this.tape = new Tape(memory);
    /** @type {[string, number, number][]} */
    const sizes = [["embedding", vocab, d]];
    if (code === "learned") sizes.push(["table", rows, d]);
    if (code === "T5") sizes.push(["relative", BUCKETS, heads]);
    /** @type {(name: string, rows: number, columns: number) => void} */
    const pair = (name, m, n) => void sizes.push([`${name}.weight`, m, n], [`${name}.bias`, 1, m]);
    for (let l = 0; l < layers; l += 1) {
      pair(`blocks.${l}.before_attention`, d, 1);
      pair(`blocks.${l}.qkv`, 3 * d, d);
      pair(`blocks.${l}.out`, d, d);
      pair(`blocks.${l}.before_mlp`, d, 1);
      pair(`blocks.${l}.mlp.0`, 4 * d, d);
      pair(`blocks.${l}.mlp.2`, d, 4 * d);
    }
    pair("before_head", d, 1);
    pair("head", vocab, d);

    // All weights lie side by side, and so do all gradients: the optimizer is one loop.
    const total = sizes.reduce((sum, [, m, n]) => sum + room(m * n), 0);
    const values = memory.take(total);
    const grads = memory.take(total);
    /** @type {Record<string, import("./tape.js").Tensor>} */
    this.weights = {};
    let used = 0;
    for (const [name, m, n] of sizes) {
      const [data, grad] = [values, grads].map((all) => all.data.subarray(used, used + m * n));
      this.weights[name] = { at: values.at + used, data, gradAt: grads.at + used, grad, rows: m, columns: n };
      used += room(m * n);
    }
    this.count = sizes.reduce((sum, [, m, n]) => sum + m * n, 0);
    this.grads = grads.data;
    this.optimizer = new AdamW(values.data, grads.data, rate);
    this.start = memory.top;
    this.right = 0; // the share of right answers in the last step of training
    this.draw(new Random(seed));
  }

  /**
   * Draw the first weights as torch does.
   * @param {Random} random
   */
  draw(random) {
    /** @type {Record<string, number>} */
    const stds = { embedding: 1, table: this.settings.scale, relative: 0 };
    for (const [name, { data, columns }] of Object.entries(this.weights)) {
      const fan = name.endsWith("bias") ? this.weights[name.replace("bias", "weight")].columns : columns;
      for (let i = 0; i < data.length; i += 1) {
        if (name in stds) data[i] = stds[name] && stds[name] * random.normal();
        else if (name.includes("before")) data[i] = name.endsWith("weight") ? 1 : 0;
        else data[i] = (2 * random.uniform() - 1) / Math.sqrt(fan);
      }
    }
  }

  /**
   * The logits (batch · T × vocab) and each layer's attention weights (batch × heads × T × T).
   * @param {ArrayLike<number>} tokens
   * @param {number} batch how many sequences they are, all of one length T
   * @param {{ learning?: boolean, positions?: ArrayLike<number>, asked?: ArrayLike<number> }} [options] `positions` need
   *   not be whole where the code is a formula; with `asked`, the queries of the first layer are made as if the tokens
   *   stood at these positions
   */
  forward(tokens, batch, { learning = false, positions, asked } = {}) {
    const { tape, weights, memory } = this;
    const { heads, causal, code, d, layers, base, scale, table, turns: given } = this.settings;
    const T = tokens.length / batch;
    positions ??= Array.from({ length: T }, (_, p) => p);
    memory.top = this.start; // what the last step made is forgotten
    tape.ways = [];
    tape.learning = learning;
    /** @type {(name: string) => [import("./tape.js").Tensor, import("./tape.js").Tensor]} */
    const both = (name) => [weights[`${name}.weight`], weights[`${name}.bias`]];

    const words = tape.rows(weights.embedding, tokens);
    /** @type {(places: ArrayLike<number>) => import("./tape.js").Tensor} */
    const placed = (places) => {
      if (code === "none" || (code === "given" && !table)) return words;
      if (code === "learned") return tape.add(words, tape.rows(weights.table, places));
      return tape.add(words, this.constant(T, d, addedRows(code, places, d, { base, scale, table })));
    };
    let x = placed(positions);
    const turns = code === "rotary" ? angles(positions, d / heads, base) : undefined;
    /** @type {(places: ArrayLike<number>) => Float32Array | undefined} */
    const matricesAt = (places) => (code === "given" && given ? givenTurns(given, places, d / heads) : undefined);
    const matrices = matricesAt(positions);
    const bias = this.bias(T);
    const maps = [];
    for (let l = 0; l < layers; l += 1) {
      const at = `blocks.${l}`;
      /** @type {(of: import("./tape.js").Tensor) => import("./tape.js").Tensor} */
      const projected = (of) =>
        tape.linear(tape.layerNorm(of, ...both(`${at}.before_attention`)), ...both(`${at}.qkv`));
      const qkv = projected(x);
      if (asked && l === 0) withQueries(qkv, projected(placed(asked)), d);
      if (turns) tape.turn(qkv, turns, heads);
      if (matrices) tape.turnBy(qkv, matrices, heads, asked && l === 0 ? matricesAt(asked) : matrices);
      const [heard, map] = tape.attend(qkv, { batch, heads, causal, bias });
      x = tape.add(x, tape.linear(heard, ...both(`${at}.out`)));
      const wide = tape.gelu(tape.linear(tape.layerNorm(x, ...both(`${at}.before_mlp`)), ...both(`${at}.mlp.0`)));
      x = tape.add(x, tape.linear(wide, ...both(`${at}.mlp.2`)));
      maps.push(map);
    }
    return { logits: tape.linear(tape.layerNorm(x, ...both("before_head")), ...both("head")), maps };
  }

  /**
   * A tensor of numbers that nothing trains.
   * @param {number} rows
   * @param {number} columns
   * @param {Float32Array} numbers
   */
  constant(rows, columns, numbers) {
    const y = this.tape.tensor(rows, columns);
    y.data.set(numbers);
    return y;
  }

  /**
   * What the third door adds to the scores (heads × T·T).
   * @param {number} T
   */
  bias(T) {
    const { code, heads, causal, slope } = this.settings;
    const distances = Array.from({ length: 2 * T - 1 }, (_, i) => i - T + 1); // key − query
    if (code === "T5")
      return this.tape.biasByDistance(
        this.weights.relative,
        distances.map((distance) => bucket(distance, causal)),
      );
    if (code !== "ALiBi") return undefined;
    const steep = slopes(heads, slope);
    const penalties = distances.flatMap((distance) => steep.map((each) => -each * Math.abs(distance)));
    const table = this.constant(distances.length, heads, Float32Array.from(penalties));
    return this.tape.biasByDistance(table, [...distances.keys()]);
  }

  /**
   * The loss in nats an answer, and how many are right. Targets are one for each token, or one for each sequence, which
   * is then read from the mean of its logits.
   * @param {ArrayLike<number>} tokens
   * @param {ArrayLike<number>} targets
   * @param {number} batch
   */
  score(tokens, targets, batch, learning = false) {
    const { logits, maps } = this.forward(tokens, batch, { learning });
    const read = targets.length === batch ? this.tape.mean(logits, batch) : logits;
    return { ...this.tape.crossEntropy(read, targets), answers: read, maps };
  }

  /**
   * One step of training; return its loss.
   * @param {ArrayLike<number>} tokens
   * @param {ArrayLike<number>} targets
   * @param {number} batch
   */
  learn(tokens, targets, batch) {
    this.grads.fill(0);
    const { loss, right, asked } = this.score(tokens, targets, batch, true);
    this.right = right / asked;
    this.tape.backward();
    this.optimizer.step();
    return loss;
  }
}

/**
 * Put other queries in place, row by row; keys and values stay.
 * @param {import("./tape.js").Tensor} qkv
 * @param {import("./tape.js").Tensor} other
 * @param {number} d
 */
function withQueries(qkv, other, d) {
  for (let at = 0; at < qkv.data.length; at += 3 * d) qkv.data.set(other.data.subarray(at, at + d), at);
}

/** @param {number} size */
const room = (size) => (size + 3) & ~3; // addresses are multiples of 16 bytes
