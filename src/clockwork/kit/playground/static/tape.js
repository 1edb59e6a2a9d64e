// Operations on tensors. Each computes its result and, while a model learns, notes how to go back from the gradient of
// its result to the gradients of what it was made from. Nothing here knows of transformers.
import { expOfNegative } from "./numbers.js";

/** @typedef {{ at: number, data: Float32Array, gradAt: number, grad: Float32Array, rows: number, columns: number }} Tensor */

export const NO_ANSWER = -100; // a target that is not asked for, as in torch
const NOTHING = new Float32Array(0);

export class Tape {
  /** @param {import("./memory.js").Memory} memory */
  constructor(memory) {
    this.memory = memory;
    this.learning = false;
    /** @type {(() => void)[]} */
    this.ways = [];
  }

  /**
   * A matrix of zeros, with room for its gradient while the model learns.
   * @param {number} rows
   * @param {number} columns
   * @returns {Tensor}
   */
  tensor(rows, columns) {
    const { at, data } = this.memory.take(rows * columns);
    if (!this.learning) return { at, data, gradAt: 0, grad: NOTHING, rows, columns };
    const { at: gradAt, data: grad } = this.memory.take(rows * columns);
    return { at, data, gradAt, grad, rows, columns };
  }

  /** @param {() => void} way */
  note(way) {
    if (this.learning) this.ways.push(way);
  }

  /** Go back through all operations; gradients are added to each tensor's `grad`. */
  backward() {
    while (this.ways.length) this.ways.pop()?.();
  }

  /**
   * The rows of `table` with these numbers.
   * @param {Tensor} table
   * @param {ArrayLike<number>} indices
   */
  rows(table, indices) {
    const d = table.columns;
    const y = this.tensor(indices.length, d);
    for (let i = 0; i < indices.length; i += 1) {
      if (!(indices[i] >= 0 && indices[i] < table.rows))
        throw new RangeError(`a row must lie between 0 and ${table.rows - 1} (the table's), got ${indices[i]}`);
      y.data.set(table.data.subarray(indices[i] * d, indices[i] * d + d), i * d);
    }
    this.note(() => {
      for (let i = 0, q = 0; i < indices.length; i += 1)
        for (let j = 0, p = indices[i] * d; j < d; j += 1, p += 1, q += 1) table.grad[p] += y.grad[q];
    });
    return y;
  }

  /**
   * a + b. If b has fewer rows, they repeat: the codes of T positions are added to each of the sequences.
   * @param {Tensor} a
   * @param {Tensor} b
   */
  add(a, b) {
    const y = this.tensor(a.rows, a.columns);
    const period = b.data.length;
    for (let i = 0; i < y.data.length; i += period)
      for (let j = 0; j < period; j += 1) y.data[i + j] = a.data[i + j] + b.data[j];
    this.note(() => {
      for (let i = 0; i < y.grad.length; i += 1) a.grad[i] += y.grad[i];
      for (let i = 0; i < y.grad.length; i += period) for (let j = 0; j < period; j += 1) b.grad[j] += y.grad[i + j];
    });
    return y;
  }

  /**
   * x · weightᵀ + bias, with a row of `weight` for each output, as in torch.nn.Linear.
   * @param {Tensor} x
   * @param {Tensor} weight
   * @param {Tensor} bias
   */
  linear(x, weight, bias) {
    const { memory } = this;
    const { rows: m, columns: k } = x;
    const n = weight.rows;
    const y = this.tensor(m, n);
    for (let i = 0; i < m; i += 1) y.data.set(bias.data, i * n);
    memory.product([x.at, k], [memory.transposed(weight.at, k, n, k), n], [y.at, n], m, n, k);
    this.note(() => {
      memory.product([y.gradAt, n], [weight.at, k], [x.gradAt, k], m, k, n);
      memory.product([y.gradAt, 1, n], [x.at, k], [weight.gradAt, k], n, k, m);
      for (let i = 0, p = 0; i < m; i += 1) for (let j = 0; j < n; j += 1, p += 1) bias.grad[j] += y.grad[p];
    });
    return y;
  }

