// The loss after a gap, over its length, for each method; beside it how far the slowest twelve hands come.
import { view } from "../../../kit/widgets/static/kit.js";
import { fixed, withCommas } from "../../../kit/widgets/static/painter.js";
import { nearest } from "../../../kit/widgets/static/sliders.js";
import { scrub } from "../../../kit/widgets/static/terms.js";

const WIDE = 560;
const FULL = 2 * Math.PI;
const ALL = 1 - 1e-4; // of a turn: a hand that came so far has met every angle, up to what 16 bits round

function arc(p, x, y, radius, from, to, color, width) {
  if (to <= from) return;
  Object.assign(p.ctx, { strokeStyle: color, lineWidth: width, lineCap: "butt" });
  p.ctx.beginPath();
  p.ctx.arc(x, y, radius, from * FULL - FULL / 4, Math.min(to, 1) * FULL - FULL / 4);
  p.ctx.stroke();
}

export default view({
  wide: WIDE,
  height: (w) => (w >= WIDE ? 330 : 510),
  draw(p) {
    const { color, data } = p;
    const gaps = p.values("gap");
    const methods = p.values("method");
    const names = p.model.get("names");
    const inks = [color.cos, color.grey, color.pink, color.green, color.sin];
    const [g, m] = [gaps.indexOf(p.get("gap")), methods.indexOf(p.get("method"))];
    const text = p.values("text").indexOf(p.get("text"));
    const wide = p.w >= WIDE;
    const box = wide ? { x: 40, y: 54, w: p.w * 0.6 - 60, h: p.h - 110 } : { x: 40, y: 54, w: p.w - 62, h: 180 };
    const all = Array.from(data.change.values);
    const [low, high] = [Math.floor(Math.min(...all)), Math.ceil(Math.max(...all))];
    const last = gaps[gaps.length - 1];
    const { x, y } = p.axes(box, {
      x: [0, last],
      y: [low, high],
      xticks: [0, last / 2, last].map((value) => [value, withCommas(value)]),
      yticks: Array.from({ length: high - low + 1 }, (_, i) => low + i),
      xlabel: "gap (tokens)",
      ylabel: "change of the loss (nats)",
    });
    p.line(box.x, y(0), box.x + box.w, y(0), color.soft, 1);
    p.text("the second half alone", box.x + box.w, y(0) + 10, {
      size: 11,
      color: color.soft,
      align: "right",
      halo: true,
    });
    const trained = p.get("trained_len");
    p.line(x(trained), box.y, x(trained), box.y + box.h, color.soft, 1, [4, 4]);
    p.text(`trained to ${withCommas(trained)}`, x(trained) + 4, box.y + 6, { size: 11, color: color.soft });
    const level = (i, k) => p.ease(`${i ? "method" : "as trained"} ${k}`, data.change.at(i, text, k));
    const along = (i) => gaps.map((gap, k) => [x(gap), y(level(i, k))]);
    const between = Array.from(data.more_gaps.values, (gap, k) => [
      x(gap),
      y(p.ease(`between ${k}`, data.more.at(text, k))),
    ]);
    between.forEach(([a, b]) => p.dot(a, b, inks[0], 2.5));
    const trainedLine = [...along(0), ...between].sort(([a], [b]) => a - b);
    p.stroke(trainedLine, inks[0], m ? 1 : 3);
    if (m) p.stroke(along(m), inks[m], 3);
    const change = data.change.at(m, text, g);
    p.dot(x(gaps[g]), y(level(m, g)), inks[m], 6);
    p.text(`${p.get("text")}, ${names[m]}`, box.x, 10, { color: inks[m], weight: 600 });
    if (m) p.text(names[0], box.x + box.w, 10, { color: inks[0], align: "right" });
    p.grab("gap", {
      wide: true,
      hit: (a, b) => (a >= box.x - 6 && a <= box.x + box.w + 6 && b >= box.y && b <= box.y + box.h + 18 ? 2 : Infinity),
      move: (a) => p.set("gap", nearest(gaps, ((a - box.x) / box.w) * last)),
      says: `gap ${gaps[g]} tokens`,
    });

    const side = wide ? Math.min(p.w * 0.4, p.h - 40) : 200;
    const [x0, y0] = wide ? [p.w - side / 2 - 6, p.h / 2 + 6] : [p.w / 2, 304 + side / 2];
    const outer = side / 2 - 12;
    const seen = Array.from(data.seen.values);
    const reach = Array.from(data.reach.row(g, m));
    const step = (outer * 0.8) / seen.length;
    seen.forEach((turns, i) => {
      const radius = outer - (i + 0.5) * step;
      arc(p, x0, y0, radius, 0, turns, color.line, step - 2);
      arc(p, x0, y0, radius, 0, Math.min(turns, reach[i]), color.sin, step - 2);
      arc(p, x0, y0, radius, turns, reach[i], color.cos, step - 2);
    });
    p.circle(x0, y0, outer + 1, color.soft, 1);
    const ring = (i) => y0 - outer + (i + 0.5) * step;
    for (const [i, name] of [
      [0, "hand 20"],
      [seen.length - 1, "hand 31"],
    ])
      p.text(name, x0 - 7, ring(i), { size: 11, align: "right", weight: 600, halo: true });
    const beyond = reach.filter((turns, i) => seen[i] < ALL && turns > seen[i] + 1e-4).length;
    const found =
      methods[m] === "slow hands stopped"
        ? "these hands are stopped"
        : `${beyond} of ${seen.length} hands beyond training`;
    p.text(found, x0, y0 - outer - 14, {
      align: "center",
      weight: 600,
      size: 12.5,
    });
    const [loss, more] = [fixed(data.alone.at(text) + change), fixed(change)];
    return {
      alt:
        `gap ${gaps[g]}, method ${names[m]}, ${p.get("text")}: loss after the gap ${loss}, ` +
        `a change of ${more} against the second half alone; ` +
        `${beyond} of ${seen.length} hands beyond training`,
      numbers: { change: [change], reach },
      said: { loss },
      reading: [
        "Gap ",
        scrub("gap"),
        ` tokens, ${names[m]}:\nloss of ${p.get("text")} ${loss}, a change of ${more} against the second half alone; `,
        `${beyond} of ${seen.length} hands beyond training`,
      ],
    };
  },
});
