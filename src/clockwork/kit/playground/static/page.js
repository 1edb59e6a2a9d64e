// The playground: choices, a bet, and pictures of a model while it learns.
import { button, element, keepKeys } from "./elements.js";
import { Pen } from "./pen.js";
import { drawCode, drawCurves, drawMaps, drawText, mapBoxes, TEXT_HEIGHT, tokenAt } from "./pictures.js";
import { CHOICES, linkOf, said, settingsOf, TOLD } from "./settings.js";
import { Stories } from "./stories.js";
import { BACK, TASKS } from "./tasks.js";
import { FACTORS } from "./training.js";
import { connect } from "./worker.js";

/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("./training.js").Report} Report */

const BETS = ["hardly any better than guessing", "somewhere in between", "nearly all: at least .95"];
const HARDLY = 0.25; // of the way from guessing to all
const NEARLY = 0.95;
const GHOSTS = 6; // earlier runs that stay in the picture
const NARROW = 720; // CSS pixels
const HEIGHT = 256; // of a picture, in CSS pixels
const CODE_HEIGHT = 218; // of the one that stands below two lines of words
const WORDS = [
  ["Loss", "How unlikely the model finds the right answers. Training makes it smaller."],
  ["Listening", "The field's word is attention. A letter takes in what others hold, from each in its share."],
];
/** @type {Record<string, string>} */
const QUESTIONS = {
  "three back": `Under each letter the model writes the letter that stood ${["", "one", "two", "three"][BACK]} places earlier.`,
  "who came first": "The model says which stood first in the text, A or B. The other letters mean nothing.",
};

/**
 * Which of the bets a share of right answers wins.
 * @param {string} task
 * @param {number} share
 */
export function outcome(task, share) {
  const { chance } = TASKS[task];
  if (share >= NEARLY) return 2;
  return share < chance + HARDLY * (1 - chance) ? 0 : 1;
}

/**
 * What went wrong, in words a reader can act on.
 * @param {string} trouble
 * @param {Settings} settings
 * @param {number} loss
 */
export function sorry(trouble, { task, rate, length }, loss) {
  const { nats } = TASKS[task];
  if (trouble === "diverged") {
    const now = Number.isFinite(loss) ? `grew to ${loss.toFixed(1)}` : "is no number any more";
    return `Stopped: the loss ${now}; guessing costs ${nats.toFixed(2)}. With a learning rate of ${rate} the steps are too large for this model. Take a smaller rate.`;
  }
  if (trouble === "too large")
    return `This model does not fit into the memory of the page: it is tested at ${4 * length} letters as well. Take a shorter text, fewer heads or fewer layers. Your choices are still here.`;
  return `The training stopped: ${trouble}`;
}

