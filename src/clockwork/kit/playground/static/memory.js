// One block of memory that all tensors are cut from, and the product of matrices on it.
import { KERNEL } from "./kernel.js";

export const MEGABYTES = 96; // taken once; a page commits only what a model really uses

const PAGE = 65536; // bytes in a page of WebAssembly's memory

/** What is thrown when a model is too large for the block. */
export class TooLarge extends RangeError {}

export class Memory {
  /** @param {{ megabytes?: number, simd?: boolean }} [options] `simd: false` multiplies in JavaScript alone. */
  constructor({ megabytes = MEGABYTES, simd = true } = {}) {
    this.top = 0; // numbers in use
    /** @type {undefined | ((...places: number[]) => void)} */
    this.kernel = undefined;
    /** @type {ArrayBuffer} */
    let buffer;
    try {
      if (!simd) throw new Error("the kernel is not wanted");
      const bytes = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
      const memory = new WebAssembly.Memory({ initial: (megabytes * 1048576) / PAGE });
      const made = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
      this.kernel = /** @type {(...places: number[]) => void} */ (made.exports.product);
      buffer = memory.buffer;
    } catch {
      buffer = new ArrayBuffer(megabytes * 1048576); // no WebAssembly here, or a page that forbids it, or no SIMD
    }
    this.all = new Float32Array(buffer);
  }

  /**
   * Cut off `size` numbers, all 0. The address counts numbers, so `all[at]` is the first.
   * @param {number} size
   */
  take(size) {
    const at = this.top;
    const end = at + ((size + 3) & ~3);
    if (end > this.all.length) throw new TooLarge(`this model needs more than ${this.all.length / 262144} MB`);
    this.top = end;
    const data = this.all.subarray(at, at + size);
    data.fill(0);
    return { at, data };
  }

  /**
   * C[i, j] += Σ A[i, l] · B[l, j], with (m, n) the shape of C and k the length of the sums.
   * A matrix is its address and the step from row to row; A may have a step from column to column as well, so that it
   * can be read transposed.
   * @param {[number, number, number?]} A
   * @param {[number, number]} B
   * @param {[number, number]} C
   * @param {number} m
   * @param {number} n
   * @param {number} k
   */
  product([a, aRow, aColumn = 1], [b, bRow], [c, cRow], m, n, k) {
    if (this.kernel) this.kernel(a * 4, aRow * 4, aColumn * 4, b * 4, bRow * 4, c * 4, cRow * 4, m, n, k);
    else product(this.all, a, aRow, aColumn, b, bRow, c, cRow, m, n, k);
  }

  /**
   * Copy a matrix (m × n) transposed, times `scale`, into new memory; return its address.
   * @param {number} from
   * @param {number} row
   * @param {number} m
   * @param {number} n
   */
  transposed(from, row, m, n, scale = 1) {
    const { at } = this.take(m * n);
    const { all } = this;
    for (let i = 0; i < m; i += 1) for (let j = 0; j < n; j += 1) all[at + j * m + i] = all[from + i * row + j] * scale;
    return at;
  }
}

/**
 * The same product in JavaScript, two rows and two columns at a time: fewer numbers are read.
 * @param {Float32Array} x
 * @param {number} a @param {number} aRow @param {number} aColumn
 * @param {number} b @param {number} bRow
 * @param {number} c @param {number} cRow
 * @param {number} m @param {number} n @param {number} k
 */
function product(x, a, aRow, aColumn, b, bRow, c, cRow, m, n, k) {
  for (let i = 0; i < m; i += 2) {
    const below = i + 1 < m ? aRow : 0;
    for (let j = 0; j < n; j += 2) {
      const right = j + 1 < n ? 1 : 0;
      let s00 = 0;
      let s01 = 0;
      let s10 = 0;
      let s11 = 0;
      for (let l = 0, p = a + i * aRow, q = b + j; l < k; l += 1, p += aColumn, q += bRow) {
        const upper = x[p];
        const lower = x[p + below];
        const left = x[q];
        const next = x[q + right];
        s00 += upper * left;
        s01 += upper * next;
        s10 += lower * left;
        s11 += lower * next;
      }
      const at = c + i * cRow + j;
      x[at] += s00;
      if (right) x[at + 1] += s01;
      if (below) x[at + cRow] += s10;
      if (below && right) x[at + cRow + 1] += s11;
    }
  }
}
