// What a model is told of positions, as in pe_helpers: through which door, and which numbers.
import { Random } from "./numbers.js";

export const CODES = ["none", "index", "index/length", "sinusoid", "learned", "rotary", "ALiBi", "T5"];
export const ADDED = ["index", "index/length", "sinusoid", "learned"]; // the first door: added to the input
export const BUCKETS = 32; // of T5's bias, for both directions together
const TABLE_SEED = 4_000_000; // no seed of a model: its words would be the rows
const FARTHEST = 128; // tokens: from here on all distances share T5's last bucket

/**
 * The angular speed of each hand in radians a token, the fastest first.
 * @param {number} pairs
 * @param {number} base
 */
export function speeds(pairs, base) {
  return Array.from({ length: pairs }, (_, i) => base ** (-i / pairs));
}

/**
 * A code that is computed and added, one row of `d` numbers for each position.
 * @param {string} code
 * @param {ArrayLike<number>} positions
 * @param {number} d
 * @param {{ base: number, scale: number, table?: number[][] }} settings `table` has the rows of the code "given"
 */
export function addedRows(code, positions, d, { base, scale, table = [] }) {
  if (code === "random") return randomRows(positions, d);
  const rows = new Float32Array(positions.length * d);
  if (code === "given") {
    for (let p = 0; p < positions.length; p += 1) rows.set(givenRow(table, positions[p], d), p * d);
    return rows;
  }
  const omega = speeds(d / 2, base);
  for (let p = 0; p < positions.length; p += 1) {
    const row = rows.subarray(p * d, p * d + d);
    if (code === "index") row[0] = scale * positions[p];
    if (code === "index/length") row[0] = (scale * positions[p]) / (positions.length - 1);
    if (code !== "sinusoid") continue;
    for (let i = 0; i < d / 2; i += 1) {
      row[2 * i] = scale * Math.sin(positions[p] * omega[i]);
      row[2 * i + 1] = scale * Math.cos(positions[p] * omega[i]);
    }
  }
  return rows;
}

/**
 * The row that a table has for a position.
 * @template T
 * @param {T[]} table
 * @param {number} position
 * @param {number} most numbers that the row may have
 */
function givenRow(table, position, most) {
  const row = /** @type {any} */ (table[position]);
  if (!row) throw new RangeError(`a position must be less than ${table.length} (the rows given), got ${position}`);
  if (row.length > most)
    throw new RangeError(`a code must have at most ${most} numbers (the width), got ${row.length}`);
  return row;
}

/**
 * The matrices (head_dim × head_dim) by which queries and keys are turned, one after the other for all positions.
 * @param {number[][][]} turns one for each position, row by row
 * @param {ArrayLike<number>} positions
 * @param {number} headDim
 */
export function givenTurns(turns, positions, headDim) {
  return Float32Array.from(Array.from(positions, (p) => givenRow(turns, p, headDim).flat()).flat());
}

/**
 * Rows of random numbers that nothing trains, one for each position, each as long as the sinusoid's. Every model gets the
 * same.
 * @param {ArrayLike<number>} positions
 * @param {number} d
 */
function randomRows(positions, d) {
  const random = new Random(TABLE_SEED);
  const table = Float32Array.from({ length: (Math.max(...Array.from(positions)) + 1) * d }, () => random.normal());
  const rows = new Float32Array(positions.length * d);
  for (let p = 0; p < positions.length; p += 1) {
    const row = table.subarray(positions[p] * d, positions[p] * d + d);
    const longer = Math.sqrt(d / 2) / Math.hypot(...row);
    row.forEach((value, i) => (rows[p * d + i] = longer * value));
  }
  return rows;
}

/**
 * The angles by which rotary turns the pairs of queries and keys: a row of head_dim / 2 for each position.
 * @param {ArrayLike<number>} positions
 * @param {number} headDim
 * @param {number} base
 */
export function angles(positions, headDim, base) {
  const all = Array.from(positions, (p) => speeds(headDim / 2, base).map((omega) => p * omega)).flat();
  return { cos: Float32Array.from(all, Math.cos), sin: Float32Array.from(all, Math.sin) };
}

/**
 * ALiBi's penalty a token for each head. The first head has `slope`, the others are flatter by the paper's ratio; the
 * paper's own slopes are those with slope = 2^(−8 / heads).
 * @param {number} heads
 * @param {number} slope
 */
export function slopes(heads, slope) {
  return Array.from({ length: heads }, (_, h) => slope * 2 ** ((-8 * h) / heads));
}

/**
 * T5's bucket of a distance, key − query in tokens.
 * @param {number} distance
 * @param {boolean} causal
 */
export function bucket(distance, causal) {
  const count = causal ? BUCKETS : BUCKETS / 2;
  const first = !causal && distance > 0 ? count : 0;
  const far = causal ? Math.max(-distance, 0) : Math.abs(distance);
  const single = count / 2;
  if (far < single) return first + far;
  const share = Math.log(Math.min(far, FARTHEST) / single) / Math.log(FARTHEST / single);
  return first + Math.min(count - 1, single + Math.floor(share * single + 1e-9));
}
