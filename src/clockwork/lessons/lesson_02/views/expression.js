// The reader's code as a plain expression of p, read as expression.py reads it, and what comes of it, as in demands.py.
import { say } from "../../../kit/widgets/static/painter.js";

const MOST_NUMBERS = 8;
const MOST_LETTERS = 160;
export const NEAR = 500; // tokens, either way, in which the rule is fitted
const FAR = 1_000_000;
const SAMPLES = 400;
const SAME = 1e-9;
const NO_ERROR = 1e-6;
const GROWN = 1.001;
export const MOST_GROWN = 1e9;
const CONSTANTS = { pi: Math.PI, e: Math.E };
const FUNCTIONS = ["sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sign", "floor"];
const TOKEN = /\s*(?:(\d[\d_]*\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z_]\w*)|(\*\*|\/\/|[-+*/%(),]))/iy;

// The parts of a text: numbers, names, signs.
function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new RangeError(`“${text.slice(from).trim()[0]}” is not known here.`);
    tokens.push(found[1] ? Number(found[1].replaceAll("_", "")) : (found[2] ?? found[3]));
  }
  return tokens;
}

// What Python or paper would take, and what to write here instead.
/** @type {[RegExp, (found: RegExpExecArray) => string][]} */
const ELSEWHERE = [
  [/\b(np|numpy|math|torch)\s*\.\s*([a-z_]\w*)/i, (found) => `Leave out “${found[1]}.”: write ${found[2]}.`],
  [/[[\]{}]/, () => "No brackets around the code: write its numbers with commas between them, as in sin(p), cos(p)."],
  [/(?<![\w.])(\d+\.?\d*|\.\d+)\s*(p\b|\(|[a-z_]\w*\()/i, (found) => `A * is missing: write ${found[1]}*${found[2]}.`],
  [/\^/, () => "For a power write **."],
];

// The functions of p, one for each number of the code.
function readCode(text) {
  if (text.length > MOST_LETTERS) throw new RangeError(`At most ${MOST_LETTERS} letters, please.`);
  for (const [pattern, says] of ELSEWHERE) {
    const found = pattern.exec(text);
    if (found) throw new RangeError(says(found));
  }
  const tokens = tokensOf(text);
  let at = 0;
  const take = (...signs) => (signs.includes(tokens[at]) ? tokens[at++] : undefined);
  const need = (sign) => {
    if (!take(sign))
      throw new RangeError(
        at < tokens.length ? `“${tokens[at]}” stands where “${sign}” should.` : `A “${sign}” is missing.`,
      );
  };
  const binary =
    (below, ...signs) =>
    () => {
      let left = below();
      for (let sign = take(...signs); sign; sign = take(...signs)) left = COMBINED[sign](left, below());
      return left;
    };
  const sum = () => binary(term, "+", "-")();
  const term = () => binary(unary, "*", "/", "//", "%")();
  const unary = () => {
    const sign = take("-", "+");
    if (!sign) return power();
    const value = unary();
    return sign === "-" ? (p) => -value(p) : value;
  };
  const power = () => {
    const base = atom();
    if (!take("**")) return base;
    const exponent = unary();
    return (p) => base(p) ** exponent(p);
  };
  const atom = () => {
    const token = tokens[at++];
    if (typeof token === "number") return () => token;
    if (token === "p") return (p) => p;
    if (token in CONSTANTS) return () => CONSTANTS[token];
    if (token === "(") {
      const value = sum();
      need(")");
      return value;
    }
    if (FUNCTIONS.includes(token)) {
      need("(");
      const value = sum();
      need(")");
      return (p) => Math[token](value(p));
    }
    throw new RangeError(token === undefined ? "Something is missing at the end." : `“${token}” is not known here.`);
  };
  const parts = [sum()];
  while (take(",")) parts.push(sum());
  if (at < tokens.length) throw new RangeError(`“${tokens[at]}” is one too many.`);
  if (parts.length > MOST_NUMBERS) throw new RangeError(`At most ${MOST_NUMBERS} numbers, please.`);
  return parts;
}

const COMBINED = {
  "+": (a, b) => (p) => a(p) + b(p),
  "-": (a, b) => (p) => a(p) - b(p),
  "*": (a, b) => (p) => a(p) * b(p),
  "/": (a, b) => (p) => a(p) / b(p),
  "//": (a, b) => (p) => Math.floor(a(p) / b(p)),
  "%": (a, b) => (p) => a(p) - b(p) * Math.floor(a(p) / b(p)),
};

// What comes of a code: its numbers from −500 to 500 and what the three demands say of them.
export function trialOf(text) {
  const parts = readCode(text);
  const codes = Array.from({ length: 2 * NEAR + 1 }, (_, i) => parts.map((part) => part(i - NEAR)));
  const lost = codes.map((code, i) => (code.every(Number.isFinite) ? Infinity : Math.abs(i - NEAR)));
  const nearest = Math.min(...lost);
  if (nearest < Infinity) {
    const position = lost[NEAR - nearest] === nearest ? -nearest : nearest;
    throw new RangeError(`Position ${say(position)} gets no number. The rule has to serve everywhere, below 0 too.`);
  }
  const size = Math.max(...codes.map((code) => Math.max(...code.map(Math.abs))));
  if (size === 0) throw new RangeError("This code is 0 everywhere.");
  const { rank, miss } = fitted(codes.map((code) => code.map((v) => v / size)));
  const near = Math.max(...codes.map(lengthOf));
  const growth = [-1, 1].map((way) => {
    const far = Array.from({ length: SAMPLES }, (_, i) => way * Math.round(NEAR * (FAR / NEAR) ** ((i + 1) / SAMPLES)));
    const lengths = far.map((position) => lengthOf(parts.map((part) => part(position))) / near);
    return lengths.every(Number.isFinite) ? Math.min(MOST_GROWN, Math.max(...lengths)) : MOST_GROWN;
  });
  const met = [miss < NO_ERROR, rank === parts.length, Math.max(...growth) < GROWN];
  return { codes, miss, rank, growth, met, alike: alikeOf(codes.slice(NEAR)), lengths: codes.map(lengthOf) };
}

function lengthOf(code) {
  const largest = Math.max(...code.map(Math.abs));
  return largest > 0 ? largest * Math.hypot(...code.map((v) => v / largest)) : largest;
}

const product = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);

// The best matrix from each code to the next: what the columns span, by Gram and Schmidt, the longest rest first.
function fitted(codes) {
  const columns = codes[0].map((_, j) => Float64Array.from(codes, (code) => code[j]));
  const rests = columns.map((column) => scaled(column.slice(0, -1)));
  const basis = [];
  for (;;) {
    const sizes = rests.map((rest) => Math.sqrt(product(rest, rest)));
    const longest = sizes.indexOf(Math.max(...sizes));
    if (!(sizes[longest] > SAME)) break;
    const next = scaled(rests[longest]);
    basis.push(next);
    for (const rest of rests) for (let twice = 0; twice < 2; twice += 1) without(rest, next);
    rests[longest].fill(0);
  }
  let [missed, whole] = [0, 0];
  for (const column of columns) {
    const there = column.slice(1);
    whole += product(there, there);
    for (let twice = 0; twice < 2; twice += 1) for (const part of basis) without(there, part);
    missed += product(there, there);
  }
  const miss = Math.max(Math.sqrt(missed / whole), Number.EPSILON); // rounding hides a smaller one
  return { rank: basis.length, miss };
}

function scaled(column) {
  const size = Math.sqrt(product(column, column));
  return size > 0 ? column.map((v) => v / size) : column;
}

function without(column, part) {
  const share = product(column, part);
  for (let i = 0; i < column.length; i += 1) column[i] -= share * part[i];
}

// The two positions from 0 on whose codes are nearest to each other, and how far apart these are.
function alikeOf(codes) {
  let found = [0, 1, Infinity];
  let least = Infinity;
  for (let i = 0; i < codes.length; i += 1)
    for (let j = i + 1; j < codes.length; j += 1) {
      let square = 0;
      for (let k = 0; k < codes[i].length; k += 1) square += (codes[i][k] - codes[j][k]) ** 2;
      const apart = Math.sqrt(square);
      const rounded = Math.round(apart * 1e9) / 1e9;
      if (rounded >= least) continue;
      least = rounded;
      found = [i, j, apart];
    }
  return found;
}
