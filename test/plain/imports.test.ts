/** What imports what: rooms, routes, and the packages of the product. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../../src/commands/root.ts";
import { DESCRIPTIONS, faultOf, importsOf, permissionFor, ROOMS, roomOf } from "./rooms.ts";

/** Every import of the product, of a file by a file. */
const IMPORTS: (readonly [from: string, to: string])[] = [];
const FILES: string[] = [];
for (const top of ["objects", "src"]) {
  for (const name of await readdir(join(ROOT, top), { recursive: true })) {
    const file = `${top}/${name}`;
    if (!/\.tsx?$/.test(file) || file.endsWith(".d.ts") || file.includes("dist/")) continue;
    FILES.push(file);
    const text = await readFile(join(ROOT, file), "utf8");
    for (const to of importsOf(file, text)) IMPORTS.push([file, to]);
  }
}

it("a room imports only from rooms that the table gives it", () => {
  expect(IMPORTS.map(([from, to]) => faultOf(from, to)).filter((fault) => fault !== null)).toEqual(
    [],
  );
  expect(IMPORTS.length).toBeGreaterThan(3_000);
});

it("every room stands in the table above the rooms that it imports from", () => {
  const rooms = [...ROOMS.keys()];
  for (const [room, allowed] of ROOMS) {
    for (const entry of allowed.filter((other) => ROOMS.has(other))) {
      expect([room, entry, rooms.indexOf(entry)]).toEqual([
        room,
        entry,
        expect.toSatisfy((at) => at < rooms.indexOf(room)),
      ]);
    }
  }
});

it("the table has the rooms that there are, and no permission that none of their files needs", () => {
  expect(new Set(ROOMS.keys())).toEqual(
    new Set(FILES.map(roomOf).filter((room) => room !== DESCRIPTIONS)),
  );
  const used = new Set(
    IMPORTS.map(
      ([from, to]) => `${roomOf(from)} ${permissionFor(to, ROOMS.get(roomOf(from)) ?? [])}`,
    ),
  );
  const given = [...ROOMS].flatMap(([room, allowed]) => allowed.map((entry) => `${room} ${entry}`));
  expect(given.filter((each) => !used.has(each))).toEqual([]);
});

it.each([
  ["objects/platform/a.ts", "objects/page/live.ts"],
  ["objects/page/a.ts", "src/http/ids.ts"],
  ["src/pages/a.ts", "src/unheard-of/a.ts"],
  ["src/unheard-of/a.ts", "objects/platform/clock.ts"],
  ["src/cron.ts", "src/counting/beacon-route.ts"],
  ["src/client/editor/start/a.ts", "src/pages/document/pages-store.ts"],
  ["src/counting/a.ts", "src/counting/beacon.openapi.ts"],
  ["src/counting/a.openapi.ts", "src/client/beacon.ts"],
  ["src/http/a.ts", "test/random.ts"],
])("%s may not import %s", (from, to) => {
  expect(faultOf(from, to)).toMatchObject({ from, to });
});

it("no two files differ in their ending alone", () => {
  const endings = new Map<string, Set<string>>();
  for (const file of FILES) {
    const [, stem = "", ending = ""] = /([^/]+?)(\.tsx?)$/.exec(file) ?? [];
    endings.set(stem, (endings.get(stem) ?? new Set()).add(ending));
  }
  expect([...endings].filter(([, { size }]) => size > 1)).toEqual([]);
});

