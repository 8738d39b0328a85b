/** A copy of this checkout in another place, as a clone is one, with what is not committed too. */
import { cp, mkdir, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { ROOT } from "../../src/commands/root.ts";

/** What a clone has not, and tests, of which only the release's tools are needed. */
const LEFT_OUT = /^(?:\.git|\.wrangler|\.sila|\.dev\.vars|node_modules|docs|src\/client\/dist)$/;
const TESTS = /^test\/(?!releases|server)/;

export async function copyCheckout(folder: string): Promise<string> {
  await mkdir(folder);
  await cp(ROOT, folder, {
    recursive: true,
    filter: (path) => {
      const name = relative(ROOT, path).replaceAll("\\", "/");
      return !LEFT_OUT.test(name) && !TESTS.test(name);
    },
  });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  return folder;
}
