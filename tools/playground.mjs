// The playground's engine outside a page: one request in JSON a line on stdin, one answer a line on stdout.
import { createInterface } from "node:readline";
import { Memory } from "../src/clockwork/kit/playground/static/memory.js";
import { Random } from "../src/clockwork/kit/playground/static/numbers.js";
import { CHOICES, DEFAULTS, linkOf, settingsOf } from "../src/clockwork/kit/playground/static/settings.js";
import { STORIES, told } from "../src/clockwork/kit/playground/static/stories.js";
import { argmax } from "../src/clockwork/kit/playground/static/tape.js";
import { Training } from "../src/clockwork/kit/playground/static/training.js";
import { Transformer } from "../src/clockwork/kit/playground/static/transformer.js";
import { packed, revived } from "../src/clockwork/kit/playground/static/weights.js";

const memories = { true: new Memory(), false: new Memory({ simd: false }) };

const requests = {
  // A whole training, as the page runs it.
  train({ settings, simd = true }) {
    const memory = memories[simd];
    const begun = process.cpuUsage();
    const training = new Training(settings, memory);
    while (!training.work.next().done);
    const { user, system } = process.cpuUsage(begun);
    const { tests, losses, rights, trouble } = training;
    return { tests, losses, rights, trouble, cpu: (user + system) / 1e6, simd: Boolean(memory.kernel) };
  },

  // How many steps and seconds of CPU it takes until a test finds this share of answers right, tests included.
  reach({ settings, share }) {
    const begun = process.cpuUsage();
    const training = new Training(settings, memories[true]);
    let ended = false;
    while (!ended && !(training.tests.at(-1)?.accuracy[0] >= share)) ended = Boolean(training.work.next().done);
    const { user, system } = process.cpuUsage(begun);
    return { reached: !ended, step: training.step, cpu: (user + system) / 1e6 };
  },

  // What a model with given weights makes of a batch: its logits, loss and gradients, then the losses of some steps.
  compare({ settings, weights, tokens, targets, batch, steps, simd = true, options }) {
    const model = new Transformer(settings, memories[simd]);
    const load = () => {
      for (const [name, values] of Object.entries(weights)) {
        if (values.length !== model.weights[name].data.length) throw new RangeError(`${name} has another size`);
        model.weights[name].data.set(values);
      }
    };
    load();
    const logits = [...model.forward(tokens, batch, options).logits.data];
    if (!targets) return { logits };
    const { loss } = model.score(tokens, targets, batch, true);
    model.grads.fill(0);
    model.tape.backward();
    const gradients = Object.fromEntries(Object.entries(model.weights).map(([name, { grad }]) => [name, [...grad]]));
    load();
    const losses = Array.from({ length: steps }, () => model.learn(tokens, targets, batch));
    return { logits, loss, gradients, losses, names: Object.keys(model.weights), simd: Boolean(model.memory.kernel) };
  },

  // A model that learns *three back*: the share of right answers in 20 texts of 24 symbols, its first layer's queries
  // turned as if they stood earlier, so that it should name the symbol `back` places back.
  knob({ settings, backs }) {
    const training = new Training(settings, memories[true]);
    while (!training.work.next().done);
    const texts = Array.from({ length: 20 }, (_, n) => new Random(n)).map((random) =>
      Int32Array.from({ length: 24 }, () => random.below(16)),
    );
    const right = backs.map((back) => {
      let [named, all] = [0, 0];
      for (const tokens of texts) {
        const asked = Array.from(tokens, (_, i) => Math.max(0, i - (back - 3)));
        const { logits } = training.model.forward(tokens, 1, { asked });
        for (let i = back; i < tokens.length; i += 1, all += 1)
          named += Number(argmax(logits.data.subarray(16 * i, 16 * i + 16)) === tokens[i - back]);
      }
      return named / all;
    });
    return { right };
  },

  // The logits of a kept model for one text, with its words at `positions`, those that look as if at `asked`.
  steer({ kept, tokens, positions, asked }) {
    const model = revived(kept, memories[true]);
    return { logits: [...model.forward(tokens, 1, { positions, asked }).logits.data] };
  },

  // The guided experiments, with what each step tells of recorded runs.
  stories() {
    const steps = (story) => story.steps.map((step) => ({ ...step, told: told(step.settings, step.half) }));
    return { stories: STORIES.map((story) => ({ title: story.title, steps: steps(story) })) };
  },

  // Every value of every choice: the link that holds it, and what a page makes of that link.
  links() {
    const rows = CHOICES.flatMap(({ name, values }) => values.map((value) => ({ name, value })));
    const kept = ({ name, value }) => ({ name, value, link: linkOf({ ...DEFAULTS, [name]: value }) });
    return { links: rows.map(kept).map((row) => ({ ...row, ...settingsOf(row.link) })), defaults: DEFAULTS };
  },

  // A model of the engine's own as it is kept, and the numbers that it was.
  keep({ settings }) {
    const model = new Transformer(settings, memories[true]);
    const numbers = Object.fromEntries(Object.entries(model.weights).map(([name, { data }]) => [name, [...data]]));
    return { ...packed(model), numbers };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { request, ...given } = JSON.parse(line);
  console.log(JSON.stringify(requests[request](given)));
}
