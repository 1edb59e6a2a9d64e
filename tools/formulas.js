// Sets formulas: reads a JSON list of [TeX, whether it stands on a line of its own]; writes each as HTML, and the
// outlines of the letters in them. MathJax is found in the folder that is named as the argument.
const { readFileSync } = require("node:fs");
const { resolve } = require("node:path");

const IDLE = new RegExp(
  "^(xmlns|role$|class$|focusable$|jax$|unselectable$|stroke|fill|data-mjx-" + // the style sheet's part
    "|stretchy$|scriptlevel$|minsize$|maxsize$|column|row)", // MathML is heard, not seen
);
const MOVED = /^translate\(([^,]+),([^)]+)\)$/;
const OMEGA = "1D714"; // with its index it is linked to a clock hand by the widgets' terms.js

// Leave out what no page needs: attributes that the style sheet repeats, and groups without any.
function slim(node) {
  if (!node.attributes) return [node];
  for (const [name, value] of Object.entries(node.attributes)) {
    const unlinked = (name === "data-c" && value !== OMEGA) || (name === "data-mml-node" && value !== "msub");
    if (unlinked || IDLE.test(name)) delete node.attributes[name];
  }
  if (node.kind === "mjx-container") delete node.attributes.style;
  if (node.kind === "mjx-assistive-mml") node.attributes = {};
  if (node.kind === "use") place(node, node.attributes);
  node.children = node.children.flatMap(slim);
  if (node.kind === "mspace" || (node.kind === "mstyle" && !node.children.length)) return [];
  if (node.kind !== "g") return [node];
  const idle = !node.children.length || !Object.keys(node.attributes).length;
  if (idle) return node.children;
  const [letter] = node.children;
  const alone = letter.kind === "use" && node.children.length === 1 && !node.attributes["data-mml-node"];
  if (!alone || letter.attributes.x || !MOVED.test(node.attributes.transform)) return [node];
  place(letter, { ...letter.attributes, transform: node.attributes.transform });
  return [letter];
}

// Say in few bytes where a letter stands.
function place(letter, { "xlink:href": link, href = link.replace("MJX-TEX-", ""), transform, ...others }) {
  const [, x, y] = MOVED.exec(transform) ?? [];
  letter.attributes = { ...others, ...(x && { x }), ...(y && y !== "0" && { y }), href };
}

async function main() {
  const MathJax = await require(resolve(process.argv[2], "mathjax")).init({
    loader: { load: ["input/tex", "output/svg", "adaptors/liteDOM", "a11y/assistive-mml"] },
    tex: {
      packages: { "[-]": ["noundefined"] },
      formatError: (jax, error) => {
        throw error;
      },
    },
    svg: { fontCache: "global" },
    startup: { typeset: false },
  });
  const { adaptor, output } = MathJax.startup;
  const set = [];
  for (const [tex, display] of JSON.parse(readFileSync(0, "utf-8"))) {
    const node = await MathJax.tex2svgPromise(tex, { display }).catch((error) => {
      throw new Error(`${tex}: ${error.message}`);
    });
    const html = adaptor.outerHTML(slim(node)[0]).replaceAll("></use>", "/>");
    if (html.includes("<text")) throw new Error(`${tex}: MathJax has no outline of one of its letters`);
    set.push(html);
  }
  const letters = output.fontCache
    .getCache()
    .children.map(({ attributes: { id, d } }) => [id.replace("MJX-TEX-", ""), d]);
  process.stdout.write(JSON.stringify({ set, letters: Object.fromEntries(letters) }));
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
