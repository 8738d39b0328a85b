/** `npm run release` in a checkout of its own, whose folder has a name with a space and Arabic letters. */
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { copyCheckout } from "../platform/checkout.ts";

const TIMEOUT_MS = 300_000;
const [MAJOR, MINOR] = manifest.version.split(".").map(Number);
const NEXT = `${MAJOR}.${(MINOR ?? 0) + 1}.0`;

let parent: string;
let root: string;
const git = (...args: string[]) => {
  const author = ["-c", "user.name=Sila", "-c", "user.email=team@sila.example"];
  return execFileSync("git", [...author, ...args], { cwd: root, encoding: "utf8" });
};
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "sila-release-"));
  root = await copyCheckout(join(parent, "صلة، my copy"));
  git("init", "--quiet");
  await writeFile(join(root, ".git/info/exclude"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "A checkout");
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const read = (path: string) => readFile(join(root, path), "utf8");

/** The exit code, and all that it printed. */
function release(...args: string[]): { code: number; output: string } {
  try {
    const command = ["--no-warnings", "test/releases/release.ts", ...args];
    const env = { ...process.env, NODE_ENV: undefined };
    const stdio = "pipe" as const;
    return {
      code: 0,
      output: execFileSync(process.execPath, command, { cwd: root, env, stdio, encoding: "utf8" }),
    };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, output: stdout + stderr };
  }
}

async function commitChange(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(join(root, path), change(await read(path)));
  git("commit", "--quiet", "--all", "--allow-empty", "--message", "A change");
}

test.each([[manifest.version], [`${MAJOR}.0${(MINOR ?? 0) + 1}.0`], [NEXT, "more"]])(
  "a version that does not move, or is none, makes no release: %s %s",
  (...args) => {
    expect(release(...args.filter((one) => one !== undefined))).toMatchObject({ code: 2 });
    expect(git("status", "--porcelain")).toBe("");
  },
);

test("nor does a checkout with a change, a release of which nothing is said, or a build that fails", {
  timeout: TIMEOUT_MS,
}, async () => {
  const changes = await read("CHANGELOG.md");
  await writeFile(join(root, "new-file.txt"), "");
  expect(release(NEXT).output).toContain("Commit or put away first:\n?? new-file.txt");
  await rm(join(root, "new-file.txt"));

  await commitChange("CHANGELOG.md", (text) =>
    text.replace(/## \[Unreleased\]\n[\s\S]*?\n## \[/, "## [Unreleased]\n\n## ["),
  );
  expect(release(NEXT).output).toContain("says nothing about what is not released");
  await commitChange("CHANGELOG.md", () =>
    changes.replace("## [Unreleased]\n", "## [Unreleased]\n\n- A line.\n"),
  );

  const entry = await read("src/index.ts");
  await commitChange("src/index.ts", (text) => `${text}\nimport "./not-there.ts";\n`);
  const broken = release(NEXT);
  expect(broken.output).toContain("not-there.ts");
  expect(broken.output).toContain("Everything is as it was.");
  expect([broken.code, git("status", "--porcelain")]).toEqual([1, ""]);
  await commitChange("src/index.ts", () => entry);
});

test("one release moves the version everywhere, dates the changes and keeps the bundle; a second one needs more", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output } = release(NEXT);
  expect(code, output).toBe(0);
  expect(JSON.parse(await read("package.json")).version).toBe(NEXT);
  const lock = JSON.parse(await read("package-lock.json"));
  expect([lock.version, lock.packages[""].version]).toEqual([NEXT, NEXT]);
  const today = new Date().toISOString().slice(0, 10);
  expect(await read("CHANGELOG.md")).toContain(`## [Unreleased]\n\n## [${NEXT}] - ${today}\n`);
  const kept = await readdir(join(root, "test/releases"));
  expect(kept.filter((name) => name.endsWith(".br"))).toContain(`${NEXT}.json.br`);
  const changed = git("status", "--porcelain", "--untracked-files=all").match(/\S+$/gm);
  expect(changed).toEqual(expect.arrayContaining(["CHANGELOG.md", "package-lock.json"]));
  expect(release(NEXT).code).toBe(2);
});
