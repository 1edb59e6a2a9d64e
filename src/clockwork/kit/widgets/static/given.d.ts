// What Python puts in front of a widget's modules.

/** Colours of maps and hands, by the names that a picture asks for. */
declare const MAPS: Record<string, string[]>;
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