/** Objects by the name of their class, with their binding; and the bindings of other Workers. */
const SETTINGS = await readFile(join(ROOT, "wrangler.toml"), "utf8");
const BINDINGS = new Map(
  Array.from(SETTINGS.matchAll(/^name = "(\w+)"\nclass_name = "(\w+)"$/gm), ([, name, type]) => [
    type,
    name,
  ]),
);
const SERVICES = Array.from(SETTINGS.matchAll(/^\[\[services\]\]\nbinding = "(\w+)"$/gm)).map(
  ([, name = ""]) => name,
);
/** The one file of the objects that calls another Worker. */
const HUB = "objects/platform/hub.ts";
const STUB = /\benv\.(\w+)\s*\.(?:getByName|get)\(/g;
const ANY_STUB = /\.getByName\(|\.idFrom\w+\(|\.newUniqueId\(/g;

/** All files that a file imports, directly or not. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  for (const [from, to] of IMPORTS) {
    if (from !== file || reached.has(to)) continue;
    reached.add(to);
    reachedFrom(to, reached);
  }
  return reached;
}

/** By binding, what each object calls. */
async function readCalls(): Promise<Map<string, Set<string>>> {
  const calls = new Map<string, Set<string>>();
  for (const file of FILES.filter((name) => name.startsWith("objects/"))) {
    const text = await readFile(join(ROOT, file), "utf8");
    const called = Array.from(text.matchAll(STUB), ([, binding = ""]) => binding);
    expect([file, called.length]).toEqual([file, text.match(ANY_STUB)?.length ?? 0]);
    const [, type] =
      /^export class (\w+) extends (?:DurableObject|MovableObject|Server)\b/m.exec(text) ?? [];
    if (type !== undefined && reachedFrom(file).has(HUB)) called.push("IDENTITY");
    if (called.length > 0) calls.set(BINDINGS.get(type) ?? file, new Set(called));
  }
  return calls;
}

it("objects call what docs/architecture.md says, and no two call each other", async () => {
  const text = await readFile(join(ROOT, "docs/architecture.md"), "utf8");
  const [, table = ""] = /^```calls\n(.*?)\n```$/ms.exec(text) ?? [];
  const calls = await readCalls();
  const rows = [...calls].map(([caller, called]) => `${caller}: ${[...called].sort().join(" ")}`);
  expect(table.split("\n")).toEqual(rows.sort());
  for (const [caller, called] of calls) {
    for (const binding of called)
      expect([binding, ...(calls.get(binding) ?? [])]).not.toContain(caller);
  }
});

it("no object calls an entrypoint of the Worker, or another Worker but the hub", async () => {
  expect(SERVICES).toEqual(["WORKSHOP", "IDENTITY"]);
  const found: string[] = [];
  for (const file of FILES.filter((name) => name.startsWith("objects/"))) {
    const text = await readFile(join(ROOT, file), "utf8");
    for (const name of ["exports", ...SERVICES]) {
      const use = new RegExp(`^(?! *(?:/?\\*|//)).*\\b${name}\\b`, "m");
      if (use.test(text)) found.push(`${file} ${name}`);
    }
  }
  expect(found).toEqual([`${HUB} IDENTITY`]);
});

it("imports of all kinds are read", () => {
  const text = `import type { A } from "./a.ts";
import {
  type B,
  c,
} from "../b/c.ts";
import "./d.ts";
export { E } from "./e.tsx";
import { f } from "package";
const g = await import("../g.ts");
`;
  expect(importsOf("src/x/y.ts", text)).toEqual([
    "src/x/a.ts",
    "src/b/c.ts",
    "src/x/d.ts",
    "src/x/e.tsx",
    "src/g.ts",
  ]);
});

/** Two files that import a type of one another. */
const CIRCLE = [
  ["src/http/c.ts", "./d.ts"],
  ["src/http/d.ts", "./c.ts"],
] as const;

interface Diagnostic {
  category: string;
  location: { path: string };
}

/** Writes a tree of files with one import each, and lints it by our rules. */
async function lint(imports: readonly (readonly [string, string])[]): Promise<Diagnostic[]> {
  const folder = await mkdtemp(join(tmpdir(), "imports-"));
  try {
    const rules = await readFile(join(ROOT, "biome.jsonc"), "utf8");
    // The folder is no repository, and has none of our files.
    const here = rules.replace(/^ *"(?:vcs|plugins)": .*$/gm, "");
    await writeFile(join(folder, "biome.jsonc"), here);
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const [file, path] of imports) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(
        join(folder, file),
        `import type { T } from "${path}";\n\nexport type { T };\n`,
      );
    }
    const biome = join(ROOT, "node_modules/.bin/biome");
    const { stdout } = await promisify(execFile)(
      biome,
      ["lint", "--reporter=json", "--max-diagnostics=none", "src"],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics;
  } finally {
    await rm(folder, { recursive: true });
  }
}

it("a circle of types is an error of the linter", async () => {
  const found = (await lint(CIRCLE)).map(
    ({ category, location }) => `${location.path} ${category}`,
  );
  expect(found.sort()).toEqual(CIRCLE.map(([file]) => `${file} lint/suspicious/noImportCycles`));
});

/** A string that names a package, alone or with a path in it. Types are gone when the code runs. */
const PACKAGE = /"(?=[@a-z])((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"\s]*)?"/g;
const PACKAGE_IMPORTS =
  /^(?:import|export)(?! type\b)(?:[^"';]* from)? "([^"]+)";$|\b(?:import|meta\.resolve|require)\("([^"]+)"\)/gm;

it("`npm ci --omit=dev` brings every package that the product imports, and no other", async () => {
  const sources: string[] = [];
  for (const top of ["objects", "src"]) {
    for (const file of await readdir(join(ROOT, top), { recursive: true })) {
      const isSource = /\.tsx?$/.test(file) && !file.includes("dist/");
      if (isSource) sources.push(await readFile(join(ROOT, top, file), "utf8"));
    }
  }
  const packagesIn = (text: string) => [...text.matchAll(PACKAGE)].map(([, name = ""]) => name);
  const imported = sources.flatMap((text) =>
    [...text.matchAll(PACKAGE_IMPORTS)].flatMap(([, a, b]) => packagesIn(`"${a ?? b}"`)),
  );
  const { dependencies, devDependencies } = manifest;
  expect(imported.filter((name) => name in devDependencies)).toEqual([]);
  // Fonts are named where they are chosen, and `node` runs the scripts.
  const named = new Set(["node", ...sources.flatMap(packagesIn)]);
  expect(Object.keys(dependencies).filter((name) => !named.has(name))).toEqual([]);
  expect(new Set(imported)).toContain("miniflare");
});