export class Playground {
  /**
   * @param {HTMLElement} root
   * @param {{ settings?: Partial<Settings>, link?: boolean, stories?: boolean }} [options] `link`: whether the page's
   *   address holds the settings
   */
  constructor(root, { settings = {}, link = false, stories = true } = {}) {
    const given = Object.entries(settings).map(([name, value]) => [name, String(value)]);
    const asked = settingsOf(link ? location.hash : String(new URLSearchParams(given)));
    this.root = root;
    this.link = link;
    /** @type {Settings} */
    this.settings = asked.settings;
    /** @type {Report | undefined} */
    this.report = undefined;
    /** @type {{ tests: import("./training.js").Test[], key: string }[]} */
    this.former = [];
    this.at = 8;
    this.id = 0;
    this.running = false;
    this.stuck = false; // whether there is no model to train
    /** @type {number | undefined} */
    this.bet = undefined;
    /** @type {Set<string>} */
    this.told = new Set();
    this.frame = 0;
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.play = button("Train", () => this.toggle(), "pg-play");
    this.fields = CHOICES.map((choice) => this.field(choice));
    this.question = element("p", { class: "pg-question" });
    this.toldOfCode = element("p", { class: "pg-told" });
    this.betting = element("div", { class: "pg-bet" });
    this.line = element("p", { class: "pg-line" });
    this.status = element("p", { class: "pg-status", role: "status" });
    this.pens = Object.fromEntries(
      ["text", "code", "maps", "curves"].map((name) => [name, new Pen(element("canvas", { role: "img" }))]),
    );
    for (const [name, { canvas }] of Object.entries(this.pens))
      canvas.style.height = `${name === "text" ? TEXT_HEIGHT : HEIGHT}px`; // before the first report, too
    this.stories = stories ? new Stories(this) : undefined;
    this.build();
    this.engine = connect((told) => this.hear(told));
    this.restart();
    if (asked.unknown.length) this.tell(`Not to be had here: ${asked.unknown.join(", ")}.`);
    const redraw = () => this.draw();
    this.watching = new ResizeObserver(redraw);
    this.watching.observe(root);
    this.themes = new MutationObserver(redraw);
    for (const node of [document.documentElement, document.body])
      this.themes.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class"] });
    this.onHash = () => {
      const { settings: wanted } = settingsOf(location.hash);
      if (linkOf(wanted) !== linkOf(this.settings)) this.set(wanted);
    };
    if (link) addEventListener("hashchange", this.onHash);
  }

  end() {
    this.engine.end();
    this.watching.disconnect();
    this.themes.disconnect();
    removeEventListener("hashchange", this.onHash);
  }

