// What can be grabbed in a picture. While a view draws it names areas, `p.grab(key, area)`, each with
//   hit(x, y)               how far the pointer is from it, in CSS pixels (0: inside); the nearest area counts
//   move(x, y, begun, event) what a drag to (x, y) does; `begun` keeps what the area wants to remember of its start
//   click(), says, lights   what a click does, what a hovering pointer is told, and what it lights: { hand: 3 }
// Each drag and each click has a slider or a button beside it that does the same.

const REACH = { mouse: 9, pen: 14, touch: 24 }; // CSS pixels round an area; fingers need 44 across

painter.grab = function (key, area) {
  this.areas.set(key, area);
};

function light(home, lights) {
  const before = shared.lit.get(home);
  if (JSON.stringify(before ?? null) === JSON.stringify(lights ?? null)) return;
  if (lights) shared.lit.set(home, lights);
  else shared.lit.delete(home);
  for (const p of shared.views) if (p.home === home) p.redraw();
}

painter.lit = function (name) {
  return shared.lit.get(this.home)?.[name];
};

function grabbing(p, figure) {
  const hint = element("div", { class: "pe-tip", hidden: "" });
  figure.append(hint);
  const { canvas } = p;
  let held = null;
  const placeOfPointer = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * p.w) / box.width, ((event.clientY - box.top) * p.h) / box.height];
  };
  const under = (x, y, kind) => {
    let [best, nearest] = [null, REACH[kind] ?? REACH.mouse];
    for (const [key, area] of p.areas) {
      const distance = area.hit(x, y);
      if (distance < nearest || (distance === 0 && nearest === 0)) [best, nearest] = [key, distance];
    }
    return best;
  };
  const tell = (key, x, y) => {
    const area = p.areas.get(key);
    canvas.style.cursor = held ? "grabbing" : area?.move ? "grab" : area?.click ? "pointer" : "default";
    light(p.home, area?.lights ?? null);
    hint.hidden = !area?.says;
    if (hint.hidden) return;
    hint.textContent = area.says;
    const right = x > p.w * 0.6;
    hint.style.cssText = `top:${y}px;${right ? `right:${p.w - x + 14}px` : `left:${x + 14}px`}`;
  };
  const drag = (event) => {
    const [x, y] = placeOfPointer(event);
    p.areas.get(held.key)?.move?.(x, y, held.begun, event);
    requestAnimationFrame(() => held && tell(held.key, x, y));
  };
  const on = (type, act, options = {}) => canvas.addEventListener(type, act, { signal: p.stop, ...options });
  on("pointerdown", (event) => {
    if (event.button) return;
    const [x, y] = placeOfPointer(event);
    const key = under(x, y, event.pointerType);
    if (key === null) return;
    held = { key, begun: { x, y }, moved: false };
    canvas.setPointerCapture(event.pointerId);
    drag(event);
  });
  on("pointermove", (event) => {
    const [x, y] = placeOfPointer(event);
    if (!held) return tell(under(x, y, event.pointerType), x, y);
    held.moved ||= Math.hypot(x - held.begun.x, y - held.begun.y) > 3;
    drag(event);
  });
  const release = (event) => {
    if (!held) return;
    const area = p.areas.get(held.key);
    area?.drop?.();
    if (!held.moved && event.type === "pointerup") area?.click?.();
    held = null;
    p.settle();
    tell(null);
  };
  on("pointerup", release);
  on("pointercancel", release);
  on("pointerleave", () => held || tell(null));
  // A finger that has something in its grip does not scroll the page.
  const keepStill = (event) => {
    const [x, y] = placeOfPointer(event.touches[0]);
    if (p.areas.get(under(x, y, "touch"))?.move) event.preventDefault();
  };
  on("touchstart", keepStill, { passive: false });
}
