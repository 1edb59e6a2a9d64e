// The words are buttons that change places; the layer's numbers for every order lie in the data and are selected.

// Orders are counted as itertools.permutations counts them.
function orderOf(rank, n) {
  const left = [...Array(n).keys()],
    order = [];
  for (let i = n; i > 0; i -= 1) {
    const block = factorial(i - 1);
    order.push(...left.splice(Math.floor(rank / block), 1));
    rank %= block;
  }
  return order;
}

function rankOf(order) {
  return order.reduce(
    (rank, word, i) => rank + order.slice(i + 1).filter((w) => w < word).length * factorial(order.length - 1 - i),
    0,
  );
}

const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));

function build(p) {
  const n = p.get("words").length;
  const row = element("div", {
    class: "pe-words",
    role: "group",
    "aria-label": "the sentence: arrow keys or dragging move a word",
  });
  p.places = Array.from({ length: n }, () => element("button", { type: "button", class: "pe-word" }));
  let held = null;

  function move(from, to) {
    if (to < 0 || to >= n || from === to) return;
    const order = orderOf(p.get("arrangement"), n);
    order.splice(to, 0, ...order.splice(from, 1));
    p.set("arrangement", rankOf(order));
    name(p);
    p.places[to].focus();
  }

  p.places.forEach((place, i) => {
    place.addEventListener("keydown", (event) => {
      keepKeys(event);
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(i, i + step);
      p.settle();
    });
    place.addEventListener("pointerdown", (event) => {
      held = i;
      row.setPointerCapture(event.pointerId);
      place.focus();
    });
    row.append(place);
  });
  row.addEventListener("pointermove", (event) => {
    if (held === null) return;
    const to = p.places.findIndex((place) => {
      const box = place.getBoundingClientRect();
      return event.clientX >= box.left && event.clientX <= box.right;
    });
    if (to < 0 || to === held) return;
    move(held, to);
    held = to;
  });
  for (const end of ["pointerup", "pointercancel"])
    row.addEventListener(end, () => {
      if (held !== null) {
        held = null;
        p.settle();
      }
    });
  p.controls.append(row);
}

// Write the words of the present order on their places.
function name(p) {
  const words = p.get("words"),
    order = orderOf(p.get("arrangement"), words.length);
  p.places?.forEach((place, i) => {
    place.textContent = words[order[i]];
    place.setAttribute("aria-label", `${words[order[i]]}, place ${i + 1} of ${words.length}`);
  });
  return order.map((i) => words[i]);
}

function draw(p) {
  const rank = p.get("arrangement"),
    schemes = p.model.get("schemes"),
    scheme = schemes.indexOf(p.get("scheme"));
  const now = name(p),
    n = now.length;
  const weights = p.data.weights.row(scheme, rank),
    outputs = p.data.outputs.row(scheme, rank),
    pooled = p.data.pooled.row(scheme, rank);
  const limit = p.data.outputs.values.reduce((most, v) => Math.max(most, Math.abs(v)), 0),
    mark = `${scheme} ${rank}`;
  const size = p.w < 480 ? 11 : 13,
    label = p.w * 0.09 + 12,
    side = (p.w - label - 26) / 2.25,
    top = 46,
    cell = side / n;
  const left = { x: label, y: top, w: side, h: side },
    right = { x: label + side + 22, y: top, w: p.w - label - side - 26, h: side };

  p.heat("weights", left, n, n, (i, j) => weights[i * n + j], { map: "magnitude", version: mark });
  p.heat("outputs", right, n, outputs.length / n, (i, j) => outputs[(i * outputs.length) / n + j], {
    limit,
    version: mark,
  });
  const mean = { ...right, y: top + side + 10, h: Math.min(cell, 34) };
  p.heat("pooled", mean, 1, pooled.length, (_, j) => pooled[j], { limit, version: mark });

  p.text("attention weights", left.x, 12, { weight: 600, size });
  p.text("outputs", right.x, 12, { weight: 600, size });
  p.text("their mean", right.x - 8, mean.y + mean.h / 2, { align: "right", size, color: p.color.soft });
  now.forEach((word, i) => {
    p.text(word, left.x - 7, top + (i + 0.5) * cell, { align: "right", size });
    p.text(word, left.x + (i + 0.5) * cell, top - 11, { align: "center", size });
  });
  weights.forEach((value, at) => {
    const color = value > 0.55 ? "#000000" : "#ffffff";
    p.text(value.toFixed(2), left.x + ((at % n) + 0.5) * cell, top + (Math.floor(at / n) + 0.5) * cell, {
      align: "center",
      size,
      color,
    });
  });
  const moved = p.data.moved.at(scheme, rank),
    words = p.get("words");
  const away = `${Math.floor(moved / 100)}.${String(moved % 100).padStart(2, "0")}`;
  const alt = `${p.get("scheme")}, arrangement ${rank}, "${now.join(" ")}": the mean output is ${away} away from that of "${words.join(" ")}"`;
  return { alt, numbers: { weights: [...weights], outputs: [...outputs], pooled: [...pooled] } };
}

export default view({ height: (w) => 46 + (w - w * 0.09 - 38) / 2.25 + 52, draw, build });