  build() {
    this.root.classList.add("pe", "pg");
    keepKeys(this.root);
    const again = button("Another seed", () => this.another());
    const step = button("One step", () => this.engine.say({ step: 1 }));
    const main = this.fields.filter(({ choice }) => choice.main).map(({ label }) => label);
    const rest = this.fields.filter(({ choice }) => !choice.main).map(({ label }) => label);
    const text = this.pens.text.canvas;
    text.tabIndex = 0;
    text.setAttribute("role", "slider");
    text.setAttribute("aria-valuemin", "0");
    text.addEventListener("pointermove", (event) => this.point(event));
    text.addEventListener("pointerdown", (event) => this.point(event));
    text.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.choose(this.at + by);
    });
    this.pens.maps.canvas.addEventListener("pointermove", (event) => this.pointAtMap(event));
    this.pens.maps.canvas.addEventListener("pointerdown", (event) => this.pointAtMap(event));
    /** @type {(name: string, title: string, ...above: HTMLElement[]) => HTMLElement} */
    const panel = (name, title, ...above) =>
      element("section", { class: `pg-panel pg-${name}` }, element("h3", {}, title), ...above, this.pens[name].canvas);
    const terms = [...CHOICES.map(({ label, means }) => [label, means]), ...WORDS];
    const words = terms.flatMap(([label, means]) => [element("dt", {}, label), element("dd", {}, means)]);
    const meaning = element(
      "details",
      {},
      element("summary", {}, "What these words mean"),
      element("dl", {}, ...words),
    );
    const bar = element("div", { class: "pg-bar" }, this.play, step, again, ...main);
    const more = element("div", { class: "pg-bar pg-more" }, ...rest);
    if (this.link) {
      const copy = button("Copy a link to this", () => {
        const done = navigator.clipboard?.writeText(location.href);
        void done?.then(
          () => this.tell("The link is copied. It holds all of these choices."),
          () => this.tell("The address of this page holds all of these choices: copy it from there."),
        );
      });
      more.append(copy);
    }
    more.append(this.line);
    if (this.stories) bar.append(this.stories.label);
    this.root.append(
      bar,
      ...(this.stories ? [this.stories.panel] : []),
      this.question,
      element("div", { class: "pg-said" }, this.betting, this.status),
      element("div", { class: "pg-text" }, text),
      element(
        "div",
        { class: "pg-panels" },
        panel("code", "What it is told of positions", this.toldOfCode),
        panel("maps", "Whom each letter listens to"),
        panel("curves", "What it gets right"),
      ),
      more,
      meaning,
    );
  }

  /** @param {import("./settings.js").Choice} choice */
  field(choice) {
    const select = element("select", { "data-name": choice.name });
    for (const [place, value] of choice.values.entries())
      select.append(element("option", { value: place }, said(choice, value)));
    select.addEventListener("change", () => this.set({ [choice.name]: choice.values[Number(select.value)] }));
    const label = element(
      "label",
      { class: "pg-field", title: choice.means },
      element("span", {}, choice.label),
      select,
    );
    return { choice, select, label };
  }

  /** @param {Partial<Settings>} news */
  set(news) {
    this.settings = { ...this.settings, ...news };
    this.restart();
  }

  another() {
    const { values } = /** @type {import("./settings.js").Choice} */ (CHOICES.find(({ name }) => name === "seed"));
    this.settings = { ...this.settings, seed: values[(values.indexOf(this.settings.seed) + 1) % values.length] };
    this.restart();
    this.engine.say({ run: true });
    this.running = true;
    this.face();
  }

  toggle() {
    if (this.report?.ended) this.restart();
    this.running = !this.running;
    this.engine.say({ run: this.running });
    this.face();
  }

  /** Begin anew, with the choices as they are now. */
  restart() {
    if (this.report && this.report.tests.length > 2) {
      const key = JSON.stringify([this.settings.task, this.report.tests[0].texts]);
      this.former = [...this.former, { tests: this.report.tests, key }].slice(-GHOSTS);
    }
    this.former = this.former.filter(({ key }) => key.startsWith(JSON.stringify([this.settings.task]).slice(0, -1)));
    this.running = false;
    this.stuck = false;
    this.bet = undefined;
    this.told.clear();
    this.id += 1;
    this.at = Math.min(this.at, this.settings.length - 1);
    this.tell("");
    this.engine.say({ start: { ...this.settings }, id: this.id });
    if (this.link) history.replaceState(null, "", linkOf(this.settings) || location.pathname + location.search);
    for (const { choice, select, label } of this.fields) {
      select.value = String(choice.values.indexOf(this.settings[choice.name]));
      label.hidden = Boolean(choice.only && !choice.only.includes(this.settings.code));
    }
    this.question.textContent = QUESTIONS[this.settings.task];
    this.toldOfCode.textContent = TOLD[this.settings.code];
    this.offerBets();
    this.face();
  }

  offerBets() {
    const { steps } = this.settings;
    const asks = `Your bet: after ${steps} steps, how many answers will be right?`;
    const bets = BETS.map((words, bet) =>
      button(words, () => {
        this.bet = bet;
        this.play.focus({ preventScroll: true }); // the button that has it goes
        this.betting.replaceChildren(element("span", {}, `You bet: ${words}.`));
        if (!this.running) this.toggle();
      }),
    );
    this.betting.replaceChildren(element("span", {}, asks), ...bets);
  }

  face() {
    this.play.textContent = this.running ? "Pause" : this.report?.ended ? "Train again" : "Train";
    this.play.classList.toggle("pg-on", this.running);
    this.play.disabled = this.stuck;
    this.root.classList.toggle("pg-stuck", this.stuck);
  }

  /** @param {import("./worker.js").Told} told */
  hear(told) {
    if (told.id !== this.id) return;
    if (told.step === undefined) {
      this.running = false;
      this.stuck = true;
      this.betting.replaceChildren();
      this.face();
      this.tell(sorry(told.trouble, this.settings, NaN));
      return;
    }
    this.report = told;
    if (told.ended) this.running = false; // before, the reader's wish counts: a report may have been on its way
    this.milestones(told);
    this.face();
    if (told.running && this.bet === undefined) this.betting.replaceChildren();
    this.count(told);
    if (!this.reduced.matches || !told.running) this.draw();
    this.stories?.hear(told);
  }

  /**
   * Say once what has happened, for eyes and for screen readers.
   * @param {Report} report
   */
  milestones(report) {
    const { task, length } = this.settings;
    const { chance, nats } = TASKS[task];
    const last = report.tests[report.tests.length - 1];
    /** @type {string[]} */
    const now = []; // one report can pass several milestones: each is said
    /** @type {(name: string, words: string) => void} */
    const once = (name, words) => {
      if (this.told.has(name)) return;
      this.told.add(name);
      now.push(words);
      this.tell(now.join(" "));
    };
    if (report.step > 10 && report.loss < nats / 2)
      once("half", `Step ${report.step}: the loss has fallen below half of what guessing costs.`);
    if (last.accuracy[0] >= NEARLY)
      once(
        "nearly",
        `Step ${last.step}: ${last.accuracy[0].toFixed(2)} of the answers at ${length} letters are right.`,
      );
    if (!report.ended) return;
    if (report.trouble) return once("end", sorry(report.trouble, this.settings, report.loss));
    const found = FACTORS.map((factor, k) => `${last.accuracy[k].toFixed(2)} at ${factor * length} letters`).join(", ");
    const verdict = outcome(task, last.accuracy[0]);
    const bet =
      this.bet === undefined ? "" : this.bet === verdict ? " You bet right." : ` You bet otherwise: ${BETS[this.bet]}.`;
    const still = verdict === 0 ? ` Guessing gives ${chance.toFixed(2)}. Would more steps help?` : "";
    once("end", `After ${report.step} steps, the share of right answers is ${found}.${still}${bet}`);
  }

  /** @param {string} words */
  tell(words) {
    this.status.textContent = words;
  }

  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const { report, settings, pens } = this;
      if (!report || !this.root.clientWidth) return;
      const narrow = this.root.clientWidth < NARROW;
      const spoken = {
        text: drawText(pens.text, settings, report, this.at),
        code: drawCode(pens.code, settings, report, CODE_HEIGHT),
        maps: drawMaps(pens.maps, settings, report, this.at, narrow ? Math.min(360, this.root.clientWidth) : HEIGHT),
        curves: drawCurves(pens.curves, settings, report, this.former, HEIGHT),
      };
      if (!report.running) for (const [name, words] of Object.entries(spoken)) this.name(name, words);
    });
  }

  /** @param {Report} report */
  count({ step, loss, parameters, busy }) {
    const parts = [`Step ${step} of ${this.settings.steps}${step ? `, loss ${loss.toFixed(3)}` : ""}`];
    parts.push(`${parameters.toLocaleString("en")} weights`);
    if (busy > 100) parts.push(`${Math.round((1000 * step) / busy)} steps a second`);
    this.line.textContent = parts.join(" · ");
    this.root.dataset.where = this.engine.where;
  }

  /** @param {string} name @param {string} words */
  name(name, words) {
    const { canvas } = this.pens[name];
    if (name !== "text") return canvas.setAttribute("aria-label", words);
    canvas.setAttribute("aria-label", "chosen letter");
    canvas.setAttribute("aria-valuemax", String(this.settings.length - 1));
    canvas.setAttribute("aria-valuenow", String(this.at));
    canvas.setAttribute("aria-valuetext", words);
  }

  /** @param {number} at */
  choose(at) {
    const next = Math.max(0, Math.min(this.settings.length - 1, at));
    if (next === this.at) return;
    this.at = next;
    this.draw();
  }

  /** @param {PointerEvent} event */
  point(event) {
    this.choose(tokenAt(this.pens.text, this.settings.length, this.at, event.offsetX));
  }

  /** @param {PointerEvent} event */
  pointAtMap(event) {
    const pen = this.pens.maps;
    const { layers, heads, length } = this.settings;
    for (const { x, y, w, h } of mapBoxes(pen.w, pen.h, layers, heads))
      if (event.offsetX >= x && event.offsetX < x + w && event.offsetY >= y && event.offsetY < y + h)
        this.choose(Math.floor(((event.offsetY - y) / h) * length));
  }
}