  /**
   * Each row minus its mean, divided by its standard deviation, times `gain` plus `shift`.
   * @param {Tensor} x
   * @param {Tensor} gain
   * @param {Tensor} shift
   */
  layerNorm(x, gain, shift) {
    const { rows, columns: d } = x;
    const y = this.tensor(rows, d);
    const normed = this.memory.take(rows * d).data;
    const scale = this.memory.take(rows).data;
    for (let i = 0, p = 0; i < rows; i += 1, p += d) {
      let mean = 0;
      let square = 0;
      for (let j = p; j < p + d; j += 1) mean += x.data[j];
      mean /= d;
      for (let j = p; j < p + d; j += 1) square += (x.data[j] - mean) ** 2;
      scale[i] = 1 / Math.sqrt(square / d + 1e-5);
      for (let j = 0; j < d; j += 1) {
        normed[p + j] = (x.data[p + j] - mean) * scale[i];
        y.data[p + j] = normed[p + j] * gain.data[j] + shift.data[j];
      }
    }
    this.note(() => {
      for (let i = 0, p = 0; i < rows; i += 1, p += d) {
        let mean = 0;
        let along = 0;
        for (let j = 0; j < d; j += 1) {
          const g = y.grad[p + j];
          gain.grad[j] += g * normed[p + j];
          shift.grad[j] += g;
          mean += g * gain.data[j];
          along += g * gain.data[j] * normed[p + j];
        }
        mean /= d;
        along /= d;
        for (let j = 0; j < d; j += 1)
          x.grad[p + j] += (y.grad[p + j] * gain.data[j] - mean - normed[p + j] * along) * scale[i];
      }
    });
    return y;
  }

  /**
   * x times the share of a normal distribution that lies below x.
   * @param {Tensor} x
   */
  gelu(x) {
    const y = this.tensor(x.rows, x.columns);
    const slope = this.memory.take(x.data.length).data;
    for (let i = 0; i < x.data.length; i += 1) {
      const v = x.data[i];
      const bell = expOfNegative(-0.5 * v * v);
      const t = 1 / (1 + 0.23164189 * Math.abs(v)); // Abramowitz and Stegun 7.1.26: within 1.5e-7
      const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
      const below = v > 0 ? 1 - 0.5 * bell * sum : 0.5 * bell * sum;
      y.data[i] = v * below;
      slope[i] = below + v * bell * 0.3989422804;
    }
    this.note(() => {
      for (let i = 0; i < slope.length; i += 1) x.grad[i] += y.grad[i] * slope[i];
    });
    return y;
  }

  /**
   * Rotate neighbouring features of queries and keys by the angles of their position, in place. A row of `qkv` holds
   * the queries of all heads, their keys and their values; `cos` and `sin` have a row of head_dim / 2 for each position.
   * @param {Tensor} qkv
   * @param {{ cos: Float32Array, sin: Float32Array }} angles
   * @param {number} heads
   */
  turn(qkv, { cos, sin }, heads) {
    const d = qkv.columns / 3;
    const pairs = d / heads / 2;
    /** @type {(x: Float32Array, direction: number) => void} */
    const rotate = (x, direction) => {
      for (let i = 0; i < qkv.rows; i += 1) {
        const first = (i * pairs) % cos.length;
        // there are d pairs: those of the queries, then those of the keys
        for (let pair = 0, p = i * 3 * d; pair < d; pair += 1, p += 2) {
          const c = cos[first + (pair % pairs)];
          const s = sin[first + (pair % pairs)] * direction;
          const u = x[p];
          const v = x[p + 1];
          x[p] = u * c - v * s;
          x[p + 1] = u * s + v * c;
        }
      }
    };
    rotate(qkv.data, 1);
    this.note(() => rotate(qkv.grad, -1));
  }

