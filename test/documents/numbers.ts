/** The numbers of faults, invariants and security rules: where they are defined, used and proven. Pure. */
import { type Tree, textsOf } from "./tree.ts";

const DEFINING = ["docs/faults.md", "docs/security.md"];

/** `F7`, `S14`, `I3`, and ranges like `F1–F17`; no hex, no part of a longer name. */
const NUMBER = /(?<![\w%\\+./#-])([FIS])([1-9]\d?)(?:–\1?([1-9]\d?))?(?![\w%])/g;

function mentionsIn(text: string): Set<string> {
  const mentions = new Set<string>();
  for (const [, kind, first, last = first] of text.matchAll(NUMBER)) {
    for (let n = Number(first); n <= Number(last); n += 1) mentions.add(`${kind}${n}`);
  }
  return mentions;
}

interface Definition {
  number: string;
  path: string;
  proof: string;
}

function definitionsIn(tree: Tree): Definition[] {
  return DEFINING.flatMap((path) =>
    Array.from(
      (tree.get(path) ?? "").matchAll(/^\| ([FIS][1-9]\d?) \|.*\| ([^|]*) \|$/gm),
      ([, number = "", proof = ""]) => ({ number, path, proof }),
    ),
  );
}

/** Every number in use that is not defined, and every one that is defined twice. */
export function undefinedNumbers(tree: Tree): string[] {
  const defined = definitionsIn(tree).map(({ number }) => number);
  const repeated = defined.filter((number, i) => defined.indexOf(number) !== i);
  const unknown = textsOf(tree).flatMap(([path, text]) =>
    [...mentionsIn(text)]
      .filter((number) => !defined.includes(number))
      .map((number) => `${path}: ${number} is not defined`),
  );
  return [...repeated.map((number) => `${number} is defined twice`), ...unknown];
}

/** Every defined number without a test that mentions it, and every one said to have no test that has one. */
export function unprovenNumbers(tree: Tree): string[] {
  const tests = textsOf(tree).filter(([path]) =>
    /^test\/(?:.*\.test\.tsx?$|browser\/journeys\/)/.test(path),
  );
  const mentions = new Map(tests.map(([path, text]) => [path, mentionsIn(text)]));
  return definitionsIn(tree).flatMap(({ number, path, proof }) => {
    if (proof.startsWith("none")) {
      return [...mentions]
        .filter(([, numbers]) => numbers.has(number))
        .map(([test]) => `${path}: ${number} has no test, but ${test} mentions it`);
    }
    const named = Array.from(proof.matchAll(/`([^`]+)`/g), ([, test = ""]) => test);
    if (named.length === 0) return [`${path}: ${number} names no test`];
    return named
      .filter((test) => !mentions.get(test)?.has(number))
      .map((test) => `${path}: ${number} is not in ${test}`);
  });
}
