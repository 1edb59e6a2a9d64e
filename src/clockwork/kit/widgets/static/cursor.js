// A cursor by itself shows its sliders and no picture.
import { view } from "./kit.js";

export default view({});
