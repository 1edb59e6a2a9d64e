// The reader's own rotation: he types it, two models learn with it, and it turns the head that one of them has learned.
import { editor } from "../../../kit/machine/editor.js";
import { lampList, lampsOf, lampsSaid } from "../../../kit/machine/lamps.js";
import { drawRace } from "../../../kit/machine/race.js";
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";

const WIDE = 720;
const LEARNED_BACK = 3;
const PULL = 24; // CSS pixels by which tom is pulled before he walks past the others
const SMALL = 8; // megabytes
const HEAD = 136; // CSS pixels that the head's text takes
const HURT = 110; // and the sentence
const SENTENCES = { first: ["tom", "bit", "a", "dog"], last: ["dog", "bit", "a", "tom"] };
const ASKED = ["dog", "tom"];
const letterOf = (token) => String.fromCharCode(97 + token);

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? HEAD + HURT + 16 : HEAD + HURT + 210),
  draw(p) {
    const wide = p.w >= WIDE;
    const race = wide ? { x: 40, y: 24, w: 0.26 * p.w, h: p.h - 68 } : { x: 40, y: 24, w: p.w - 132, h: 120 };
    drawRace(p, race, engine.TASKS["three back"]);
    const left = wide ? race.x + race.w + 116 : 4;
    const box = { x: left, y: wide ? 0 : 202, w: p.w - left - 4 };
    const head = drawHead(p, box);
    const hurt = drawHurt(p, { ...box, y: box.y + HEAD + 8 });
    const lamps = (p.lamps ??= lampsOf(p.found ?? p.model.get("found"), "rotate"));
    const now = p.runs.at(-1);
    const learned = now?.ended && `After ${now.rights.length} steps ${fixed(now.right)} of the answers are right`;
    const told = now ? [learned || "Learning", head.told, hurt.told].filter(Boolean) : ["Nothing has been trained yet"];
    const asked = `${p.get("back")} back; ${SENTENCES[p.get("tom")].join(" ")}`;
    return {
      alt: `${p.name}: ${lampsSaid(lamps)}. ${asked}. ${told.join("; ")}`,
      numbers: { lamps: lamps.flatMap(({ numbers }) => numbers) },
      seen: head.all && p.get("back") !== LEARNED_BACK,
    };
  },
  build(p) {
    const lamps = lampList();
    p.name = p.model.get("first");
    p.runs = [];
    p.models = {}; // that have learned with the last text: by the name of their task
    const memories = [0, 1].map(() => new engine.Memory({ megabytes: SMALL }));
    const dim = () => lamps.show();
    lamps.show(lampsOf(p.model.get("found"), "rotate"));
    const { say } = editor(p, { label: "Your rotation: a function of q and the position p", take, dim });
    p.root.querySelector(".pe-editor").append(lamps.list);

    function take(found, name) {
      p.found = found;
      p.name = name;
      p.lamps = lampsOf(found, "rotate");
      p.models = {};
      lamps.show(p.lamps);
      p.runs = p.runs.filter((run) => run.ended);
      const { source } = found;
      const seed = p.runs.filter((run) => run.source === source).length;
      p.runs.push({ name, source, seed, rights: [], ended: false, right: 0 });
      start("settings");
    }

    // One model after the other, each with the matrices of his text and nothing else for places.
    let serial = 0;
    let task = "";
    function start(which) {
      serial += 1;
      const settings = p.model.get(which);
      task = settings.task;
      worker.say({ start: { ...settings, turns: p.found.turns, seed: p.runs.at(-1).seed }, id: serial });
      worker.say({ run: true });
      p.redraw();
    }
    const worker = engine.connect((told) => {
      if (told.id !== serial) return;
      if (told.trouble && told.trouble !== "diverged") return void say(`The training stopped: ${told.trouble}`);
      if (task === p.model.get("settings").task) {
        const { rights, ended, tests } = told;
        Object.assign(p.runs.at(-1), { rights, ended, right: tests.at(-1).accuracy[0] });
      }
      p.redraw();
      if (!told.ended) return;
      const memory = memories[Object.keys(p.models).length];
      p.models[task] = { steered: engine.revived(told.kept, memory), right: told.tests.at(-1).accuracy[0] };
      if (task === p.model.get("settings").task) start("hurt");
    });
    p.stop.addEventListener("abort", () => worker.end());
  },
});

