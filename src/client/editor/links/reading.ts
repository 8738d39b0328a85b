/** Loaded as its own file after the first paint: what reads the field for new links and shows it. */
export { FoundLines } from "./found-lines.tsx";
export { linkOf, offersFor, usualWords } from "./offers.ts";
export { readPaste } from "./paste.ts";
export { textOfHtml } from "./pasted-html.ts";
export { addressOf } from "./targets.ts";
