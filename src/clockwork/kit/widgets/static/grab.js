// What can be grabbed in a picture. While a view draws it names areas, `p.grab(key, area)`, each with
//   hit(x, y)               how far the pointer is from it, in CSS pixels (0: inside); the nearest area counts
//   move(x, y, begun, event) what a drag to (x, y) does; `begun` keeps what the area wants to remember of its start
//   click(x, y)             what a click or a tap does
//   at, way                 where the picture's first handle stands, [x, y], and the sign of its way, by default "↔": a
//                           ghost stands there until the first touch (motion.js)
//   says, lights            what a hovering pointer is told, and what it lights, { hand: 3 }; or functions of (x, y)
//   wide                    it fills a panel: a finger takes hold of it by a tap or sideways, and a swipe up or down
//                           scrolls the page as ever; what is not wide a finger holds at once, in every direction
// Each drag and each click has a slider or a button beside it that does the same.
import { element, shared } from "./elements.js";
import { painter } from "./painter.js";

const REACH = { mouse: 9, pen: 14, touch: 24 }; // CSS pixels round an area; fingers need 44 across
const SIDEWAYS = 6; // CSS pixels after which a finger is seen to move sideways

export const within = (box, x, y, room = 0) =>
  x >= box.x - room && x <= box.x + box.w + room && y >= box.y - room && y <= box.y + box.h + room;

painter.grab = function (key, area) {
  this.areas.set(key, area);
};

export function light(home, lights) {
  const before = shared.lit.get(home);
  if (JSON.stringify(before ?? null) === JSON.stringify(lights ?? null)) return;
  if (lights) shared.lit.set(home, lights);
  else shared.lit.delete(home);
  for (const p of shared.views) if (p.home === home) p.redraw();
}

painter.lit = function (name) {
  return shared.lit.get(this.home)?.[name];
};

export function grabbing(p, figure) {
  const hint = element("div", { class: "pe-tip", hidden: "" });
  figure.append(hint);
  const { canvas } = p;
  let held = null;
  const placeOfPointer = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * p.w) / box.width, ((event.clientY - box.top) * p.h) / box.height];
  };
  const nearestOf = (areas, x, y, kind) => {
    let [best, nearest] = [null, REACH[kind] ?? REACH.mouse];
    for (const [key, area] of areas) {
      const distance = area.hit(x, y);
      if (distance < nearest || (distance === 0 && nearest === 0)) [best, nearest] = [key, distance];
    }
    return best;
  };
  const under = (x, y, kind) => {
    if (kind !== "touch") return nearestOf(p.areas, x, y, kind);
    const small = [...p.areas].filter(([, area]) => !area.wide);
    return nearestOf(small, x, y, kind) ?? nearestOf(p.areas, x, y, kind);
  };
  const tell = (key, x, y) => {
    const area = p.areas.get(key);
    canvas.style.cursor = held ? "grabbing" : area?.move ? "grab" : area?.click ? "pointer" : "default";
    const here = (part) => (typeof part === "function" ? part(x, y) : part);
    light(p.home, here(area?.lights) ?? null);
    const says = here(area?.says);
    hint.hidden = !says;
    if (hint.hidden) return;
    hint.textContent = says;
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
    if (event.button || held) return;
    const [x, y] = placeOfPointer(event);
    const key = under(x, y, event.pointerType);
    if (key === null) return;
    const waits = event.pointerType === "touch" && p.areas.get(key).wide;
    held = { key, begun: { x, y }, moved: false, waits };
    canvas.setPointerCapture(event.pointerId);
    if (!waits) drag(event);
  });
  on("pointermove", (event) => {
    const [x, y] = placeOfPointer(event);
    if (!held) return tell(under(x, y, event.pointerType), x, y);
    const [dx, dy] = [Math.abs(x - held.begun.x), Math.abs(y - held.begun.y)];
    if (held.waits && dx <= Math.max(dy, SIDEWAYS)) return;
    held.waits = false;
    held.moved ||= Math.hypot(dx, dy) > 3;
    drag(event);
  });
  const release = (event) => {
    if (!held) return;
    const area = p.areas.get(held.key);
    if (held.waits && event.type === "pointerup") area?.move?.(...placeOfPointer(event), held.begun, event); // a tap
    area?.drop?.();
    if (!held.moved && event.type === "pointerup") area?.click?.(...placeOfPointer(event));
    held = null;
    p.settle();
    tell(null);
  };
  on("pointerup", release);
  on("pointercancel", release);
  on("pointerleave", () => held || tell(null));
  // A finger that has something in its grip does not scroll the page.
  const keepStill = (event) => {
    const area = p.areas.get(under(...placeOfPointer(event.touches[0]), "touch"));
    if (area?.move && !area.wide) event.preventDefault();
  };
  on("touchstart", keepStill, { passive: false });
}
