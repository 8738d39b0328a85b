/** The rooms' rules of import in biome.jsonc: each room has one, and each notices what it forbids. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../../src/serve/bundle.ts";

/** For each room a file and an import that the room's rule must notice. */
const FORBIDDEN = [
  ["objects/platform/a.ts", "../tables/event.ts"],
  ["objects/limiter/a.ts", "../tables/event.ts"],
  ["objects/tables/a.ts", "../page/live.ts"],
  ["objects/flush/a.ts", "../tables/event.ts"],
  ["objects/stats/a.ts", "../tables/event.ts"],
  ["objects/page/a.ts", "../../src/http/limits.ts"],
  ["objects/errors/a.ts", "../tables/event.ts"],
  ["objects/tips/a.ts", "../page/live.ts"],
  ["objects/downloads/a.ts", "../page/live.ts"],
  ["objects/newsletter/a.ts", "../page/live.ts"],
  ["objects/webhooks/a.ts", "../page/live.ts"],
  ["objects/monitor/a.ts", "../page/live.ts"],
  ["src/cron.ts", "./stats/stats-route.ts"],
  ["src/page-renderer.ts", "./pages/page-route.ts"],
  ["src/views/a.ts", "../http/limits.ts"],
  ["src/http/a.ts", "../pages/pages-store.ts"],
  ["src/pages/a.ts", "../accounts/session.ts"],
  ["src/accounts/a.ts", "./auth-route.ts"],
  ["src/dashboard/a.ts", "../stats/calendar.ts"],
  ["src/editor/a.ts", "../stats/calendar.ts"],
  ["src/counting/a.ts", "../stats/calendar.ts"],
  ["src/errors/a.ts", "../counting/classify.ts"],
  ["src/pictures/a.ts", "../counting/classify.ts"],
  ["src/tips/a.ts", "../stats/calendar.ts"],
  ["src/files/a.ts", "../stats/calendar.ts"],
  ["src/newsletter/a.ts", "../stats/calendar.ts"],
  ["src/webhooks/a.ts", "../stats/calendar.ts"],
  ["src/restored/a.ts", "../stats/calendar.ts"],
  ["src/dump/a.ts", "../accounts/session.ts"],
  ["src/dump/command/a.ts", "../../pages/pages-store.ts"],
  ["src/ai/a.ts", "../stats/calendar.ts"],
  ["src/operate/a.ts", "../stats/calendar.ts"],
  ["src/authoring/a.ts", "../stats/calendar.ts"],
  ["src/authoring/transfer/a.ts", "../../stats/calendar.ts"],
  ["src/workshop/a.ts", "../accounts/session.ts"],
  ["src/identity/a.ts", "../stats/calendar.ts"],
  ["src/stats/a.ts", "./dashboard/dates.ts"],
  ["src/stats/dashboard/a.ts", "../stats-route.ts"],
  ["src/site/a.ts", "../accounts/session.ts"],
  ["src/site/docs/a.ts", "../robots.ts"],
  ["src/site/openapi/a.ts", "../docs/docs-page.tsx"],
  ["src/counting/a.openapi.ts", "./beacon-route.ts"],
  ["src/deploy/a.ts", "../pages/pages-store.ts"],
  ["src/serve/a.ts", "../deploy/wrangler.ts"],
  ["src/serve/worker/a.ts", "../server.ts"],
  ["src/client/a.ts", "../http/context.ts"],
  ["src/client/editor/a.ts", "../../authoring/save.ts"],
  ["src/client/editor/links/a.ts", "../../../pages/pages-store.ts"],
] as const;

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
    // The folder is no repository.
    await writeFile(join(folder, "biome.jsonc"), rules.replace(/^ *"vcs": .*$/m, ""));
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
      ["lint", "--reporter=json", "--max-diagnostics=none", "src", "objects"],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics;
  } finally {
    await rm(folder, { recursive: true });
  }
}

it("an import against the order of the rooms is an error, and so is a circle of types", async () => {
  const found = (await lint([...FORBIDDEN, ...CIRCLE])).map(
    ({ category, location }) => `${location.path} ${category}`,
  );
  expect(found.sort()).toEqual(
    [
      ...FORBIDDEN.map(([file]) => `${file} lint/style/noRestrictedImports`),
      ...CIRCLE.map(([file]) => `${file} lint/suspicious/noImportCycles`),
    ].sort(),
  );
});

it("every room has a rule", async () => {
  const rules = new Set<string>(FORBIDDEN.map(([file]) => dirname(file)));
  const rooms: string[] = [];
  for (const top of ["objects", "src"]) {
    for (const entry of await readdir(join(ROOT, top), { recursive: true, withFileTypes: true })) {
      const folder = join(entry.parentPath, entry.name);
      const holds_code =
        entry.isDirectory() && (await readdir(folder)).some((name) => /\.tsx?$/.test(name));
      if (holds_code) rooms.push(folder.slice(ROOT.length));
    }
  }
  // The folders of the editor are parts of one room, with one rule for all.
  const isPart = (room: string) => room.startsWith("src/client/editor/");
  expect(rooms.filter((room) => !rules.has(room) && !isPart(room))).toEqual([]);
  expect(rooms.length).toBeGreaterThan(15);
});

/** A string that names a package, alone or with a path in it. Types are gone when the code runs. */
const PACKAGE = /"(?=[@a-z])((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"\s]*)?"/g;
const IMPORTS =
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
    [...text.matchAll(IMPORTS)].flatMap(([, a, b]) => packagesIn(`"${a ?? b}"`)),
  );
  const { dependencies, devDependencies } = manifest;
  expect(imported.filter((name) => name in devDependencies)).toEqual([]);
  // Fonts are named where they are chosen, and `node` runs the scripts.
  const named = new Set(["node", ...sources.flatMap(packagesIn)]);
  expect(Object.keys(dependencies).filter((name) => !named.has(name))).toEqual([]);
  expect(new Set(imported)).toContain("miniflare");
});
