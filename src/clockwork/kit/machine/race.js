// The learning curves of a picture in which a model learns. Pages share this module, so it has no engine of its own.

const SMOOTH = 8; // steps over which the drawn share is averaged
const TONES = {
  index: "grey",
  "nothing turns": "grey",
  digits: "pink",
  "one sine": "sin",
  "one hand": "green",
  "eight hands": "green",
  mine: "ink",
};
const DASHES = { "one hand": [6, 4] };

// The share of right answers over the steps: every run stays, with its name at its end and its recorded seeds beside it.
export function drawRace(p, box, { chance }) {
  const { steps } = p.model.get("settings");
  const { color } = p;
  const scale = p.axes(box, {
    x: [0, steps],
    y: [0, 1],
    xticks: [0, 100, 200, 300].filter((step) => step <= steps),
    yticks: [0, 0.5, 1],
    xlabel: "training step",
    title: "right answers",
  });
  p.line(box.x, scale.y(chance), box.x + box.w, scale.y(chance), color.soft, 1, [3, 4]);
  p.text("guessing", box.x + 4, scale.y(chance) - 8, { color: color.soft, size: 11 });
  const guess = p.guess((share) => [box.x + box.w, scale.y(share)]);
  const runs = p.runs ?? [];
  const veiled = p.veiled();
  const about = p.model.get("about");
  const names = [];
  runs.forEach((run, i) => {
    const { name, rights } = run;
    const tone = color[TONES[name] ?? "ink"];
    const last = i === runs.length - 1;
    const points = rights.map((_, step) => {
      const part = rights.slice(Math.max(0, step - SMOOTH + 1), step + 1);
      return [scale.x(step + 1), scale.y(part.reduce((a, b) => a + b, 0) / part.length)];
    });
    if (veiled && name === about) return;
    if (points.length > 1) p.stroke(points, tone, last ? 2.8 : 1.4, DASHES[name]);
    if (!points.length) return;
    if (last) p.dot(...points.at(-1), tone, 4.5);
    if (run.ended && !names.some((one) => one.name === name)) names.push({ name, y: scale.y(run.right), tone });
  });
  if (veiled) p.veil(box.x + box.w - 10, box.y, 20, box.h);
  names.sort((a, b) => a.y - b.y);
  let above = -Infinity;
  for (const { name, y, tone } of names) {
    const at = Math.max(y, above + 13);
    above = at;
    for (const share of p.model.get("record")[name] ?? []) p.dot(box.x + box.w + 12, scale.y(share), tone, 2.6);
    p.text(name, box.x + box.w + 20, at, { color: tone, weight: 600, size: 12 });
  }
  return guess;
}
