// A model that learned "three back", here or before: its one head is turned, and it answers any number back.
const TRAINED_BACK = 3;
const CHANCE = 1 / 16;
const SLICE = 10; // milliseconds of training between two frames
const SMALL = 8; // megabytes
const STEPS = 200;
const LESSON = { task: "three back", code: "sinusoid", layers: 1, heads: 1, d: 32, causal: false, length: 32 };
const letterOf = (token) => String.fromCharCode(97 + token);

function sizesOf(w) {
  const wide = w >= 560;
  const step = Math.min(30, w / 24);
  const text = 66 + 2 * Math.max(24, step);
  const side = wide ? 250 : Math.min(230, w - 60);
  return { wide, step, size: Math.min(17, 0.8 * step), text, side };
}

// What is asked of the picture's model: its answers to the text and whom the head listens to, turned by some tokens.
function answered(p, by) {
  const { model, parts } = p.shown;
  const T = p.tokens.length;
  const scores = parts && engine.turnedScores(model, parts, T, by);
  const { logits, maps } = model.forward(p.tokens, 1, { scores });
  const answers = p.tokens.map((_, i) => engine.argmax(logits.data.subarray(16 * i, 16 * i + 16)));
  return { answers, map: maps[0].slice() };
}

// From now on the head of this model is turned: its own scores give way to those of its turning part.
function turnable(model) {
  const parts = [engine.turningPart(model, 0)];
  engine.silenced(model);
  return { model, parts };
}

export default view({
  height(w) {
    const { wide, text, side } = sizesOf(w);
    return text + 24 + side + (wide ? 0 : 150);
  },
  build(p) {
    p.tokens = p.model.get("tokens");
    p.shown = turnable(engine.revived(p.model.get("kept"), new engine.Memory({ megabytes: SMALL })));
    let seed = 0;
    const knob = p.controls.querySelector("input");
    const button = p.button("Train a model here", () => {
      button.disabled = knob.disabled = true;
      p.set("by", 0);
      train(p, seed, () => {
        button.disabled = knob.disabled = false;
        button.textContent = "Train another";
      });
      seed += 1;
    });
    p.controls.prepend(button);
  },
  draw(p) {
    const { color } = p;
    const { wide, step, size, text, side } = sizesOf(p.w);
    const { tokens } = p;
    const T = tokens.length;
    const by = p.get("by");
    const back = TRAINED_BACK + by;
    const { answers, map } = answered(p, by);
    const right = tokens.filter((_, i) => i >= back && answers[i] === tokens[i - back]).length;
    const at = TRAINED_BACK + p.ease("by", by);
    const moving = at === back ? map : answered(p, at - TRAINED_BACK).map;

    const x = (i) => (p.w - step * T) / 2 + (i + 0.5) * step;
    const [top, below] = [62, 62 + Math.max(24, step)];
    tokens.forEach((token, i) => {
      p.text(letterOf(token), x(i), top, { align: "center", size });
      if (i < back) return;
      const good = answers[i] === tokens[i - back];
      const style = { align: "center", size, weight: good ? 700 : 400, color: good ? color.green : color.cos };
      p.text(letterOf(answers[i]), x(i), below, style);
    });
    const [from, to] = [x(T - 1), x(T - 1 - at)];
    const lift = Math.min(44, 14 + 3 * at);
    const arc = new Path2D();
    arc.moveTo(from, top - 14);
    arc.bezierCurveTo(from, top - 14 - lift, to, top - 14 - lift, to, top - 14);
    p.stroke(arc, color.sin, 2.5);
    p.dot(to, top - 14, color.sin, 5);
    p.grab("asked", {
      hit: (a, b) => Math.max(0, Math.hypot(a - to, (b - top + 8) / 2) - 8),
      move: (a) => p.shown.parts && p.set("by", nearest(p.values("by"), T - 1 - TRAINED_BACK - (a - x(0)) / step)),
      says: "drag: how many places back",
    });

    const box = { x: wide ? 0 : (p.w - side) / 2, y: text + 20, w: side, h: side };
    p.heat("map", box, T, T, (i, j) => moving[i * T + j], {
      map: "magnitude",
      version: [at, p.training?.step ?? "kept", Boolean(p.shown.parts), p.color.theme].join(" "),
    });
    p.text("each row looks at its bright column", box.x, box.y - 12, { size: 12, color: color.soft });
    p.grab("line", {
      wide: true,
      hit: (a, b) => (within(box, a, b) ? 2 : Infinity),
      move: (a, b) => {
        const [row, column] = [(b - box.y) / side, (a - box.x) / side].map((share) => Math.floor(share * T));
        if (p.shown.parts) p.set("by", nearest(p.values("by"), row - column - TRAINED_BACK));
      },
      says: "drag: the bright line",
    });

    const asked = T - back;
    const left = wide ? side + 46 : 0;
    const corner = wide ? box.y + 10 : box.y + side + 24;
    p.text(`${back} back`, left, corner, { size: 20, weight: 600 });
    p.text(`${right} of ${asked} answers right`, p.w, corner, {
      size: 16,
      align: "right",
      weight: 600,
      color: right === asked ? color.green : color.ink,
    });
    curve(p, { x: left + 34, y: corner + 40, w: p.w - left - 50, h: wide ? side - 92 : 62 });
    const named = letterOf(answers[T - 1]);
    const state = `${back} back: ${right} of ${asked} answers are right; the last letter's answer is ${named}`;
    return {
      alt: p.shown.parts ? state : "the model is training",
      numbers: { right: [right], weights: map.subarray((T - 1) * T) },
      said: { right: String(right) },
    };
  },
});

// The share of right answers while a model trains here.
function curve(p, box) {
  const { color, training } = p;
  const { x, y } = p.axes(box, {
    x: [0, STEPS],
    y: [0, 1],
    xticks: [0, STEPS / 2, STEPS],
    yticks: [0, 1],
    ylabel: "share of right answers, by steps of training",
  });
  p.line(box.x, y(CHANCE), box.x + box.w, y(CHANCE), color.soft, 1, [3, 4]);
  p.text("guessing", box.x + box.w, y(CHANCE) - 9, { size: 11, color: color.soft, align: "right" });
  if (!training) return;
  const points = training.tests.map(({ step, accuracy }) => [x(step), y(accuracy[0])]);
  if (points.length > 1) p.stroke(points, color.green, 2.5);
  p.dot(...points.at(-1), color.green, 4);
}

// Train between the frames of the page, and show what the model has learned so far.
function train(p, seed, done) {
  const training = new engine.Training({ ...LESSON, seed, steps: STEPS }, (p.room ??= new engine.Memory()));
  while (!training.tests.length) training.work.next();
  p.training = training;
  p.shown = { model: training.model };
  const frame = () => {
    if (p.stop.aborted) return;
    const begun = performance.now();
    let ended = false;
    while (!ended && performance.now() - begun < SLICE) ended = Boolean(training.work.next().done);
    if (ended) {
      p.shown = turnable(training.model);
      done();
    }
    if (ended || !REDUCED.matches) p.redraw();
    if (!ended) requestAnimationFrame(frame);
  };
  frame();
}
