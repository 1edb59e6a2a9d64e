// A cursor by itself shows its sliders and no picture.
export default view({});
