// What a view needs of the engine to let a model learn in the page, and to steer it then.
export { Memory } from "./memory.js";
export { argmax } from "./tape.js";
export { TASKS, HURT_WORDS } from "./tasks.js";
export { revived } from "./weights.js";
export { connect, serveWorker } from "./worker.js";
