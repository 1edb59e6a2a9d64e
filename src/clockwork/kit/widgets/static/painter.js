// How every widget draws, in the colours that kit/colors.toml has and that a page holds as CSS.

const NOTHING = 0; // colours are words of four bytes: alpha, blue, green, red; this one is clear
const HATCH = 6; // CSS pixels from line to line
const THINNEST = 9; // CSS pixels: a row of a heat map that is thinner is framed as tall as this
const SCALES = ["hands", "weights", "shares", "signed", "angle"];
export const LOOKUP = {}; // of each scale in the page's theme, 256 colours

function lookup(stops) {
  const rgb = stops.map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (rgb.length - 1);
    const low = Math.min(Math.floor(at), rgb.length - 2);
    return rgb[low].reduce(
      (word, c, k) => word | (Math.round(c + (rgb[low + 1][k] - c) * (at - low)) << (8 * k)),
      0xff << 24,
    );
  });
}

// A colour of a scale for a share from 0 to 1, as CSS has it.
export function colorAt(scale, share) {
  const word = LOOKUP[scale][Math.round(255 * Math.max(0, Math.min(1, share)))];
  return `rgb(${word & 255} ${(word >> 8) & 255} ${(word >> 16) & 255})`;
}

export function paletteOf(root) {
  const style = getComputedStyle(root);
  const names = ["ink", "soft", "line", "raised", "paper", "faint", "grey"];
  names.push("here", "there", "right", "wrong", "sin", "cos", "green", "pink");
  const value = (name) => style.getPropertyValue(`--pe-${name}`).trim();
  for (const scale of SCALES) LOOKUP[scale] = lookup(value(scale).split(" "));
  return {
    ...Object.fromEntries(names.map((name) => [name, value(name)])),
    font: style.fontFamily,
    theme: value("theme"),
  };
}

export function polyline(points) {
  const path = new Path2D();
  points.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
  return path;
}

