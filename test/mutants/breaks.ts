/**
 * The project's code, broken on purpose in likely ways: something must notice each of them. A break replaces text in
 * a copy of the code. Text that is no longer there is an error, so that no break becomes void unnoticed.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Break {
  file: string;
  from: string;
  to: string;
}

/** @throws if the file does not have the text any more */
export function broken(text: string, { file, from, to }: Break): string {
  if (!text.includes(from)) throw new Error(`${file} no longer says: ${from}`);
  return text.replaceAll(from, () => to);
}

/**
 * Makes a copy of these files and folders, breaks it, gives its folder to `use`, and deletes it.
 *
 * @param parts `tsconfig.json` is always copied: what transforms TypeScript reads that of `src/client`, which
 *   extends it
 */
export async function withBroken<R>(
  breaks: readonly Break[],
  parts: readonly string[],
  use: (root: string) => Promise<R>,
): Promise<R> {
  const root = await mkdtemp(join(tmpdir(), "sila-mutant-"));
  try {
    for (const part of [...parts, "tsconfig.json"]) {
      await cp(join(ROOT, part), join(root, part), { recursive: true });
    }
    await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
    for (const one of breaks) {
      const path = join(root, one.file);
      await writeFile(path, broken(await readFile(path, "utf8"), one));
    }
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
