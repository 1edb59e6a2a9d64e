// Random numbers from a seed, an exponential, and the optimizer.

const HALVES = Float64Array.from({ length: 128 }, (_, k) => 2 ** -k);

/** mulberry32: the same numbers on every machine. */
export class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.state = Math.imul(seed + 1, 0x9e3779b9);
  }

  /** A number from 0 to 1. */
  uniform() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A number from the normal distribution (Box and Muller). */
  normal() {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /**
   * A whole number from 0 to n − 1.
   * @param {number} n
   */
  below(n) {
    return Math.floor(this.uniform() * n);
  }
}

/**
 * e to the power of a number that is not above 0, within 1e-8 of itself; 0 below -87, where float32 ends too. Faster than
 * Math.exp: x is r - k ln 2 with r between -ln 2 / 2 and ln 2 / 2, and e to the r is its series.
 * @param {number} x
 */
export function expOfNegative(x) {
  if (x < -87) return 0;
  const k = (0.5 - x * Math.LOG2E) | 0;
  const r = x + k * Math.LN2;
  const rest = 1 / 24 + r * (1 / 120 + r * (1 / 720 + r / 5040));
  return HALVES[k] * (1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * rest))));
}

/** AdamW with torch's usual settings: Loshchilov and Hutter 2019, arXiv:1711.05101. */
export class AdamW {
  /**
   * @param {Float32Array} weights
   * @param {Float32Array} grads
   * @param {number} rate
   */
  constructor(weights, grads, rate) {
    this.weights = weights;
    this.grads = grads;
    this.rate = rate;
    this.time = 0;
    this.means = new Float32Array(weights.length);
    this.squares = new Float32Array(weights.length);
  }

  step() {
    const { weights, grads, means, squares, rate } = this;
    this.time += 1;
    const size = rate / (1 - 0.9 ** this.time);
    const correction = 1 / Math.sqrt(1 - 0.999 ** this.time);
    for (let i = 0; i < weights.length; i += 1) {
      const g = grads[i];
      means[i] = 0.9 * means[i] + 0.1 * g;
      squares[i] = 0.999 * squares[i] + 0.001 * g * g;
      weights[i] -= rate * 0.01 * weights[i] + (size * means[i]) / (Math.sqrt(squares[i]) * correction + 1e-8);
    }
  }
}
