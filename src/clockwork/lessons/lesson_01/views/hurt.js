// The reader's own attention reads four words, in any order: the means of its outputs, and what they say of who is hurt.
import { ask } from "../../../kit/machine/ask.js";
import { typed } from "../../../kit/machine/field.js";
import { lampList, lampsOf } from "../../../kit/machine/lamps.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";

const WIDE = 620;
const TIE = 1e-9;
const SAME = 1e-6; // means that are no further apart are one point

const apart = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

function pointsOf(means) {
  const found = [];
  for (const mean of means) if (found.every((one) => apart(mean, one) > SAME)) found.push(mean);
  return found.length;
}

// The share of dog in the answer: the nearer the mean to that of the sentence in which the dog is hurt.
function shareOfDog(p, means, order) {
  const all = p.model.get("orders");
  const [mine, dog, tom] = [order, ...p.model.get("known")].map((one) => means[all.indexOf(one)]);
  return apart(dog, tom) < TIE ? 0.5 : apart(mine, tom) / (apart(mine, dog) + apart(mine, tom));
}

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 250 : 430),
  build(p) {
    const what = p.model.get("function");
    const lamps = what === "code" ? lampList() : null;
    if (lamps) p.root.querySelector(".pe-figure").after(lamps.list);
    const his = () => p.recall("machine/attend") ?? "";
    let asking = false;
    const field = typed(p, {
      says: what === "code" ? "Your code: a function of the position p" : "Your attention: a function of the rows x",
      begin: p.model.get("begin"),
      draft: `${p.model.get("remember") || "01/hurt"}/draft`,
      async run(source) {
        if (asking) return;
        if (/=\s*\.\.\.|return\s*\.\.\./.test(source))
          return field.say("Put your own lines in place of the three dots.");
        if (lamps && !his()) return field.say("There is no attend of yours yet: write it in the picture above.");
        asking = true;
        field.busy(true);
        const found = await ask(p, what, source, !lamps, lamps ? his() : "");
        asking = false;
        field.busy(false);
        if (p.stop.aborted) return;
        field.say(found.refused || found.advice || "");
        if (found.refused) return;
        if (found.advice === "") p.remember("machine/attend", found.source);
        lamps?.show(lampsOf(found.lit));
        p.found = found;
        p.redraw();
      },
    });
  },
  draw(p) {
    const wide = p.w >= WIDE;
    const found = p.found ?? p.model.get("found");
    const order = p.model.get("orders")[p.get("order")];
    const told = Boolean(found.means) && !p.veiled();
    const left = { x: 6, y: 8, w: wide ? 0.46 * p.w : p.w - 12 };
    drawWords(p, left, order);
    const dog = told ? shareOfDog(p, found.means, order) : 0;
    drawAnswer(p, { ...left, y: left.y + 128 }, told, dog);
    const box = wide
      ? { x: left.w + 76, y: 24, w: p.w - left.w - 90, h: p.h - 66 }
      : { x: 44, y: 214, w: p.w - 58, h: p.h - 256 };
    drawPlane(p, box, found, order, told);
    if (!told) return { alt: `${order}: nothing has been run yet`, numbers: {} };
    const mean = found.means[p.get("order")];
    const points = pointsOf(found.means);
    const many = `different means of ${found.means.length} orders: ${points}`;
    return {
      alt: `${order}: dog has ${fixed(dog)} of the answer; ${many}`,
      numbers: { mean, dog: [dog], points: [points] },
      seen: Boolean(p.found),
    };
  },
});

