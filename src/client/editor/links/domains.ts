/** Loaded as its own file when a word with a dot is typed: 5 KB. */
import endings from "tlds/index.json" with { type: "json" };

const all = new Set<string>(endings);

/** Whether domains end so, in IANA's list. Arabic ones stand there in Arabic letters. */
export function isTopLevel(ending: string): boolean {
  return all.has(ending.toLowerCase()) || /^xn--[a-z\d-]+$/i.test(ending);
}
