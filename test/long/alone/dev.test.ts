/** `npm run dev`, on a copy of the tree whose files the tests save. */
import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../../src/commands/root.ts";
import { bundleWorker } from "../../../src/commands/serve/bundle.ts";
import { type Code, readBundle } from "../../../src/commands/serve/modules.ts";
import { createBundler } from "../../server/dev-bundle.ts";
import { click, leftOvers, MARK, NpmRun, nameOf, START_TIMEOUT_MS, signIn } from "../npm-run.ts";

/** What `npm run dev` needs of the tree. */
const COPIED = [
  "migrations",
  "objects",
  "package.json",
  "src",
  "test/demo",
  "test/plain-page.ts",
  "test/random.ts",
  "test/server",
  "tsconfig.json",
  "wrangler.toml",
];
/** For answers that no promise is about. */
const DEADLINE_MS = 30_000;
/** The bio page's element that carries a version here. */
const VERSION = /<main class="page"(?: data-version="([^"]*)")?>/;

let tree: string;
let run: NpmRun;
let address: string;
const mark = randomUUID();

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "sila-dev-"));
  await mkdir(join(tree, "test"));
  for (const path of COPIED) await cp(join(ROOT, path), join(tree, path), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(tree, "node_modules"));
  const env = { PORT: "0", STATE_PATH: join(tree, "state"), [MARK]: mark };
  run = new NpmRun(["run", "dev"], env, tree);
  address = await run.address();
}, START_TIMEOUT_MS);
afterAll(async () => {
  await run.stop("SIGTERM");
  await rm(tree, { recursive: true, force: true });
});

