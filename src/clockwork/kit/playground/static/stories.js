// The guided experiments: each a story of three steps with a bet. What a step tells of other seeds comes from recorded
// runs of the same settings (recorded.js).
import { button, element } from "./elements.js";
import { RECORDED } from "./recorded.js";
import { DEFAULTS, linkOf } from "./settings.js";

/** @typedef {import("./settings.js").Settings} Settings */
/**
 * `right`: which offer wins. `half`: whether the step at which the loss is halved belongs to the story.
 * @typedef {{ says: string, settings: Partial<Settings>, asks: string, offers: string[], right: number, after: string,
 *   half?: boolean }} Step
 */

/** @type {Partial<Settings>} */
const FIRST = { task: "who came first", code: "none" };
/** @type {Partial<Settings>} */
const QUIET = { code: "learned", scale: 0.02 };

/** @type {{ title: string, steps: Step[] }[]} */
export const STORIES = [
  {
    title: "The plateau",
    steps: [
      {
        says: "The model sees a letter and its clock, and must name the letter three places back. Watch the loss.",
        settings: {},
        asks: "How will the loss fall?",
        offers: ["evenly, from the first step on", "it waits, then falls fast", "it stays where it is"],
        right: 1,
        after:
          "For a while next to nothing happens. Then one head finds the shift, and the loss drops. This wait is called a plateau.",
        half: true,
      },
      {
        says: "The same model with other first weights: only the seed is new.",
        settings: { seed: 3 },
        asks: "When does the loss fall this time?",
        offers: ["at exactly the same step", "at another step, just as steeply"],
        right: 1,
        after: "The seed decides when the fall begins. So one run never tells which of two codes learns faster.",
        half: true,
      },
      {
        says: "A learned table instead, drawn so quietly that the letters drown it: loudness 0.02.",
        settings: QUIET,
        asks: "And now, in 300 steps?",
        offers: ["it never leaves the plateau", "it leaves it later"],
        right: 1,
        after: "Later, not never. Stop at step 100 and you would have called this table useless.",
        half: true,
      },
    ],
  },
  {
    title: "Quiet or unwilling?",
    steps: [
      {
        says: "A learned table at loudness 0.02, and only 100 steps.",
        settings: { ...QUIET, steps: 100 },
        asks: "How many answers will be right?",
        offers: ["hardly more than by guessing", "nearly all"],
        right: 0,
        after:
          "It looks as if this table could not be learned. Before you say so, change one thing that is not the table.",
      },
      {
        says: "The same table and the same 100 steps. The learning rate is doubled.",
        settings: { ...QUIET, steps: 100, rate: 0.01 },
        asks: "Does the rate matter?",
        offers: ["no, the table is the trouble", "yes, much more is right"],
        right: 1,
        after: "The table was not unwilling: it needed larger steps.",
      },
      {
        says: "The first rate again, but 300 steps instead of 100.",
        settings: QUIET,
        asks: "And with more time?",
        offers: ["as before", "nearly all is right"],
        right: 1,
        after: "Time helps as well. To compare two codes, give each its own best rate and enough steps.",
      },
    ],
  },
  {
    title: "ALiBi and its slope",
    steps: [
      {
        says: "ALiBi adds no clock. It lowers each score by slope × distance. For a single head the paper's slope is 1/256.",
        settings: { code: "ALiBi", slope: 0.004 },
        asks: "Will one head find the letter three places back?",
        offers: ["yes", "hardly better than guessing"],
        right: 1,
        after: "With so flat a slope all places weigh nearly the same.",
      },
      {
        says: "A steep slope: 0.7 for each letter of distance.",
        settings: { code: "ALiBi", slope: 0.7 },
        asks: "Does the slope matter?",
        offers: ["no, it only ever favours the nearest", "yes, it gets much further"],
        right: 1,
        after:
          "A penalty of 0.7 halves the weight with every letter of distance. So each of the last letters arrives in a share of its own.",
      },
      {
        says: "Steeper still: 2 for each letter.",
        settings: { code: "ALiBi", slope: 2 },
        asks: "Better or worse?",
        offers: ["better", "worse"],
        right: 1,
        after:
          "Three back now starts with a four-hundredth of the weight of the letter itself. A slope that is too steep hears only the nearest.",
      },
    ],
  },
  {
    title: "Past the length",
    steps: [
      {
        says: "A learned table, trained on texts of 24 letters and tested on 48 and 96 as well.",
        settings: { code: "learned" },
        asks: "At 48 letters, how much is right?",
        offers: ["nearly all", "about half"],
        right: 1,
        after: "Rows 24 and up were never trained (grey): whatever stands there is lost.",
      },
      {
        says: "The sinusoid has a row for every position.",
        settings: {},
        asks: "So at 48 letters?",
        offers: ["nearly all is right", "only somewhat more than with the table"],
        right: 1,
        after: "A formula for every position is not yet a model that can use it.",
      },
      {
        says: "Rotary turns queries and keys, so a score knows only how far apart two letters are.",
        settings: { code: "rotary" },
        asks: "At 48 letters?",
        offers: ["nearly all", "about half again"],
        right: 0,
        after: "At four times the length it loses answers too. Lesson 08 asks why.",
      },
    ],
  },
  {
    title: "A mask that counts",
    steps: [
      {
        says: "Who came first, A or B? No position code, and every letter hears all others.",
        settings: { ...FIRST, causal: false },
        asks: "What can the model do?",
        offers: ["only guess", "learn it slowly"],
        right: 0,
        after: "Without a code the text is a bag: A before B is the same bag as B before A.",
      },
      {
        says: "Still no code. But now a letter hears only those before it.",
        settings: FIRST,
        asks: "And now?",
        offers: ["still guessing", "nearly all right"],
        right: 1,
        after: "The mask tells before from after: the later of the two has heard the other one.",
      },
      {
        says: "The mask again, and no code. The task is three back, with 1,200 steps.",
        settings: { code: "none", steps: 1200 },
        asks: "Can the mask count to three?",
        offers: ["yes", "hardly"],
        right: 1,
        after: "Before, yes. How long before, hardly. That is what a position code is for.",
      },
    ],
  },
];

