/** The files of `src/client/build.ts` as the platform serves them, and what the Worker answers in a visit. */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { ROOT } from "../../src/commands/root.ts";
import { canonicalSlug } from "../../src/http/ids.ts";
import { isReservedSlug } from "../../src/pages/document/reserved-slugs.ts";
import {
  BEACON_PATH,
  freshPage,
  PHONE,
  poll,
  type Visitor,
  visitor,
} from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { WORKER_REQUESTS } from "../visit.ts";

const PUBLIC = join(ROOT, "src/client/dist/public");
/** Not a file for browsers: the platform reads it. */
const HEADERS_FILE = "_headers";
const FILES = readdirSync(PUBLIC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== HEADERS_FILE)
  .map(({ parentPath, name }) => join(parentPath, name).slice(PUBLIC.length));
const { assets } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });

/** https://developers.cloudflare.com/workers/static-assets/headers: what is beyond them is ignored. */
const RULES_MAX = 100;
const LINE_CHARACTERS_MAX = 2_000;

const YEAR = "public, max-age=31536000, immutable";
const DAY = "public, max-age=86400";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/vnd.microsoft.icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

/** The headers of each file, as docs/contract.md section 3 has them. */
const EXPECTED = {
  "x-api-version": "3",
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "strict-transport-security": "max-age=63072000; includeSubDomains",
};

describe("the platform's own rules", () => {
  test("no file has the path of a page: the first segment of each is a reserved slug", () => {
    expect(FILES.length).toBeGreaterThan(50);
    for (const path of FILES) {
      const [, segment = ""] = path.split("/");
      expect([path, isReservedSlug(canonicalSlug(segment) ?? "")]).toEqual([path, true]);
    }
  });

  test("a path is a file's only where both are spelt alike, and else the Worker's", () => {
    expect(assets).toMatchObject({ html_handling: "none", not_found_handling: "none" });
    const patterns = assets?.run_worker_first;
    if (!Array.isArray(patterns)) throw new Error("run_worker_first is no list");
    // A path that is excluded by "!" would be answered without the Worker where no file is.
    expect(patterns.filter((pattern) => !/^\/[a-z]+\/\*$/.test(pattern))).toEqual([]);
    const shadowed = FILES.filter((path) =>
      patterns.some((one) => path.startsWith(one.slice(0, -1))),
    );
    expect(shadowed).toEqual([]);
  });

  test("the rules for headers are within the platform's limits, so none is ignored", () => {
    const lines = readFileSync(join(PUBLIC, HEADERS_FILE), "utf8").split("\n");
    expect(lines.filter((line) => line.startsWith("/")).length).toBeLessThanOrEqual(RULES_MAX);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(LINE_CHARACTERS_MAX);
    // A pattern may have one.
    expect(lines.filter((line) => /^\/.*\*.*\*/.test(line))).toEqual([]);
  });
});

inBrowser("in front of the Worker", (world) => {
  const get = (path: string, init: RequestInit = {}) =>
    fetch(world.origin + path, { redirect: "manual", ...init });

  test("S9: each file is served without the Worker, with the headers of every answer", async () => {
    for (const path of FILES) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      const content = readFileSync(join(PUBLIC, path));
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
      const headers = Object.fromEntries(response.headers);
      expect({ path, ...headers }).toMatchObject({
        path,
        ...EXPECTED,
        "content-type": TYPES[extname(path)],
        "cache-control": path.startsWith("/assets/") ? YEAR : DAY,
      });
      // The Worker gives one to each of its answers.
      expect(headers).not.toHaveProperty("x-request-id");
      expect(headers).not.toHaveProperty("set-cookie");
    }
  });

  test("a file that is not there is the service's own 404, which no cache keeps", async () => {
    const [css = ""] = FILES.filter((path) => path.endsWith(".css"));
    const missing = ["/assets/none-0123456789.js", "/assets/", `${css}/x`, `/demo${css}`];
    for (const path of [...missing, `/${HEADERS_FILE}`, "/index.html"]) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(response.headers.get("X-Request-Id")).not.toBeNull();
      expect(await response.json()).toMatchObject({ ok: false, error: expect.any(String) });
    }
    const page = await get("/assets/none.js", { headers: { Accept: "text/html" } });
    expect(page.headers.get("Content-Type")).toMatch(/^text\/html; charset=utf-8$/i);
  });

  async function watchWorker({
    context,
    tab,
  }: Visitor): Promise<{ asked: string[]; all: string[] }> {
    const watched = { asked: [] as string[], all: [] as string[] };
    const devtools = await context.newCDPSession(tab);
    await devtools.send("Network.enable");
    devtools.on("Network.responseReceived", ({ response }) => {
      const { origin, pathname } = new URL(response.url);
      if (origin !== world.origin || response.fromDiskCache) return;
      watched.all.push(pathname);
      const names = Object.keys(response.headers).map((name) => name.toLowerCase());
      if (names.includes("x-request-id")) watched.asked.push(pathname);
    });
    return watched;
  }

  test("a visit asks the Worker for the page, its picture and the count, and later not for the picture", async () => {
    await using someone = await visitor(world, PHONE);
    const { tab } = someone;
    const watched = await watchWorker(someone);
    const visit = async (): Promise<string[]> => {
      watched.asked.length = 0;
      watched.all.length = 0;
      await tab.goto("/demo");
      await tab.evaluate(() => document.fonts.ready);
      await poll(
        () => watched.asked,
        (paths) => paths.includes(BEACON_PATH),
      );
      return watched.asked.toSorted();
    };
    const first = await visit();
    expect(first).toEqual([BEACON_PATH, "/demo", expect.stringMatching(/^\/media\//)].toSorted());
    expect(first).toHaveLength(WORKER_REQUESTS.first_visit);
    // The style sheet, the script and the fonts, which are nobody's request.
    expect(watched.all.length - watched.asked.length).toBeGreaterThanOrEqual(4);
    await tab.goto("about:blank");
    const second = await visit();
    expect(second).toEqual([BEACON_PATH, "/demo"]);
    expect(second).toHaveLength(WORKER_REQUESTS.return_visit);
    expect(watched.all).toEqual(expect.arrayContaining(second));
    expect(watched.all).toHaveLength(second.length);
    expect(await someone.complaints()).toEqual([]);
  });

  test("a click asks the Worker once", async () => {
    await using someone = await visitor(world, PHONE);
    const { tab } = someone;
    const { page_id } = await freshPage(world);
    const counted = tab.waitForResponse(`**${BEACON_PATH}`);
    await tab.goto(`/${page_id}`);
    await counted;
    const asked: string[] = [];
    someone.context.on("request", (request) => {
      if (new URL(request.url()).origin === world.origin) asked.push(request.url());
    });
    await tab.locator('a[href$="/shop"]').tap();
    await tab.waitForURL(`http://shop.example.com/${page_id}`);
    expect(asked, asked.join()).toHaveLength(WORKER_REQUESTS.click);
  });
});
