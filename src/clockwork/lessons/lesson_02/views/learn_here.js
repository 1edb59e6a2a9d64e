// Models that learn in the page, one after another: the loss of each, as it happens.
import { view } from "../../../kit/widgets/static/kit.js";

const CODES = { "the sinusoid": "sinusoid", "a random table": "random", "no code": "none" };
const TONES = { "the sinusoid": "sin", "a random table": "green", "no code": "grey" };
const HALF = 0.5; // of the loss of guessing: the fall
const SMOOTH = 5; // steps over which the drawn loss is averaged
const MOST = 3.2; // nats: the height of the picture

export default view({
  height: (w) => (w >= 620 ? 300 : 260),
  draw(p) {
    const { steps, task } = p.model.get("settings");
    const { nats } = engine.TASKS[task];
    const { color } = p;
    const box = { x: 40, y: 22, w: p.w - 60, h: p.h - 66 };
    const scale = p.axes(box, {
      x: [0, steps],
      y: [0, MOST],
      xticks: [0, 50, 100, 150, 200].filter((step) => step <= steps),
      yticks: [0, 1, 2, 3],
      xlabel: "training step",
      ylabel: "loss (nats per answer)",
    });
    p.line(box.x, scale.y(nats), box.x + box.w, scale.y(nats), color.pink, 1, [5, 4]);
    p.text("guessing", box.x + box.w, scale.y(nats) - 9, { color: color.pink, size: 11, align: "right" });
    const runs = p.runs ?? [];
    runs.forEach(({ code, losses }, i) => {
      const last = i === runs.length - 1;
      const tone = color[TONES[code]];
      const points = losses.map((_, step) => {
        const part = losses.slice(Math.max(0, step - SMOOTH + 1), step + 1);
        return [scale.x(step + 1), scale.y(Math.min(MOST, part.reduce((a, b) => a + b, 0) / part.length))];
      });
      if (points.length > 1) p.stroke(points, tone, last ? 2.6 : 1.1);
      if (last && points.length) p.dot(...points.at(-1), tone, 5);
    });
    const now = runs.at(-1);
    const ended = (p.runs ?? []).filter((run) => run.ended);
    const falls = ended.map((run) => run.losses.findIndex((loss) => loss < HALF * nats) + 1);
    const code = p.get("code");
    const alt = !now
      ? `Added to each token: ${code}. Nothing has been trained yet; guessing costs ${nats.toFixed(2)} nats.`
      : now.ended
        ? `Added: ${now.code}, seed ${now.seed}. After ${steps} steps ${now.right.toFixed(2)} of the answers are right.`
        : `Added: ${now.code}, seed ${now.seed}, learning.`;
    const told = ended.map(
      (run, i) =>
        `seed ${run.seed}${run.code === "the sinusoid" ? "" : `, ${run.code}`}: ${falls[i] ? `below half of guessing at step ${falls[i]}` : "never below half of guessing"}`,
    );
    const reading = [now ? `${alt} ${told.length > 1 ? told.slice(-4).join("; ") + "." : ""}` : "Press Train."];
    return { alt, numbers: {}, reading, seen: ended.length > 1 };
  },
  build(p) {
    p.runs = [];
    let id = 0;
    let running = false;
    const worker = engine.connect((told) => {
      const run = p.runs.at(-1);
      if (!run || told.id !== id || told.step === undefined) return;
      run.losses = told.losses;
      run.right = told.tests.at(-1).accuracy[0];
      run.ended = told.ended;
      if (told.ended) running = false;
      face();
      p.redraw();
    });
    p.stop.addEventListener("abort", () => worker.end());
    const begin = () => {
      const code = p.get("code");
      const settings = p.model.get("settings");
      const seed = p.runs.filter((run) => run.code === code && (run.ended || run.losses.length)).length;
      p.runs = p.runs.filter((run) => run.ended);
      id += 1;
      p.runs.push({ code, seed, losses: [], ended: false, right: 0 });
      worker.say({ start: { ...settings, code: CODES[code], rows: 4 * settings.length, seed }, id });
      worker.say({ run: true });
      running = true;
      face();
      p.redraw();
    };
    const button = p.button("Train", () => {
      if (!running) begin();
    });
    const face = () => {
      button.textContent = running ? "learning …" : p.runs.length ? "Train another seed" : "Train";
      button.setAttribute("aria-disabled", String(running));
    };
    face();
  },
});
