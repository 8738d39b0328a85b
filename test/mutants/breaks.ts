/**
 * The project's code, broken on purpose in likely ways: something must notice each of them. A break replaces text of
 * a module. Text that is no longer there is an error, so that no break becomes void unnoticed.
 */
import { readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Break {
  file: string;
  from: string;
  to: string;
}

/** Breaks of one file, by name: the text that is replaced, and what replaces it. */
export function inFile(
  file: string,
  texts: Record<string, readonly [from: string, to: string]>,
): Record<string, Break[]> {
  const each = Object.entries(texts).map(([name, [from, to]]) => [name, [{ file, from, to }]]);
  return Object.fromEntries(each);
}

/** Imports a module of the repository, by its path in it. */
// biome-ignore lint/suspicious/noExplicitAny: whoever names a module knows what it exports
export type Load = (file: string) => Promise<any>;

/** @throws if the file does not have the text any more */
export function broken(text: string, { file, from, to }: Break): string {
  if (!text.includes(from)) throw new Error(`${file} no longer says: ${from}`);
  return text.replaceAll(from, () => to);
}

export const load: Load = (file) => import(/* @vite-ignore */ addressOf(file));

/** Of a module's address: the number of the broken code that it belongs to. */
const NUMBER = "broken";
/** By number and by path: what a module of broken code says instead. */
const instead: ReadonlyMap<string, string>[] = [];
/** By path: what the other modules say, without types, because that takes most of the time. */
const stripped = new Map<string, string>();

/** By path: what the broken files say. @throws if the code lacks the text of a break */
export function brokenTexts(breaks: readonly Break[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const one of breaks) {
    const path = join(ROOT, one.file);
    texts.set(path, broken(texts.get(path) ?? readFileSync(path, "utf8"), one));
  }
  return texts;
}

/** Each module imported from a broken one has its number too. @throws if the code lacks the text of a break */
export function loadBroken(breaks: readonly Break[]): Load {
  const texts = brokenTexts(breaks);
  if (instead.length === 0) registerHooks({ resolve, load: read });
  const number = instead.push(texts) - 1;
  return (file) => import(/* @vite-ignore */ `${addressOf(file)}?${NUMBER}=${number}`);
}

function addressOf(file: string): string {
  return pathToFileURL(join(ROOT, file)).href;
}

function numberOf(url: string | undefined): string | null {
  return url?.startsWith("file:") ? new URL(url).searchParams.get(NUMBER) : null;
}

const resolve: Parameters<typeof registerHooks>[0]["resolve"] = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const number = numberOf(context.parentURL);
  if (number === null || !specifier.startsWith(".") || resolved.url.includes("/node_modules/"))
    return resolved;
  return { ...resolved, url: `${resolved.url}?${NUMBER}=${number}` };
};

const read: Parameters<typeof registerHooks>[0]["load"] = (url, context, next) => {
  const number = numberOf(url);
  const path = number === null ? "" : fileURLToPath(url.split("?")[0] ?? "");
  if (!path.endsWith(".ts")) return next(url, context);
  const text = instead[Number(number)]?.get(path);
  const source = text === undefined ? plain(path) : stripTypeScriptTypes(text);
  return { format: "module", source, shortCircuit: true };
};

function plain(path: string): string {
  const known = stripped.get(path) ?? stripTypeScriptTypes(readFileSync(path, "utf8"));
  stripped.set(path, known);
  return known;
}

export async function withBroken<R>(
  one: Break,
  parts: readonly string[],
  use: (root: string) => Promise<R>,
): Promise<R> {
  const root = await mkdtemp(join(tmpdir(), "sila-mutant-"));
  try {
    for (const part of parts) await cp(join(ROOT, part), join(root, part), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
    const path = join(root, one.file);
    await writeFile(path, broken(await readFile(path, "utf8"), one));
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
