// A trained model from the text of a page: its weights are float16 in base64, named as in torch.
import { Transformer } from "./transformer.js";

/** @typedef {{ settings: Partial<import("./transformer.js").Model>, weights: Record<string, string> }} Kept */

/**
 * One number of 16 bits.
 * @param {number} bits
 */
export function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * Build the model and give it its weights.
 * @param {Kept} kept
 * @param {import("./memory.js").Memory} [memory]
 */
export function revived({ settings, weights }, memory) {
  const model = new Transformer(settings, memory);
  for (const [name, { data }] of Object.entries(model.weights)) {
    const bytes = Uint8Array.from(atob(weights[name] ?? ""), (letter) => letter.charCodeAt(0));
    if (bytes.length !== 2 * data.length)
      throw new RangeError(`${name} must have ${data.length} numbers (those of the model), got ${bytes.length / 2}`);
    for (let i = 0; i < data.length; i += 1) data[i] = half(bytes[2 * i] + 256 * bytes[2 * i + 1]);
  }
  return model;
}

/**
 * The opposite: a trained model as it is kept. Numbers are rounded to the nearest of 16 bits.
 * @param {Transformer} model
 * @returns {Kept}
 */
export function packed({ settings, weights }) {
  const texts = Object.entries(weights).map(([name, { data }]) => {
    let letters = "";
    for (const value of data) {
      const size = Math.abs(value);
      const exponent = Math.max(-14, Math.min(15, Math.floor(Math.log2(size || 2 ** -14))));
      const steps = Math.round(size / 2 ** (exponent - 10)); // 0 … 2048; below 1024 the number is subnormal
      const bits = (value < 0 ? 0x8000 : 0) + ((exponent + 14) << 10) + steps;
      letters += String.fromCharCode(bits & 255, bits >> 8);
    }
    return [name, btoa(letters)];
  });
  return { settings, weights: Object.fromEntries(texts) };
}
