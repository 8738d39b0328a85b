/** Citations of documents by section or heading, in comments and in documents. Pure. */
import { headingsOf } from "./links.ts";
import { documentOf, proseOf, type Tree, textsOf } from "./tree.ts";

/** Sections of documents by names that the repository does not have. */
const NAMELESS =
  /\b(?:CONTRACT|FAULTS|DESIGN|PLATFORM|STYLE)(?:\.md| sections?\b)|\binterface section\b|\(contract, section/g;

const CITATION =
  /docs\/([\w/-]+)\.md(?:(,? sections? \d+(?:(?:, | and )\d+)*)|,? "([^"]+)"|(?:,? last paragraph))/g;

export function brokenCitations(tree: Tree): string[] {
  return textsOf(tree).flatMap(([path, text]) => {
    const prose = unwrapped(proseOf(path, text));
    const nameless = Array.from(prose.matchAll(NAMELESS), ([name]) => `${path}: ${name}`);
    const broken = [...prose.matchAll(CITATION)].flatMap(([citation, name, sections, heading]) => {
      const headings = headingsOf(documentOf(tree, `docs/${name}.md`));
      const isThere =
        sections === undefined
          ? heading !== undefined && headings.includes(heading)
          : numbersIn(sections).every((n) => headings.some((one) => one.startsWith(`${n}. `)));
      return isThere ? [] : [`${path}: ${citation}`];
    });
    return [...nameless, ...broken];
  });
}

function numbersIn(text: string): string[] {
  return text.match(/\d+/g) ?? [];
}

/** One line, so that a citation may be wrapped, in a comment too. */
function unwrapped(text: string): string {
  return text.replace(/\s*\n\s*(?:\*(?!\/)|\/\/|--|#(?!#))?\s*/g, " ");
}
