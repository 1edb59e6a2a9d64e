// Two words as pairs of numbers on two dials: a code is added to them, or they are turned; below, their score.
import { RULER, between, degrees, dotProduct, face, hatched, ruler, swept, turnedPair, wedge } from "./pairs.js";
import { within } from "../../../kit/widgets/static/grab.js";
import { BASE, handColor, speedOf } from "../../../kit/widgets/static/hands.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDTH = 16; // d_model, which gives the hands their speeds
const HANDS = 4; // that can be chosen
const WIDE = 600;
const LONGEST = 2.3; // a word and its code, both pointing one way
const SCORES = [-3, 5]; // all scores that the two dials can have
const STRIP = 96;
const START = 5; // where the words begin: their scores there are told before the guess
const FAR = 50; // tokens that both words must have moved for their scores to have shown it
const MADE = {
  added: ([up, right], angle) => [up + Math.cos(angle), right + Math.sin(angle)],
  turned: turnedPair,
};

function sizesOf(w) {
  const wide = w >= WIDE;
  const column = w / 2;
  return { column, r: wide ? Math.min(112, column / 2 - 40) : column / 2 - 14, left: wide ? 44 : 26 };
}

export default view({
  cycle: [["position", 12]],
  height: (w) => RULER + 30 + 2 * sizesOf(w).r + 64 + STRIP + 40,
  draw(p) {
    const { column, r, left } = sizesOf(p.w);
    const state = stateOf(p);
    ruler(p, state.names);
    const shown = Object.entries(MADE).map(([name, made], n) => {
      const pairsAt = (place) => state.own.map((pair, i) => made(pair, (place + i * state.apart) * state.speed));
      const scoreAt = (place) => dotProduct(...pairsAt(place));
      const pairs = pairsAt(state.position);
      const round = { x: (n + 0.5) * column, y: RULER + 30 + r, r };
      dialOf(p, round, name, pairs, state);
      strip(p, { x: n * column + left, y: round.y + r + 46, w: column - left - 26, h: STRIP }, name, state, scoreAt);
      return { name, pairs, angle: Math.abs(between(...pairs)), score: dotProduct(...pairs) };
    });
    const told = ({ name, angle, score }) => `${name}, ${degrees(angle)} apart with score ${fixed(score)}`;
    const where = `bit at ${state.position}, dog at ${state.second}, hand ${state.hand}`;
    if (p.veiled()) return { alt: `${where}: angles and scores are hidden until you have guessed`, numbers: {} };
    return {
      alt: `${where}: ${shown.map(told).join("; ")}`,
      numbers: {
        added: shown[0].pairs.flat(),
        turned: shown[1].pairs.flat(),
        angles: shown.map(({ angle }) => angle),
        scores: shown.map(({ score }) => score),
      },
      reading: ["bit at ", scrub("position"), `, dog at ${state.second}, `, scrub("apart"), " apart"],
      seen: p.been[1] - p.been[0] > FAR,
    };
  },
});

// What the sliders choose, and where the words have been since the page was opened.
function stateOf(p) {
  const [position, apart, hand] = ["position", "apart", "hand"].map((name) => p.get(name));
  if (!p.been || p.veiled()) p.been = [position, position];
  p.been = [Math.min(p.been[0], position), Math.max(p.been[1], position)];
  const words = p.model.get("words");
  return {
    position,
    apart,
    hand,
    second: position + apart,
    names: Object.keys(words),
    own: Object.values(words),
    speed: speedOf(hand, WIDTH, BASE),
    tone: handColor(p, hand, HANDS),
  };
}

function dialOf(p, { x, y, r }, name, pairs, { own, position, apart, speed, tone }) {
  const unit = r / LONGEST;
  const at = ([up, right]) => [x + unit * right, y - unit * up];
  p.text(name, x, y - r - 18, { align: "center", weight: 600, size: 16 });
  face(p, { x, y, r }, `${name} dial`, speed);
  wedge(p, { x, y, r: 0.26 * r }, pairs, { told: !p.veiled() });
  pairs.forEach((pair, n) => {
    const word = [p.color.sin, p.color.cos][n];
    const long = unit * Math.hypot(...own[n]);
    p.line(x, y, ...at(own[n]), word, 1.75, [3, 5]);
    if (name === "added") p.arrow(at(own[n]), at(pair), tone, 2);
    else swept(p, { x, y, r: long }, own[n], (position + n * apart) * speed, tone);
    p.arrow([x, y], at(pair), word, 4.5);
  });
  p.dot(x, y, p.color.ink, 3.5);
}

// The score wherever the words have been; beyond, the place where it will be drawn.
function strip(p, box, name, { position, second }, scoreAt) {
  const { color } = p;
  const positions = p.values("position");
  const [first, last] = [positions[0], positions.at(-1)];
  const { x, y } = p.axes(box, {
    x: [first, last],
    y: SCORES,
    xticks: [first, (first + last) / 2, last],
    yticks: [SCORES[0], 0, SCORES[1]],
    xlabel: "position of bit (tokens)",
  });
  const covered = p.veiled() && position !== START;
  const score = covered ? "?" : fixed(scoreAt(position));
  p.text(`score, ${name}: ${score}`, box.x, box.y - 14, { weight: 600, size: 13 });
  p.line(box.x, y(0), box.x + box.w, y(0), color.line);
  const [from, to] = p.been;
  hatched(p, { x: box.x, y: box.y, w: x(from) - box.x, h: box.h });
  hatched(p, { x: x(to), y: box.y, w: x(last) - x(to), h: box.h });
  const been = positions.filter((place) => place >= from && place <= to);
  p.stroke(
    been.map((place) => [x(place), y(scoreAt(place))]),
    color.ink,
    2,
  );
  p.line(x(position), box.y, x(position), box.y + box.h, color.soft, 1, [3, 3]);
  if (name === "turned") p.guess((value) => [x(last), y(value)]);
  const there = covered ? START : position;
  p.dot(x(there), y(scoreAt(there)), color.paper, 8);
  p.dot(x(there), y(scoreAt(there)), color.ink, 6);
  p.grab(`${name} strip`, {
    wide: true,
    hit: (a, b) => (within(box, a, b, 6) ? 3 : Infinity),
    move: (a) => p.set("position", nearest(positions, first + ((a - box.x) / box.w) * (last - first))),
    says: `drag: both words, now at ${position} and ${second}`,
  });
}
