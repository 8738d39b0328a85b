/** Paths and commands that documents and comments name. Pure. */
import { exists, ignoredIn, proseOf, type Tree, textsOf } from "./tree.ts";

/** What names paths and commands of the past: a migration is never edited. */
const HISTORY = /^(?:CHANGELOG\.md$|migrations\/)/;

/** A path from the root of the repository; an ellipsis or a `<name>` ends it. */
const ROOTED = /(?<![\w./@<-])((?:src|objects|test|migrations|docs|\.github|\.ci)\/[\w./*{},-]*)/g;
const NAMED = /(?<![\w./@*;<-])((?:[\w-]+\/)*\w[\w.-]*\.(?:tsx?|sql|css))(?![\w/])/g;

export function brokenPaths(tree: Tree): string[] {
  const ignored = ignoredIn(tree.get(".gitignore") ?? "");
  const isIgnored = (path: string) => ignored.some((one) => `${path}/`.startsWith(`${one}/`));
  return textsOf(tree).flatMap(([path, text]) => {
    if (HISTORY.test(path)) return [];
    const prose = proseOf(path, text);
    const rooted = Array.from(prose.matchAll(ROOTED), ([, found = ""]) =>
      found.replace(/[.,:/-]+$/, ""),
    );
    const named = Array.from(prose.matchAll(NAMED), ([, found = ""]) => found);
    const missing = [
      ...rooted.filter((found) => !exists(tree, found)),
      ...named.filter((found) => !endsSome(tree, found)),
    ].filter((found) => !isIgnored(found));
    return [...new Set(missing)].map((found) => `${path}: no file ${found}`);
  });
}

function endsSome(tree: Tree, end: string): boolean {
  return [...tree.keys()].some((path) => path === end || path.endsWith(`/${end}`));
}

export function unknownCommands(tree: Tree): string[] {
  const { scripts } = JSON.parse(tree.get("package.json") ?? "") as { scripts: object };
  return textsOf(tree).flatMap(([path, text]) => {
    if (HISTORY.test(path)) return [];
    const named = proseOf(path, text).matchAll(/\bnpm run ([\w:-]*\w)/g);
    return Array.from(named, ([, script = ""]) => script)
      .filter((script) => !Object.hasOwn(scripts, script))
      .map((script) => `${path}: no script ${script}`);
  });
}