test(
  "the bundle of npm run dev is wrangler's, but for minifying and the source map",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sila-bundle-"));
    try {
      const deployed = await readBundle(await bundleWorker(folder));
      const bundle = await createBundler({ minify: true });
      const made = await bundle();
      const uploaded = ({ script, wasm }: Code) => ({
        script: `${script}//# sourceMappingURL=index.js.map\n`,
        wasm,
      });
      const [workshop, identity] = [uploaded(made.workshop), uploaded(made.identity)];
      expect(deployed).toEqual({ ...uploaded(made), workshop, identity });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  START_TIMEOUT_MS,
);

test("a saved file of src, objects or a style is served, with state kept", {
  timeout: 5 * DEADLINE_MS,
}, async () => {
  expect(await click(address)).toBe("counted");
  const cookie = await signIn(address, "demo-pro");
  const name = await nameOf(address, cookie);
  expect(name).toBeDefined();

  await saveVersion("saved");
  await served(async () => (await version()) === "saved");

  await edit("objects/page/event-recorder.ts", 'return "duplicate"', 'return "seen before"');
  // The object still has the click, or it would be counted again.
  await served(async () => (await click(address)) === "seen before");

  await edit("src/identity/texts.ts", 'title: "تسجيل الدخول"', 'title: "من أنت؟"');
  const signInPage = async () => (await get("/account/sign-in?lang=ar")).text();
  await served(async () => (await signInPage()).includes("من أنت؟"));
  expect(await signInPage()).toContain('value="demo-pro"');

  await edit("src/client/bio.css", "", ".saved-style { color: red; }\n");
  await served(async () => (await style()).includes(".saved-style{"));
  expect(await nameOf(address, cookie)).toBe(name);
});

test("a script or style is built again after a save of any module that it imports", {
  timeout: 5 * DEADLINE_MS,
}, async () => {
  const headers = { Cookie: await signIn(address, "demo-pro") };
  const bioPage = () => get("/demo-en");
  const dashboard = () => get("/dashboard/demo", headers);
  const editor = () => get("/dashboard/pages/demo/edit", headers);
  for (const [file, from, to, asset, type, where] of [
    [
      "src/counting/limits.ts",
      "UTM_CHARS_MAX = 100;",
      "UTM_CHARS_MAX = 99;",
      "beacon",
      "js",
      bioPage,
    ],
    ["objects/page/close-code.ts", "4000;", "4001;", "dashboard", "js", dashboard],
    ["src/views/palette.ts", "#f8f3ea", "#f8f3eb", "bio", "css", bioPage],
    // The editor renders pages, too.
    ["src/pages/render/long-text.tsx", 'class="', 'class="saved ', "editor-ar", "js", editor],
  ] as const) {
    const pattern = new RegExp(`/assets/${asset}-\\w+\\.${type}`);
    const url = async () => pattern.exec(await (await where()).text())?.[0];
    const before = await url();
    expect(before, asset).toBeDefined();
    await edit(file, from, to);
    await served(async () => ![undefined, before].includes(await url()));
  }
});

test("an error in src or at start is printed, and the old version is served until a good save", {
  timeout: 4 * DEADLINE_MS,
}, async () => {
  for (const [file, bad, message] of [
    [
      "src/pages/render/bio-body.tsx",
      "const = 1;\n",
      /src\/pages\/render\/bio-body\.tsx:1:6: ERROR/,
    ],
    ["src/index.ts", 'throw new Error("not today");\n', /not today/],
  ] as const) {
    const before = await page();
    const from = run.output.length;
    const good = await readFile(join(tree, file), "utf8");
    await edit(file, "", bad);
    await run.printed(message, from);
    await run.printed(/the previous version is still served/, from);
    await served(async () => (await page()) === before);

    await writeFile(join(tree, file), good);
    await saveVersion(`after ${file}`);
    await served(async () => (await version()) === `after ${file}`);
  }
});

test("SIGTERM during a reload ends it and leaves nothing behind", {
  timeout: DEADLINE_MS,
}, async () => {
  await edit("src/index.ts", "", "\n");
  expect(await run.stop("SIGTERM")).toBe(0);
  // esbuild ends when its parent has.
  await expect.poll(() => leftOvers(mark), { timeout: DEADLINE_MS }).toEqual([]);
});

/** Saves a file with a part replaced; an empty `from` stands for the beginning. */
async function edit(file: string, from: string, to: string): Promise<void> {
  const path = join(tree, file);
  const text = await readFile(path, "utf8");
  const edited = text.replace(from, to);
  if (edited === text) throw new Error(`${file} has no ${from}`);
  await writeFile(path, edited);
}

/** Saves a bio page that carries this version: by a rename over the file, as many editors do. */
async function saveVersion(version: string): Promise<void> {
  const path = join(tree, "src/pages/render/bio-body.tsx");
  const text = await readFile(path, "utf8");
  const edited = text.replace(VERSION, `<main class="page" data-version="${version}">`);
  if (edited === text) throw new Error(`the bio page has no ${VERSION}`);
  await writeFile(`${path}~`, edited);
  await rename(`${path}~`, path);
}

/** The version of the bio page that is served. */
async function version(): Promise<string | undefined> {
  return VERSION.exec(await page())?.[1];
}

/** Resolves when the check passes; while workerd restarts, requests fail. */
function served(check: () => Promise<boolean>): Promise<void> {
  return expect
    .poll(() => check().catch(() => false), { timeout: DEADLINE_MS, interval: 20 })
    .toBe(true);
}

let senders = 0;

/** Each request comes from a sender of its own: 60 per minute of one would be the limit. */
function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  senders += 1;
  const sender = `2001:db8:${(senders >> 16).toString(16)}:${(senders & 0xffff).toString(16)}::1`;
  return fetch(new URL(path, address), { headers: { ...headers, "CF-Connecting-IP": sender } });
}

async function page(): Promise<string> {
  return (await get("/demo-en")).text();
}

/** The bio page's style sheet. */
async function style(): Promise<string> {
  const [, url] = /href="(\/assets\/bio-[^"]+)"/.exec(await page()) ?? [];
  return (await get(url ?? "/")).text();
}