// Drawing helpers, in CSS pixels. `p` holds them beside the state: see base.py.
export const painter = {
  text(
    string,
    x,
    y,
    { color = this.color.ink, size = 12, align = "left", baseline = "middle", weight = 400, halo = false } = {},
  ) {
    Object.assign(this.ctx, {
      font: `${weight} ${size}px ${this.color.font}`,
      fillStyle: color,
      textAlign: align,
      textBaseline: baseline,
    });
    if (halo) {
      Object.assign(this.ctx, { strokeStyle: this.color.paper, lineWidth: 5, lineJoin: "round" });
      this.ctx.strokeText(string, x, y);
    }
    this.ctx.fillText(string, x, y);
  },
  // The text's words in as few lines as fit into the width; a single word stays whole.
  broken(string, width, { size = 12, weight = 400 } = {}) {
    this.ctx.font = `${weight} ${size}px ${this.color.font}`;
    const lines = [];
    for (const word of string.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && this.ctx.measureText(longer).width <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  },
  // Along a line through points [x, y], or along a Path2D.
  stroke(along, color = this.color.line, width = 1, dash = []) {
    Object.assign(this.ctx, { strokeStyle: color, lineWidth: width, lineJoin: "round", lineCap: "round" });
    this.ctx.setLineDash(dash);
    this.ctx.stroke(along instanceof Path2D ? along : polyline(along));
    this.ctx.setLineDash([]);
  },
  line(x0, y0, x1, y1, color, width, dash) {
    this.stroke(
      [
        [x0, y0],
        [x1, y1],
      ],
      color,
      width,
      dash,
    );
  },
  arrow([x0, y0], [x1, y1], color, width) {
    const length = Math.hypot(x1 - x0, y1 - y0);
    const head = Math.min(length * 0.45, 3 * width + 3);
    const [dx, dy] = [((x1 - x0) / length) * head, ((y1 - y0) / length) * head];
    this.line(x0, y0, x1 - dx / 2, y1 - dy / 2, color, width);
    Object.assign(this.ctx, { fillStyle: color });
    this.ctx.beginPath();
    this.ctx.moveTo(x1, y1);
    this.ctx.lineTo(x1 - dx - dy / 2, y1 - dy + dx / 2);
    this.ctx.lineTo(x1 - dx + dy / 2, y1 - dy - dx / 2);
    this.ctx.fill();
  },
  dot(x, y, color = this.color.ink, radius = 3) {
    this.ctx.fillStyle = color;
    this.ctx.beginPath();
    this.ctx.arc(x, y, radius, 0, 2 * Math.PI);
    this.ctx.fill();
  },
  circle(x, y, radius, color = this.color.soft, width = 1) {
    Object.assign(this.ctx, { strokeStyle: color, lineWidth: width });
    this.ctx.beginPath();
    this.ctx.arc(x, y, radius, 0, 2 * Math.PI);
    this.ctx.stroke();
  },
  // Axes round box = {x, y, w, h}; returns the scales. Ticks are [value, text] or values.
  axes(box, { x, y, xticks = x, yticks = y, xlabel = "", ylabel = "", title = "" }) {
    const scale = {
      x: (v) => box.x + ((v - x[0]) / (x[1] - x[0])) * box.w,
      y: (v) => box.y + box.h - ((v - y[0]) / (y[1] - y[0])) * box.h,
    };
    const { soft } = this.color,
      bottom = box.y + box.h;
    this.stroke(
      [
        [box.x, box.y],
        [box.x, bottom],
        [box.x + box.w, bottom],
      ],
      soft,
    );
    for (const [value, string = say(value)] of xticks.map((t) => [].concat(t))) {
      this.stroke(
        [
          [scale.x(value), bottom],
          [scale.x(value), bottom + 4],
        ],
        soft,
      );
      this.text(string, scale.x(value), bottom + 7, { color: soft, size: 11, align: "center", baseline: "top" });
    }
    for (const [value, string = say(value)] of yticks.map((t) => [].concat(t))) {
      this.stroke(
        [
          [box.x - 4, scale.y(value)],
          [box.x, scale.y(value)],
        ],
        soft,
      );
      this.text(string, box.x - 7, scale.y(value), { color: soft, size: 11, align: "right" });
    }
    this.text(xlabel, box.x + box.w / 2, bottom + 22, { color: soft, size: 11, align: "center", baseline: "top" });
    this.text(ylabel, box.x, box.y - 12, { color: soft, size: 11 });
    if (title) this.text(title, box.x, box.y - 12, { weight: 600, size: 12.5 });
    return scale;
  },
  // A frame that is seen on light and on dark cells.
  frame(x, y, w, h, weight = 1.75) {
    for (const [tone, width] of [
      [this.color.paper, weight + 2.25],
      [this.color.ink, weight],
    ]) {
      Object.assign(this.ctx, { strokeStyle: tone, lineWidth: width });
      this.ctx.strokeRect(x, y, w, h);
    }
  },
  // What the colours of dots, bars and lines mean: [colour, words] one after another, in lines where they do not fit.
  keys(x, y, w, entries) {
    let [a, b] = [x, y];
    for (const [tone, words] of entries) {
      this.ctx.font = `400 12px ${this.color.font}`;
      const wide = 14 + this.ctx.measureText(words).width + 16;
      if (a > x && a + wide > x + w + 16) [a, b] = [x, b + 17];
      this.dot(a + 4, b, tone, 4);
      this.text(words, a + 13, b, { color: this.color.soft });
      a += wide;
    }
  },
  // Which colour is which number: a strip of a map's colours between two words.
  strip(x, y, w, map, low, high) {
    const fill = this.ctx.createLinearGradient(x, 0, x + w, 0);
    for (let share = 0; share <= 1; share += 1 / 16) fill.addColorStop(share, colorAt(map, share));
    this.ctx.fillStyle = fill;
    this.ctx.fillRect(x, y - 4, w, 8);
    this.text(low, x - 5, y, { size: 11, align: "right", color: this.color.soft });
    this.text(high, x + w + 5, y, { size: 11, color: this.color.soft });
  },
  // What is not shown before a guess: its shape, hatched; a box, or any Path2D.
  veil(x, y, w, h) {
    const { ctx } = this;
    const box = new Path2D();
    if (!(x instanceof Path2D)) box.rect(x, y, w, h);
    const shape = x instanceof Path2D ? x : box;
    ctx.save();
    ctx.clip(shape);
    ctx.fillStyle = this.color.paper;
    ctx.fillRect(0, 0, this.w, this.h);
    ctx.globalAlpha = 0.45;
    for (let at = -this.h; at < this.w; at += 8) this.line(at, this.h, at + this.h, 0, this.color.soft, 1);
    ctx.restore();
    this.stroke(shape, this.color.soft, 1.2, [4, 4]);
    if (h >= 14 && w >= 14) {
      this.text("?", x + w / 2, y + h / 2 + 1, { align: "center", weight: 700, size: Math.min(22, h - 2), halo: true });
    }
  },
  // What seldom changes is drawn again only when `version` or the picture's size differs from the last under this key.
  layer(key, version, draw) {
    const { ctx } = this;
    const kept = (this.kept[key] ??= { ctx: document.createElement("canvas").getContext("2d"), mark: null });
    const { width, height } = ctx.canvas;
    const mark = `${width} ${height} ${version}`;
    if (kept.mark !== mark) {
      Object.assign(kept.ctx.canvas, { width, height });
      kept.ctx.setTransform(ctx.getTransform());
      this.ctx = kept.ctx;
      draw();
      this.ctx = ctx;
      kept.mark = mark;
    }
    ctx.save();
    ctx.resetTransform();
    ctx.drawImage(kept.ctx.canvas, 0, 0);
    ctx.restore();
  },
  // Over what a mask hides: thin lines from the lower left to the upper right.
  hatch(x, y, w, h) {
    const { ctx } = this;
    ctx.save();
    ctx.beginPath();
    ctx.rect(x, y, w, h);
    ctx.clip();
    for (let at = HATCH * Math.ceil((x + y) / HATCH); at < x + w + y + h; at += HATCH)
      this.line(at - y - h, y + h, at - y, y, this.color.line);
    ctx.restore();
  },
  // Colours for rows × cols cells in box, hatched where there is no number; painted again only when `version` differs from the last under this key.
  heat(key, box, rows, cols, valueAt, { map = "signed", limit = 1, version = 0 } = {}) {
    const kept = (this.kept[key] ??= { canvas: document.createElement("canvas"), version: null });
    const mark = `${rows} ${cols} ${limit} ${version}`;
    if (kept.version !== mark) {
      Object.assign(kept.canvas, { width: cols, height: rows });
      const image = new ImageData(cols, rows);
      const words = new Uint32Array(image.data.buffer);
      const low = map === "signed" ? -limit : 0;
      const colors = LOOKUP[map];
      kept.holes = false;
      const scale = 255 / (limit - low);
      for (let i = 0, at = 0; i < rows; i += 1)
        for (let j = 0; j < cols; j += 1, at += 1) {
          const value = valueAt(i, j);
          const place = Math.max(0, Math.min(255, Math.round((value - low) * scale)));
          words[at] = Number.isNaN(value) ? NOTHING : colors[place];
          kept.holes ||= Number.isNaN(value);
        }
      kept.canvas.getContext("2d").putImageData(image, 0, 0);
      kept.version = mark;
    }
    if (kept.holes) this.hatch(box.x, box.y, box.w, box.h);
    this.ctx.imageSmoothingEnabled = box.w < cols || box.h < rows;
    this.ctx.drawImage(kept.canvas, box.x, box.y, box.w, box.h);
  },
  // One row of a heat map in a frame, a thin one taller than it is; returns where it stands.
  framedRow(key, box, row) {
    const { canvas } = this.kept[key];
    const tall = box.h / canvas.height;
    const h = Math.max(tall, THINNEST);
    const y = Math.max(box.y, Math.min(box.y + box.h - h, box.y + (row + 0.5) * tall - h / 2));
    this.ctx.imageSmoothingEnabled = false;
    this.ctx.clearRect(box.x, y, box.w, h);
    this.ctx.drawImage(canvas, 0, row, canvas.width, 1, box.x, y, box.w, h);
    this.frame(box.x, y, box.w, h);
    return { y, h };
  },
};

// A number as a reader wants it: a true minus, and no trailing zeros or so many decimals.
export const say = (value, digits = 3) =>
  (Number.isInteger(value) ? String(value) : String(Number(value.toFixed(digits)))).replace("-", "−");
export const fixed = (value, digits = 2) =>
  value
    .toFixed(digits)
    .replace(/^-(0\.?0*)$/, "$1")
    .replace("-", "−");

// A whole number as English writes it: 10,000.
export const withCommas = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

// The ends of an axis, at round numbers, between which all of low … high lies.
export function roundEnds(low, high) {
  const size = 10 ** Math.floor(Math.log10(high - low));
  const step = high - low < 5 * size ? size / 2 : size;
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}