// The text, what the model answers with its queries turned by his own function, and whom the last letter listens to.
function drawHead(p, { x: left, y: top, w }) {
  const { color } = p;
  const tokens = p.model.get("tokens");
  const T = tokens.length;
  const back = p.get("back");
  const step = Math.min(30, w / T);
  const size = Math.min(17, 0.85 * step);
  const x = (i) => left + (i + 0.5) * step;
  const [letters, answers, listens] = [top + 74, top + 98, top + 116];
  tokens.forEach((token, i) => p.text(letterOf(token), x(i), letters, { align: "center", size }));
  const at = p.ease("back", back);
  const lift = Math.min(40, 14 + 3 * at);
  const arc = new Path2D();
  arc.moveTo(x(T - 1), letters - 14);
  arc.bezierCurveTo(x(T - 1), letters - 14 - lift, x(T - 1 - at), letters - 14 - lift, x(T - 1 - at), letters - 14);
  p.stroke(arc, color.here, 2.5);
  p.dot(x(T - 1 - at), letters - 14, color.here, 6);
  p.grab("back", {
    hit: (a, b) => Math.max(0, Math.hypot(a - x(T - 1 - back), (b - letters + 8) / 2) - 8),
    move: (a) => p.set("back", nearest(p.values("back"), T - 1 - (a - left) / step + 0.5)),
    at: [x(T - 1 - at), letters - 14],
    says: "drag: how many places back the head looks",
  });
  const title = { weight: 600, size: 13 };
  const model = p.models["three back"];
  if (!model) {
    p.text(`${back} back`, left, top + 12, title);
    p.hatch(left, answers - 11, step * T, 22);
    p.text("run it: the answers stand here", left + (step * T) / 2, answers, { align: "center", size: 13, halo: true });
    return { told: "", all: false };
  }
  const by = back - LEARNED_BACK;
  const asked = tokens.map((_, i) => Math.max(0, i - by)); // where the query's place is put
  const { logits, maps } = model.steered.forward(tokens, 1, { asked });
  let right = 0;
  for (let i = back; i < T; i += 1) {
    const answer = engine.argmax(logits.data.subarray(16 * i, 16 * i + 16));
    const good = answer === tokens[i - back];
    right += Number(good);
    const look = { align: "center", size, weight: good ? 700 : 400, color: good ? color.right : color.wrong };
    p.text(letterOf(answer), x(i), answers, look);
  }
  const map = maps[0].subarray((sharpestOf(maps[0], T) * T + T - 1) * T).slice(0, T);
  const box = { x: left, y: listens, w: step * T, h: 10 };
  p.heat("listens", box, 1, T, (_, j) => map[j], { map: "weights", version: map.join() });
  const all = right === T - back;
  const turned = by ? `, its queries turned as if ${Math.abs(by)} ${by > 0 ? "earlier" : "later"}` : "";
  const told = `${right} of ${T - back} right`;
  p.text(`${back} back: ${told}${w > 420 ? turned : ""}`, left, top + 12, {
    ...title,
    color: all ? color.right : color.ink,
  });
  return { told: `turned to ${back} back ${told}`, all };
}

// The head whose largest weight is largest, averaged over the letters that look.
function sharpestOf(map, T) {
  const heads = map.length / T ** 2;
  const sharp = Array.from({ length: heads }, (_, h) => {
    let sum = 0;
    for (let i = 0; i < T; i += 1) sum += Math.max(...map.subarray((h * T + i) * T, (h * T + i + 1) * T));
    return sum;
  });
  return sharp.indexOf(Math.max(...sharp));
}

// Four words in two orders, and what the other model answers.
function drawHurt(p, { x: left, y: top, w }) {
  const { color, ctx } = p;
  const order = p.get("tom");
  const words = SENTENCES[order];
  const step = Math.min(110, w / 4);
  const x = (place) => left + (place + 0.5) * step;
  const line = top + 40;
  p.text("who is hurt?", left, top + 10, { weight: 600, size: 13 });
  p.line(x(0), line + 14, x(3), line + 14, color.line);
  const moved = p.ease("tom", order === "first" ? 0 : 3);
  const places = { tom: moved, bit: 1, a: 2, dog: 3 - moved };
  for (const word of words) {
    const place = places[word];
    p.dot(x(place), line + 14, word === "tom" ? color.here : color.ink, word === "tom" ? 6 : 3);
    const near = word === "tom" || word === "dog" ? 14 * Math.sin((Math.PI * moved) / 3) : 0;
    p.text(word, x(place), line - (word === "tom" ? near : -0.2 * near), {
      align: "center",
      size: 18,
      weight: word === "tom" ? 700 : 400,
      color: word === "tom" ? color.here : color.ink,
    });
  }
  p.grab("tom", {
    hit: (a, b) => Math.max(0, Math.hypot(a - x(moved), b - line - 6) - 22),
    move(a, b, begun) {
      const pulled = a - begun.x;
      if (Math.abs(pulled) > PULL) p.set("tom", pulled > 0 ? "last" : "first");
    },
    says: `drag: tom stands ${order}`,
  });
  const y = top + 86;
  const [from, to] = [left + 84, left + Math.min(w, 4 * step) - 84];
  const model = p.models["who is hurt"];
  const shares = model && sharesOf(model.steered, words);
  const named = (row) => (shares ? `${ASKED[row]} ${fixed(shares[row])}` : ASKED[row]);
  const answer = shares && (shares[0] >= shares[1] ? 0 : 1);
  const style = (row) => ({ size: 15, weight: answer === row ? 700 : 400 });
  p.text(named(0), left, y, style(0));
  p.text(named(1), to + 84, y, { ...style(1), align: "right" });
  if (!shares) {
    p.hatch(from, y - 10, to - from, 20);
    return { told: "" };
  }
  const middle = from + (to - from) * p.ease("dog", shares[0] / (shares[0] + shares[1]));
  ctx.fillStyle = answer ? color.line : color.green;
  ctx.fillRect(from, y - 10, middle - from - 1, 20);
  ctx.fillStyle = answer ? color.green : color.line;
  ctx.fillRect(middle + 1, y - 10, to - middle - 1, 20);
  p.line((from + to) / 2, y - 14, (from + to) / 2, y + 14, color.soft, 1);
  return { told: `who is hurt? ${ASKED[answer]}, ${fixed(shares[answer])}` };
}

// The probabilities of the two names, from the mean over the four words.
function sharesOf(model, words) {
  const { HURT_WORDS } = engine;
  const tokens = words.map((word) => HURT_WORDS.indexOf(word));
  const { logits } = model.forward(tokens, 1);
  const sums = HURT_WORDS.map(
    (_, n) => tokens.reduce((sum, _t, i) => sum + logits.data[i * HURT_WORDS.length + n], 0) / 4,
  );
  const best = Math.max(...sums);
  const all = sums.reduce((sum, value) => sum + Math.exp(value - best), 0);
  return ASKED.map((word) => Math.exp(sums[HURT_WORDS.indexOf(word)] - best) / all);
}
