// Where a model trains: in a worker made of this script's own text, which works from file:// as well, or between two
// frames of the page where its policy allows no worker.
import { serve } from "./training.js";

/** @typedef {import("./training.js").Report | import("./training.js").Trouble} Told */
/** @typedef {{ start?: import("./training.js").Settings, id?: number, run?: boolean, step?: number }} Message */

const PAGE_SLICE = 8; // milliseconds: a frame has 16

/**
 * The whole script as a function, where the modules were put into one text (bundle.py).
 * @type {undefined | (() => { serve: typeof serve })}
 */
const bundled = /** @type {any} */ (globalThis).clockworkPlayground;

/**
 * Start the engine; returns what sends it messages, and where it runs.
 * @param {(told: Told) => void} show
 */
export function connect(show) {
  /** @type {Message[]} */
  const said = [];
  const engine = { where: "a worker", say: (/** @type {Message} */ _message) => {}, end: () => {} };
  const here = () => {
    engine.where = "the page";
    engine.say = serve(show, { slice: PAGE_SLICE });
    engine.end = () => engine.say({ run: false });
    for (const message of said.splice(0)) engine.say(message);
  };
  if (!bundled) {
    here();
    return engine;
  }
  try {
    const text = `(${bundled})().serveWorker(self);`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = new Worker(address);
    let works = false;
    worker.onmessage = ({ data }) => {
      if (!works) URL.revokeObjectURL(address);
      works = true;
      show(data);
    };
    worker.onerror = () => {
      if (!works) here(); // a policy that forbids workers says so only after the constructor
    };
    engine.say = (message) => {
      if (!works) said.push(message);
      worker.postMessage(message);
    };
    engine.end = () => worker.terminate();
  } catch {
    here();
  }
  return engine;
}

/**
 * What the worker itself does.
 * @param {{ postMessage: (told: Told) => void, onmessage: ((event: MessageEvent) => void) | null }} scope
 */
export function serveWorker(scope) {
  const handle = serve((told) => scope.postMessage(told));
  scope.onmessage = ({ data }) => handle(data);
}
