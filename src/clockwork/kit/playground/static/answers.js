// What a view needs of the engine to let a trained model answer, or to train one.
export { Memory } from "./memory.js";
export { argmax } from "./tape.js";
export { Training } from "./training.js";
export { revived } from "./weights.js";
