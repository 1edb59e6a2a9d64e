// What a view needs of the engine to let a model learn in the page.
export { TASKS } from "./tasks.js";
export { connect, serveWorker } from "./worker.js";
