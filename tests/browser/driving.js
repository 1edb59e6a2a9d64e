// What the browser tests ask of a page. No time is measured here.
const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

function hashOf(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let hash = 2166136261;
  for (const word of new Uint32Array(data.buffer)) hash = Math.imul(hash ^ word, 16777619);
  return hash;
}

// How far below its top each picture's handles end: what is in the hand must not move. An idea appears below them.
const peers = () =>
  [...document.querySelectorAll(".pe")]
    .map((root) => {
      const controls = root.querySelector(":scope > .pe-controls");
      const lowest = controls?.offsetHeight ? controls : root; // questions have none
      return lowest.getBoundingClientRect().bottom - root.getBoundingClientRect().top;
    })
    .join();

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

// Wait until the page has come to rest.
async function scrolled() {
  for (let still = 0, last = null; still < 5; last = scrollY) {
    await frame();
    still = scrollY === last ? still + 1 : 0;
  }
}

// The page's views from its top to its end.
const inOrder = () =>
  [...peKit.views].sort((p, q) => (p.root.compareDocumentPosition(q.root) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));

// Where on the screen a pointer, or a finger, takes hold of an area and of no other; null where there is no such place.
function spotOf(i, key, finger = false) {
  const FINGER = 24; // CSS pixels within which a finger grips what is small
  const p = inOrder()[i],
    box = p.canvas.getBoundingClientRect(),
    area = p.areas.get(key);
  const others = [...p.areas].filter(([name, other]) => name !== key && !(finger && other.wide && !area.wide));
  const reach = (other, off) => (finger && area.wide && !other.wide ? FINGER : off);
  let best = { off: Infinity };
  for (let y = 1; y < p.h; y += 4)
    for (let x = 1; x < p.w; x += 4) {
      const off = area.hit(x, y);
      if (off >= 9 || off >= best.off) continue;
      const rivals = others.filter(([, other]) => other.hit(x, y) <= reach(other, off));
      if (off + 20 * rivals.length < best.off) best = { off: off + 20 * rivals.length, x, y };
    }
  return best.off < (finger ? 20 : Infinity) ? [box.left + best.x, box.top + best.y] : null;
}

// The share of a picture on which a finger grips something at once, so that the page does not scroll.
function gripped(i) {
  const { canvas } = inOrder()[i],
    box = canvas.getBoundingClientRect(),
    held = [];
  for (let clientY = box.top + 2; clientY < box.bottom; clientY += 8)
    for (let clientX = box.left + 2; clientX < box.right; clientX += 8) {
      const touches = [new Touch({ identifier: 1, target: canvas, clientX, clientY })];
      const event = new TouchEvent("touchstart", { cancelable: true, touches });
      canvas.dispatchEvent(event);
      held.push(event.defaultPrevented);
    }
  return held.filter(Boolean).length / held.length;
}

// The values of all sliders that a view follows, and of those traits that it keeps beside them.
function valuesOf(i, traits = []) {
  const p = inOrder()[i];
  const names = [...p.root.querySelectorAll("[data-name]")].map(({ dataset }) => dataset.name);
  return Object.fromEntries([...names, ...traits].map((name) => [name, p.get(name)]));
}

// The ends of every slider, as far as it goes now, and all values of what is chosen by buttons.
function endsOf(i) {
  const p = inOrder()[i];
  return Object.fromEntries(
    [...p.root.querySelectorAll("[data-name]")].map((input) => {
      const values = p.values(input.dataset.name);
      return [input.dataset.name, input.type === "radio" ? values : [values[0], values[Number(input.max)]]];
    }),
  );
}

// Bring controls to values as a reader does, and what has no control by its trait.
async function bring(i, values) {
  const p = inOrder()[i];
  for (const [name, value] of Object.entries(values)) {
    const inputs = [...p.root.querySelectorAll(`[data-name="${name}"]`)];
    if (p.get(name) === value) continue;
    if (!inputs.length) p.set(name, value);
    else if (inputs[0].type === "radio") inputs.find((input) => input.value === value).click();
    else {
      inputs[0].value = p.values(name).indexOf(value);
      inputs[0].dispatchEvent(new Event("input", { bubbles: true }));
    }
    await frame(); // one slider's value may set the end of the next
  }
}

Object.assign(window, { frame, peers, stateOf, sweep, inOrder, spotOf, valuesOf, endsOf, bring, scrolled, gripped });
