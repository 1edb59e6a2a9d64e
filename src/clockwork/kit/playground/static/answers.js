// What a view needs of the engine to let a trained model answer.
export { silenced, turnedScores, turningPart } from "./head.js";
export { Memory } from "./memory.js";
export { Random } from "./numbers.js";
export { argmax } from "./tape.js";
export { revived } from "./weights.js";
