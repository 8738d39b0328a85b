import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";

/** The text of every file by its path in the repository; `''` for files that are no text. */
export type Tree = ReadonlyMap<string, string>;

const TEXT = /(?:\.(?:tsx?|md|sql|toml|jsonc?|css|yml)|\.ci\/run|\.gitignore)$/;
const LOCK_FILE = "package-lock.json";

export async function readTree(root: string): Promise<Tree> {
  const ignored = new Set([".git", ...ignoredIn(await readFile(join(root, ".gitignore"), "utf8"))]);
  const tree = new Map<string, string>();
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (ignored.has(entry.name) || ignored.has(path)) continue;
      if (entry.isDirectory()) await walk(path);
      else tree.set(path, isText(path) ? await readFile(join(root, path), "utf8") : "");
    }
  };
  await walk(".");
  return tree;
}

/** The entries of a `.gitignore` that holds nothing but names and paths of folders. */
export function ignoredIn(gitignore: string): string[] {
  return gitignore.split("\n").flatMap((line) => (line === "" ? [] : [line.replace(/\/$/, "")]));
}

function isText(path: string): boolean {
  return TEXT.test(path) && path !== LOCK_FILE;
}

/** All of a document: one that is long goes on in the files of the folder that has its name. */
export function documentOf(tree: Tree, path: string): string {
  const folder = path.replace(/\.md$/, "/");
  const parts = [...tree].filter(([one]) => one.startsWith(folder) && one.endsWith(".md"));
  return [tree.get(path) ?? "", ...parts.map(([, text]) => text)].join("\n");
}

export function textsOf(tree: Tree): [path: string, text: string][] {
  return [...tree].filter(([path]) => isText(path));
}

/** All of a document or a workflow; of code the lines that are comments, not what follows code on its line. */
export function proseOf(path: string, text: string): string {
  if (/\.(?:md|yml)$|^\.ci\//.test(path)) return text;
  return text
    .split("\n")
    .filter((line) => /^\s*(?:\{?\/\*|\*|\/\/(?!\/)|--|#)/.test(line))
    .join("\n");
}

/** Whether it is a file, a folder, or a pattern with `*` that some file matches. */
export function exists(tree: Tree, wanted: string): boolean {
  const path = posix.normalize(wanted).replace(/\/$/, "");
  if (path === "." || tree.has(path)) return true;
  const paths = [...tree.keys()];
  if (!path.includes("*")) return paths.some((one) => one.startsWith(`${path}/`));
  const literal = (part: string) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`^${path.split("*").map(literal).join("[^/]*")}$`);
  return paths.some((one) => pattern.test(one));
}
