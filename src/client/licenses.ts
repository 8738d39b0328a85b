/** The licences of fonts (OFL 1.1) and scripts (MIT, ISC, Apache 2.0): all require their text to be served. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MODULES = join(import.meta.dirname, "../../node_modules");

/** Null for a file of ours. */
export function packageOf(path: string): string | null {
  return /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? null;
}

/** Each licence stands under its package's name and version. Throws where a package has none. */
export function licensesOf(packages: Iterable<string>): string {
  return [...new Set(packages)].sort().map(licenseOf).join("\n\n");
}

function licenseOf(name: string): string {
  const folder = join(MODULES, name);
  // Parts of a package may have one of their own, as the plans of telephone numbers do.
  const files = readdirSync(folder).filter((entry) => /^licen[cs]e/i.test(entry));
  if (files.length === 0) throw new Error(`${name} has no licence`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const heading = `${name} ${version}`;
  const texts = files
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return `${heading}\n${"=".repeat(heading.length)}\n\n${texts.join("\n\n")}\n`;
}
