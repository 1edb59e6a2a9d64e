// What the browser tests ask of a page. No time is measured here.
const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

function hashOf(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let hash = 2166136261;
  for (const word of new Uint32Array(data.buffer)) hash = Math.imul(hash ^ word, 16777619);
  return hash;
}

const peers = (root) => [...document.querySelectorAll(".pe")].map((r) => r.getBoundingClientRect().height).join();

function stateOf(root) {
  const canvas = root.querySelector("canvas");
  const listed = (v) => (typeof v === "number" ? [v] : Array.from(v).flat(9));
  const shown = Object.fromEntries(Object.entries(root.shown ?? {}).map(([k, v]) => [k, listed(v)]));
  return { alt: canvas?.getAttribute("aria-label") ?? null, shown, hash: canvas ? hashOf(canvas) : null };
}

// Move one slider over every step it has; report what its own picture did and which other sliders followed.
async function sweep(input) {
  const root = input.closest(".pe"),
    output = input.parentElement.querySelector("output");
  const others = [...document.querySelectorAll(`.pe-slider input[data-name="${input.dataset.name}"]`)].filter(
    (i) => i !== input,
  );
  const start = input.value,
    heights = new Set(),
    steps = [];
  for (let place = Number(input.min); place <= Number(input.max); place += 1) {
    input.value = place;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await frame();
    heights.add(peers());
    steps.push({ place, told: output.textContent, named: input.getAttribute("aria-valuetext"), ...stateOf(root) });
  }
  const followed = others.filter((i) => i.value === input.value);
  input.value = start;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
  await frame();
  for (const one of [input, ...followed]) one.dataset.swept = "yes";
  return { steps, heights: heights.size, drawn: Boolean(root.querySelector("canvas")) };
}

Object.assign(window, { frame, peers, stateOf, sweep });
