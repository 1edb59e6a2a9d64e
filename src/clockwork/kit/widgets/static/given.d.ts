// What Python puts in front of a widget's modules.

/** What the playground's module named by the view's `engine` exports. */
declare const engine: any;

/** What our selectors find are HTML elements. */
interface Element {
  readonly dataset: DOMStringMap;
  open: boolean;
}
interface Node {
  closest?: Element["closest"];
}
