// One head's scores from the positions alone, turned on by any number of tokens, as in clockwork.kit.heads.
import { addedRows, speeds } from "./codes.js";

/**
 * A head of the first layer scores two codes by PE(p)ᵀ W PE(q). Of W we keep what turns and stretches each hand by
 * itself: for each pair of features two numbers, stretch · (cos, sin) of the turn.
 * @param {import("./transformer.js").Transformer} model
 * @param {number} head
 */
export function turningPart(model, head) {
  const { d, heads } = model.settings;
  const size = d / heads;
  const qkv = model.weights["blocks.0.qkv.weight"].data;
  const gain = model.weights["blocks.0.before_attention.weight"].data;
  /** @type {(i: number, j: number) => number} */
  const score = (i, j) => {
    let sum = 0;
    for (let row = head * size; row < (head + 1) * size; row += 1) sum += qkv[row * d + i] * qkv[(d + row) * d + j];
    return (sum * gain[i] * gain[j]) / Math.sqrt(size);
  };
  return Array.from({ length: d / 2 }, (_, pair) => {
    const [i, j] = [2 * pair, 2 * pair + 1];
    return { same: (score(i, i) + score(j, j)) / 2, across: (score(i, j) - score(j, i)) / 2 };
  });
}

/**
 * The scores of T queries and T keys (heads × T·T) when every head is turned on by `by` tokens. They replace the
 * model's own, so its queries have to be silent: see `silenced`.
 * @param {import("./transformer.js").Transformer} model
 * @param {{ same: number, across: number }[][]} parts of each head, as they were trained
 * @param {number} T
 * @param {number} by
 */
export function turnedScores(model, parts, T, by) {
  const { d, base } = model.settings;
  const rows = addedRows("sinusoid", Array.from({ length: T }, (_, p) => p), d, { base, scale: 1 }); // prettier-ignore
  const later = speeds(d / 2, base).map((omega) => ({ cos: Math.cos(by * omega), sin: Math.sin(by * omega) }));
  const scores = new Float32Array(parts.length * T * T);
  parts.forEach((part, head) => {
    for (let p = 0, at = head * T * T; p < T; p += 1)
      for (let q = 0; q < T; q += 1, at += 1)
        for (let pair = 0; pair < d / 2; pair += 1) {
          const { same, across } = part[pair];
          const { cos, sin } = later[pair];
          // the code of the key, as if it stood `by` tokens further on
          const [s, c] = [rows[q * d + 2 * pair], rows[q * d + 2 * pair + 1]];
          const [s1, c1] = [s * cos + c * sin, c * cos - s * sin];
          const [s0, c0] = [rows[p * d + 2 * pair], rows[p * d + 2 * pair + 1]];
          scores[at] += same * (s0 * s1 + c0 * c1) + across * (s0 * c1 - c0 * s1);
        }
  });
  return scores;
}

/**
 * Take the queries of the first layer away, so that only added scores count.
 * @param {import("./transformer.js").Transformer} model
 */
export function silenced(model) {
  const { d } = model.settings;
  model.weights["blocks.0.qkv.weight"].data.fill(0, 0, d * d);
  model.weights["blocks.0.qkv.bias"].data.fill(0, 0, d);
}