  /**
   * Multiply queries and keys of each head by the matrix of their position, in place.
   * @param {Tensor} qkv
   * @param {Float32Array} matrices (T × head_dim × head_dim), row by row
   * @param {number} heads
   * @param {Float32Array} [asking] the matrices of the queries, where they are others than those of the keys
   */
  turnBy(qkv, matrices, heads, asking = matrices) {
    const d = qkv.columns / 3;
    const size = d / heads;
    const T = matrices.length / size ** 2;
    const was = new Float32Array(size);
    /** @type {(x: Float32Array, back: boolean) => void} */
    const multiply = (x, back) => {
      const [row, column] = back ? [1, size] : [size, 1]; // backwards the matrix is transposed
      for (let i = 0; i < qkv.rows; i += 1) {
        const matrix = (i % T) * size ** 2;
        const keys = i * 3 * d + d;
        for (let p = keys - d; p < keys + d; p += size) {
          const by = p < keys ? asking : matrices;
          for (let j = 0; j < size; j += 1) was[j] = x[p + j];
          for (let j = 0; j < size; j += 1) {
            let sum = 0;
            for (let k = 0; k < size; k += 1) sum += by[matrix + j * row + k * column] * was[k];
            x[p + j] = sum;
          }
        }
      }
    };
    multiply(qkv.data, false);
    this.note(() => multiply(qkv.grad, true));
  }

  /**
   * What is added to the scores of T queries and T keys: the row of `table` (… × heads) that belongs to each distance.
   * Returns (heads × T·T). `rowOf` has the number of a row for the distances key − query = 1 − T … T − 1.
   * @param {Tensor} table
   * @param {ArrayLike<number>} rowOf
   */
  biasByDistance(table, rowOf) {
    const T = (rowOf.length + 1) / 2;
    const heads = table.columns;
    const y = this.tensor(heads, T * T);
    /** @type {(visit: (p: number, q: number) => void) => void} */
    const each = (visit) => {
      for (let h = 0, p = 0; h < heads; h += 1)
        for (let i = 0; i < T; i += 1)
          for (let j = 0; j < T; j += 1, p += 1) visit(p, rowOf[j - i + T - 1] * heads + h);
    };
    each((p, q) => (y.data[p] = table.data[q]));
    this.note(() => each((p, q) => (table.grad[q] += y.grad[p])));
    return y;
  }

  /**
   * Attention in each of `batch` sequences and each head: the output, and the weights (batch × heads × T × T).
   * @param {Tensor} qkv (batch · T × 3 d)
   * @param {{ batch: number, heads: number, causal: boolean, bias?: Tensor }} how
   * @returns {[Tensor, Float32Array]}
   */
  attend(qkv, { batch, heads, causal, bias }) {
    const { memory } = this;
    const { all } = memory;
    const d = qkv.columns / 3;
    const size = d / heads;
    const T = qkv.rows / batch;
    const scale = 1 / Math.sqrt(size);
    const y = this.tensor(qkv.rows, d);
    const { at: weightsAt, data: weights } = memory.take(batch * heads * T * T);
    /** @type {(visit: (h: number, from: number, w: number, to: number) => void) => void} */
    const each = (visit) => {
      const top = memory.top;
      for (let b = 0; b < batch; b += 1)
        for (let h = 0; h < heads; h += 1) {
          visit(h, b * T * 3 * d + h * size, weightsAt + (b * heads + h) * T * T, b * T * d + h * size);
          memory.top = top; // what this head needed for a moment is free again
        }
    };
    each((h, from, w, to) => {
      if (bias) all.copyWithin(w, bias.at + h * T * T, bias.at + (h + 1) * T * T);
      const keys = memory.transposed(qkv.at + d + from, 3 * d, T, size, scale);
      memory.product([qkv.at + from, 3 * d], [keys, T], [w, T], T, T, size);
      for (let i = 0, p = w; i < T; i += 1, p += T) softmax(all, p, causal ? i + 1 : T, T);
      memory.product([w, T], [qkv.at + 2 * d + from, 3 * d], [y.at + to, d], T, size, T);
    });
    this.note(() =>
      each((h, from, w, to) => {
        const values = memory.transposed(qkv.at + 2 * d + from, 3 * d, T, size);
        const { at: g, data: scores } = memory.take(T * T);
        memory.product([y.gradAt + to, d], [values, T], [g, T], T, T, size);
        memory.product([w, 1, T], [y.gradAt + to, d], [qkv.gradAt + 2 * d + from, 3 * d], T, size, T);
        for (let i = 0; i < T * T; i += T) {
          let mean = 0;
          for (let j = i; j < i + T; j += 1) mean += all[w + j] * scores[j];
          for (let j = i; j < i + T; j += 1) scores[j] = all[w + j] * (scores[j] - mean);
        }
        if (bias) for (let j = 0, p = h * T * T; j < T * T; j += 1, p += 1) bias.grad[p] += scores[j];
        for (let j = 0; j < T * T; j += 1) scores[j] *= scale;
        memory.product([g, T], [qkv.at + d + from, 3 * d], [qkv.gradAt + from, 3 * d], T, size, T);
        memory.product([g, 1, T], [qkv.at + from, 3 * d], [qkv.gradAt + d + from, 3 * d], T, size, T);
      }),
    );
    return [y, weights];
  }