/**
 * What eight seeds did with these settings.
 * @param {Partial<Settings>} settings
 * @param {boolean} half
 */
export function told(settings, half = false) {
  const found = RECORDED[linkOf({ ...DEFAULTS, ...settings, seed: 0 }).slice(1)];
  if (!found) return "";
  /** @param {number[]} ends */
  const range = ([low, high]) => (high - low < 0.005 ? high.toFixed(2) : `${low.toFixed(2)} to ${high.toFixed(2)}`);
  const [one, two, four] = found.accuracy.map(range);
  const fall =
    half && found.half ? ` Their loss was halved between step ${found.half[0]} and step ${found.half[1]}.` : "";
  return `Eight recorded seeds: ${one} right; at twice the length ${two}, at four times ${four}.${fall}`;
}

/** The panel that leads through a story. */
export class Stories {
  /** @param {import("./page.js").Playground} page */
  constructor(page) {
    this.page = page;
    this.story = -1;
    this.step = 0;
    this.settled = false;
    this.verdict = "";
    this.after = element("p", { class: "pg-after" });
    this.select = element("select", {}, element("option", { value: -1 }, "choose one of five"));
    STORIES.forEach(({ title }, place) => this.select.append(element("option", { value: place }, title)));
    this.select.addEventListener("change", () => this.open(Number(this.select.value)));
    this.panel = element("section", { class: "pg-story", "aria-label": "guided experiment" });
    this.panel.hidden = true;
    this.label = element(
      "label",
      { class: "pg-field pg-guide" },
      element("span", {}, "Guided experiment"),
      this.select,
    );
  }

  /**
   * Show a step of a story: its settings, and the bet.
   * @param {number} story
   */
  open(story, step = 0) {
    this.story = story;
    this.step = step;
    this.settled = false;
    this.verdict = "";
    this.panel.hidden = story < 0;
    if (story < 0) return this.page.offerBets();
    const { steps } = STORIES[story];
    const { says, settings, asks, offers, right } = steps[step];
    this.page.set({ ...DEFAULTS, ...settings });
    this.page.betting.replaceChildren();
    this.after = element("p", { class: "pg-after" });
    const bets = element("div", { class: "pg-bet" }, element("span", {}, asks));
    offers.forEach((words, bet) =>
      bets.append(
        button(words, () => {
          this.page.play.focus({ preventScroll: true }); // the button that has it goes
          this.verdict = bet === right ? "You bet right." : `You bet “${words}”.`;
          bets.replaceChildren(element("span", {}, `${asks} You bet: ${words}.`));
          if (!this.page.running) this.page.toggle();
        }),
      ),
    );
    const count = element("strong", {}, `${step + 1} of ${steps.length}. `);
    this.panel.replaceChildren(element("p", {}, count, says), bets, this.after);
  }

  next() {
    this.open(this.story, this.step + 1);
    this.panel.querySelector("button")?.focus({ preventScroll: true }); // the button that had it has gone
  }

  /** @param {import("./training.js").Report} report */
  hear({ ended }) {
    if (this.story < 0 || !ended || this.settled) return;
    const { steps } = STORIES[this.story];
    const { after, settings, half } = steps[this.step];
    if (linkOf(this.page.settings) !== linkOf({ ...DEFAULTS, ...settings })) return; // the reader chose something else
    this.settled = true;
    this.after.append(`${this.verdict} ${after} `, element("small", {}, told(settings, half)));
    if (this.step + 1 < steps.length) this.after.append(button("Next", () => this.next()));
  }
}
