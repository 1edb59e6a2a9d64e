// Drawing on a canvas in the colours of the page's theme.

/** @typedef {{ x: number, y: number, w: number, h: number }} Box */

/** The scales of the page's theme as CSS has them, and 256 colours of each. */
const SCALES = /** @type {Record<string, string>} */ ({ hands: "", weights: "", signed: "" });
const LOOKUP = /** @type {Record<string, number[][]>} */ ({});
const NAMES = [
  "ink",
  "soft",
  "faint",
  "line",
  "raised",
  "paper",
  "here",
  "there",
  "sin",
  "cos",
  "green",
  "pink",
  "right",
  "wrong",
];

/** @param {string} hex */
const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/**
 * A colour of a map, for a share from 0 to 1.
 * @param {string[]} stops
 * @param {number} share
 */
export function between(stops, share) {
  const place = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const first = Math.min(stops.length - 2, Math.floor(place));
  const [a, b] = [parts(stops[first]), parts(stops[first + 1])];
  return a.map((v, i) => Math.round(v + (b[i] - v) * (place - first)));
}

/** A canvas that is as sharp as the screen. */
export class Pen {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.w = 0;
    this.h = 0;
    /** @type {Record<string, string>} */
    this.color = {};
    /** @type {HTMLCanvasElement | undefined} */
    this.cells = undefined;
    /** @type {"light" | "dark"} */
    this.theme = "light";
  }

  /**
   * Empty the canvas, which is `height` CSS pixels high and as wide as its place.
   * @param {number} height
   */
  begin(height) {
    const sharp = devicePixelRatio || 1;
    this.w = this.canvas.clientWidth;
    this.h = height;
    const [width, tall] = [Math.round(this.w * sharp), Math.round(height * sharp)];
    if (this.canvas.width !== width || this.canvas.height !== tall) {
      this.canvas.width = width;
      this.canvas.height = tall;
      this.canvas.style.height = `${height}px`;
    }
    this.ctx.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.ctx.clearRect(0, 0, this.w, this.h);
    const style = getComputedStyle(this.canvas);
    for (const name of Object.keys(SCALES)) {
      const stops = style.getPropertyValue(`--pe-${name}`).trim();
      if (SCALES[name] !== stops) LOOKUP[name] = lookup(stops.split(" "));
      SCALES[name] = stops;
    }
    for (const name of NAMES) this.color[name] = style.getPropertyValue(`--pe-${name}`).trim();
    this.font = style.fontFamily;
    this.theme = style.getPropertyValue("--pe-theme").trim() === "dark" ? "dark" : "light";
  }

  /**
   * The colour of one of `count` hands.
   * @param {number} hand
   * @param {number} count
   */
  hand(hand, count) {
    return css(colorOf("hands", hand / Math.max(1, count - 1)));
  }

  /**
   * @param {string} words
   * @param {number} x
   * @param {number} y
   * @param {{ size?: number, color?: string, align?: CanvasTextAlign, weight?: number, halo?: boolean }} [how] `halo`
   *   keeps a line that runs behind the words away from them.
   */
  text(words, x, y, { size = 12, color = this.color.soft, align = "left", weight = 400, halo = false } = {}) {
    const { ctx } = this;
    ctx.font = `${weight} ${size}px ${this.font}`;
    ctx.fillStyle = color;
    ctx.textAlign = align;
    ctx.textBaseline = "middle";
    if (halo) {
      ctx.strokeStyle = this.color.paper;
      ctx.lineWidth = 5;
      ctx.lineJoin = "round";
      ctx.strokeText(words, x, y);
    }
    ctx.fillText(words, x, y);
  }

  /**
   * @param {number[][]} points
   * @param {string} color
   */
  line(points, color, width = 1, dash = /** @type {number[]} */ ([])) {
    const { ctx } = this;
    ctx.strokeStyle = color;
    ctx.lineWidth = width;
    ctx.lineJoin = "round";
    ctx.setLineDash(dash);
    ctx.beginPath();
    for (const [x, y] of points) ctx.lineTo(x, y);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  /**
   * @param {Box} box
   * @param {string} color
   */
  frame({ x, y, w, h }, color, width = 1) {
    this.ctx.strokeStyle = color;
    this.ctx.lineWidth = width;
    this.ctx.strokeRect(x, y, w, h);
  }

  /**
   * What a mask hides: thin lines from the lower left to the upper right.
   * @param {Box} box
   */
  hatch({ x, y, w, h }) {
    const { ctx } = this;
    ctx.save();
    ctx.beginPath();
    ctx.rect(x, y, w, h);
    ctx.clip();
    ctx.beginPath();
    for (let at = 6 * Math.ceil((x + y) / 6); at < x + w + y + h; at += 6) {
      ctx.moveTo(at - y - h, y + h);
      ctx.lineTo(at - y, y);
    }
    Object.assign(ctx, { strokeStyle: this.color.line, lineWidth: 1 });
    ctx.stroke();
    ctx.restore();
  }

  /**
   * A clock: a rim, and a hand for each angle (radians, clockwise from 12 o'clock), the first the longest.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {number[]} turned
   * @param {(hand: number) => string} colorAt
   */
  clock(x, y, radius, turned, colorAt) {
    const { ctx } = this;
    ctx.strokeStyle = this.color.line;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.stroke();
    for (let hand = turned.length - 1; hand >= 0; hand -= 1) {
      const reach = radius * (0.92 - (0.4 * hand) / Math.max(1, turned.length));
      const end = [x + reach * Math.sin(turned[hand]), y - reach * Math.cos(turned[hand])];
      this.line([[x, y], end], colorAt(hand), Math.max(1.2, radius / 8));
    }
  }

  /**
   * Cells of a matrix in a box. `colorAt` gives [red, green, blue] of row i, column j.
   * @param {Box} box
   * @param {number} rows
   * @param {number} columns
   * @param {(i: number, j: number) => number[] | null} colorAt
   */
  heat(box, rows, columns, colorAt) {
    this.cells ??= document.createElement("canvas");
    this.cells.width = columns;
    this.cells.height = rows;
    const image = new ImageData(columns, rows);
    for (let i = 0, at = 0; i < rows; i += 1)
      for (let j = 0; j < columns; j += 1, at += 4) {
        const color = colorAt(i, j);
        if (color) image.data.set([...color, 255], at);
      }
    this.hatch(box);
    /** @type {CanvasRenderingContext2D} */ (this.cells.getContext("2d")).putImageData(image, 0, 0);
    this.ctx.imageSmoothingEnabled = false;
    this.ctx.drawImage(this.cells, box.x, box.y, box.w, box.h);
  }
}

/** @param {string[]} stops */
const lookup = (stops) => Array.from({ length: 256 }, (_, i) => between(stops, i / 255));

/**
 * A colour of a scale from a table.
 * @param {"hands" | "weights" | "signed"} scale
 * @param {number} share
 */
export function colorOf(scale, share) {
  return LOOKUP[scale][Math.max(0, Math.min(255, Math.round(share * 255)))];
}

/** @param {number[]} color */
export const css = (color) => `rgb(${color.join(" ")})`;
