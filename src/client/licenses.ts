/** The licences of fonts (OFL 1.1) and scripts (MIT, ISC): all require their text to be served. */
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
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const heading = `${name} ${version}`;
  const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
  return `${heading}\n${"=".repeat(heading.length)}\n\n${text}\n`;
}