  /**
   * The mean of the rows of each sequence.
   * @param {Tensor} x
   * @param {number} batch
   */
  mean(x, batch) {
    const y = this.tensor(batch, x.columns);
    const T = x.rows / batch;
    const n = x.columns;
    for (let i = 0, p = 0; i < x.rows; i += 1)
      for (let j = 0, q = Math.floor(i / T) * n; j < n; j += 1, p += 1) y.data[q + j] += x.data[p] / T;
    this.note(() => {
      for (let i = 0, p = 0; i < x.rows; i += 1)
        for (let j = 0, q = Math.floor(i / T) * n; j < n; j += 1, p += 1) x.grad[p] += y.grad[q + j] / T;
    });
    return y;
  }

  /**
   * The mean cross-entropy in nats, and how many of the rows that are asked have their largest number at the target.
   * @param {Tensor} x
   * @param {ArrayLike<number>} targets
   */
  crossEntropy(x, targets) {
    const n = x.columns;
    let asked = 0;
    for (let i = 0; i < targets.length; i += 1) if (targets[i] !== NO_ANSWER) asked += 1;
    let loss = 0;
    let right = 0;
    for (let i = 0, p = 0; i < x.rows; i += 1, p += n) {
      const target = targets[i];
      if (target === NO_ANSWER) continue;
      const row = x.data.subarray(p, p + n);
      const best = argmax(row);
      let sum = 0;
      for (let j = 0; j < n; j += 1) sum += Math.exp(row[j] - row[best]);
      loss += (Math.log(sum) + row[best] - row[target]) / asked;
      if (best === target) right += 1;
      if (!this.learning) continue;
      for (let j = 0; j < n; j += 1) x.grad[p + j] = Math.exp(row[j] - row[best]) / sum / asked;
      x.grad[p + target] -= 1 / asked;
    }
    return { loss, right, asked };
  }
}

/**
 * The place of the largest number.
 * @param {ArrayLike<number>} row
 */
export function argmax(row) {
  let best = 0;
  for (let j = 1; j < row.length; j += 1) if (row[j] > row[best]) best = j;
  return best;
}

/**
 * Softmax of the first `n` numbers of a row of `T`; the others become 0.
 * @param {Float32Array} x
 * @param {number} at
 * @param {number} n
 * @param {number} T
 */
function softmax(x, at, n, T) {
  let top = -Infinity;
  let sum = 0;
  for (let j = at; j < at + n; j += 1) if (x[j] > top) top = x[j];
  for (let j = at; j < at + n; j += 1) sum += x[j] = expOfNegative(x[j] - top);
  for (let j = at; j < at + n; j += 1) x[j] /= sum;
  x.fill(0, at + n, at + T);
}