// The words, which are dragged into another order.
function drawWords(p, { x, y, w }, order) {
  const { color, ctx } = p;
  const words = order.split(" ");
  const step = w / words.length;
  words.forEach((word, i) => {
    const held = p.lit("word") === word;
    const at = x + i * step;
    ctx.fillStyle = color.raised;
    ctx.beginPath();
    ctx.roundRect(at + 3, y + 18, step - 6, 42, 6);
    ctx.fill();
    ctx.lineWidth = held ? 2 : 1;
    ctx.strokeStyle = held ? color.here : color.line;
    ctx.stroke();
    p.text(word, at + step / 2, y + 40, {
      align: "center",
      size: 18,
      weight: 600,
      color: held ? color.here : color.ink,
    });
    p.text(String(i), at + step / 2, y + 72, { align: "center", size: 11, color: color.soft });
    p.grab(`word ${i}`, {
      hit: (a, b) => (a >= at && a < at + step && b >= y + 14 && b <= y + 64 ? 0 : Infinity),
      move(a, b, begun) {
        begun.word ??= word;
        const to = Math.max(0, Math.min(words.length - 1, Math.floor((a - x) / step)));
        const orders = p.model.get("orders");
        const others = orders[p.get("order")].split(" ");
        others.splice(others.indexOf(begun.word), 1);
        others.splice(to, 0, begun.word);
        p.set("order", orders.indexOf(others.join(" ")));
      },
      says: `${word}, at position ${i}`,
      lights: { word },
      at: i === 0 ? [at + step / 2, y + 40] : undefined,
    });
  });
  p.text("drag a word", x + 3, y + 4, { size: 12, color: color.soft });
}

function drawAnswer(p, { x, y, w }, told, dog) {
  const { color, ctx } = p;
  const [from, to] = [x + 76, x + w - 76];
  p.text("who is hurt?", from, y - 18, { size: 13, color: color.soft });
  p.text(told ? `dog ${fixed(dog)}` : "dog", x, y, { size: 14, weight: told && dog > 0.5 ? 700 : 400 });
  const tom = told ? `tom ${fixed(1 - dog)}` : "tom";
  p.text(tom, x + w, y, { size: 14, align: "right", weight: told && dog < 0.5 ? 700 : 400 });
  if (told) {
    const middle = from + (to - from) * p.ease("dog", dog);
    ctx.fillStyle = dog > 0.5 ? color.green : color.line;
    ctx.fillRect(from, y - 10, middle - from - 1, 20);
    ctx.fillStyle = dog < 0.5 ? color.green : color.line;
    ctx.fillRect(middle + 1, y - 10, to - middle - 1, 20);
  } else p.veil(from, y - 10, to - from, 20);
  p.line((from + to) / 2, y - 13, (from + to) / 2, y + 13, color.soft, 1);
  p.guess((share) => [from + (to - from) * share, y]);
}

// Each word at its two numbers, and the mean of the outputs for all orders.
function drawPlane(p, box, found, order, told) {
  const { color } = p;
  const codes = told ? (found.lit?.near ?? []) : [];
  const rows = order
    .split(" ")
    .map((word, i) => p.model.get("words")[word].map((value, j) => value + (codes[i]?.[j] ?? 0)));
  const means = told ? found.means : [];
  const span = (j) => {
    const all = [...rows, ...means].map((row) => row[j]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const room = 0.14 * (high - low);
    return [low - room, high + room];
  };
  const [across, up] = [span(0), span(1)];
  const ticks = (/** @type {number[]} */ [low, high]) =>
    [low + 0.12 * (high - low), high - 0.12 * (high - low)].map((v) => Number(v.toPrecision(2)));
  const { x, y } = p.axes(box, {
    x: across,
    y: up,
    xticks: ticks(across),
    yticks: ticks(up),
    xlabel: "number 0",
    title: told
      ? `means of ${means.length} orders: ${pointsOf(means)} point${pointsOf(means) === 1 ? "" : "s"}`
      : "number 1",
  });
  order.split(" ").forEach((word, i) => {
    const [a, b] = [x(rows[i][0]), y(rows[i][1])];
    p.circle(a, b, 5, color.soft, 1.5);
    const right = a > box.x + box.w - 40;
    p.text(word, a + (right ? -9 : 9), b, { size: 13, color: color.soft, align: right ? "right" : "left" });
  });
  if (!told) return;
  for (const [a, b] of means) p.circle(x(a), y(b), 4, color.green, 1.2);
  const mean = means[p.get("order")];
  p.dot(x(p.ease("mean 0", mean[0])), y(p.ease("mean 1", mean[1])), color.here, 6);
}
