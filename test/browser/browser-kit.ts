/**
 * What the browser tests share: the real Worker, a real Chromium, visitors, and a server for the outside
 * world.
 *
 * Nothing leaves this machine. A rule inside the browser resolves the hosts of links to our little
 * server, so a click takes the same way as in production, the redirect included. No other name resolves.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import {
  type BrowserContextOptions,
  type BrowserContext as Context,
  chromium,
  devices,
  type Page as Tab,
} from "playwright-core";
import { ROOT } from "../../src/commands/root.ts";
import { readSecrets } from "../../src/commands/serve/server.ts";
import { hex } from "../../src/http/bytes.ts";
import type { Page } from "../../src/pages/document/pages-store.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { startWithHub } from "../demo/neighbours/with-neighbours.ts";
import { seedDemo } from "../demo/seed.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { secretOf } from "../secret.ts";
import { freePair } from "../server/ports.ts";
import { WAIT_MS } from "./wait.ts";

/** The longest time from a click to its count in D1, beside other work on a machine of a quarter of the speed. */
const COUNT_DEADLINE_MS = 40_000;
const POLL_MS = 50;
/** Seconds; short, because tests wait for flushes. */
export const FLUSH_SECONDS = "1";

export const PHONE = devices["Pixel 7"];
export const DESKTOP = devices["Desktop Chrome"];
export const BEACON_PATH = "/api/analytics/view";

/**
 * Flags of every Chromium here. Not the `args` that @sparticuz/chromium recommends for Lambda: they use
 * one process and turn off web security, which is under test.
 */
export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--no-pings",
];

/** Chromium's rule that resolves no name but this machine's. */
export const NOTHING_ELSE = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";

/** Systems for which @sparticuz/chromium is built; others need `CHROME_PATH`. */
export const HAS_CHROMIUM =
  process.env.CHROME_PATH !== undefined || (process.platform === "linux" && process.arch === "x64");

/**
 * The path of the browser, unpacked once per version. The package itself would unpack to /tmp/chromium
 * and reuse any file there, of another version or incomplete.
 */
export async function chromiumPath(): Promise<string> {
  if (process.env.CHROME_PATH !== undefined) return process.env.CHROME_PATH;
  const manifest = join(ROOT, "node_modules/@sparticuz/chromium/package.json");
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const folder = join(ROOT, `node_modules/.cache/chromium-${version}`);
  if (!existsSync(folder)) {
    await mkdir(join(ROOT, "node_modules/.cache"), { recursive: true });
    const making = await mkdtemp(`${folder}-`);
    try {
      await promisify(execFile)(
        process.execPath,
        [
          "--input-type=module",
          "--eval",
          'await (await import("@sparticuz/chromium")).default.executablePath()',
        ],
        { cwd: ROOT, env: { ...process.env, TMPDIR: making } },
      );
      // Fails if another process was faster; then nothing is left to do.
      await rename(making, folder).catch((error) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }
  return join(folder, "chromium");
}

/** A browser with its profile in `folder`, which a later one may go on with. */
export async function launchIn(
  folder: string,
  { args = [], ...options }: NonNullable<Parameters<typeof chromium.launchPersistentContext>[1]>,
): Promise<Context> {
  return chromium.launchPersistentContext(folder, {
    executablePath: await chromiumPath(),
    args: [...CHROMIUM_ARGS, `--host-resolver-rules=${NOTHING_ELSE}`, ...args],
    ...options,
  });
}

export async function launchWithPort(folder: string) {
  const context = await launchIn(folder, { args: ["--remote-debugging-port=0"] });
  // The file in which Chromium writes its port.
  const [port] = (await readFile(join(folder, "DevToolsActivePort"), "utf8")).split("\n");
  return { port: Number(port), close: () => context.close() };
}

/** A server for all links of test pages. `arrivals` has its requests, as `host/path`. */
async function startOutsideWorld() {
  const arrivals: string[] = [];
  const server = createServer(({ headers, url }, response) => {
    arrivals.push(`${headers.host}${url}`);
    response.setHeader("Content-Type", "text/html");
    response.end("<!DOCTYPE html><title>outside</title><h1>Elsewhere</h1>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { arrivals, port, close };
}

export type Service = Awaited<ReturnType<typeof startService>>;
export type World = Awaited<ReturnType<typeof startWorld>>;

export async function startService() {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sila-browser-"));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  const { server, hub, origin, dispose } = await startWithHub({
    port: pair.port,
    hostname: "127.0.0.1",
    statePath: folder,
    // Tests read D1 and not through the object, which nobody looks at.
    vars: { FLUSH_SECONDS, QUIET_FLUSH_SECONDS: FLUSH_SECONDS, OPERATORS: DEMO_OWNER },
    seed: seedDemo,
  });
  starting.defer(dispose);
  const outside = await startOutsideWorld();
  starting.defer(outside.close);
  const started = starting.move();
  return {
    folder,
    server,
    hub,
    origin,
    arrivals: outside.arrivals,
    outside_port: outside.port,
    close: () => started.disposeAsync(),
  };
}

export async function startWorld() {
  await using starting = new AsyncDisposableStack();
  const service = await startService();
  starting.defer(service.close);
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    args: [
      ...CHROMIUM_ARGS,
      `--host-resolver-rules=MAP *.example.com 127.0.0.1:${service.outside_port}, ${NOTHING_ELSE}`,
    ],
  });
  starting.defer(() => browser.close());
  const started = starting.move();
  return { ...service, browser, close: () => started.disposeAsync() };
}

let addresses_made = 0;

/** An address that no other test in this file uses, so that no test meets another's limit. */
export function freshAddress(): string {
  addresses_made += 1;
  return `10.9.${addresses_made >> 8}.${addresses_made & 255}`;
}

export async function freshPage({ server }: World): Promise<Page> {
  const page_id = `page-${crypto.randomUUID().slice(0, 8)}`;
  const page = plainPage({
    page_id,
    name: "ليان الحوراني",
    bio: "خزّافة من صور",
    look: { palette: "ink" },
    contact: { name: "ليان الحوراني", emails: ["layan@example.com"] },
    links: [
      { link_id: "shop", label: "المتجر", url: `http://shop.example.com/${page_id}` },
      { link_id: "video", label: "فيديو", url: `http://video.example.com/${page_id}` },
      { link_id: "mail", label: "راسلني", url: "mailto:layan@example.com" },
      { link_id: "phone", label: "اتصل بي", url: "tel:+447700900142" },
    ],
  });
  await storePage(await server.db(), page);
  return page;
}

export interface Visitor extends AsyncDisposable {
  context: Context;
  tab: Tab;
  /** Errors, and breaches of what we promise visitors, in all tabs so far. */
  complaints(): Promise<string[]>;
}

/** What Chromium says of a font where a busy machine paints the page some seconds after its load. */
const OF_THE_MACHINE = /was preloaded using link preload but not used/;

/**
 * A visitor with an address of their own, on a desktop by default. The device sets the user agent,
 * because headless Chromium's own is a bot's.
 */
export async function visitor(
  { browser, origin }: Pick<World, "browser" | "origin">,
  device: BrowserContextOptions = DESKTOP,
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: origin,
    extraHTTPHeaders: { "CF-Connecting-IP": freshAddress() },
    ...device,
  });
  context.setDefaultTimeout(WAIT_MS);
  const complaints: string[] = [];
  context.on("console", (message) => {
    const is_complaint = ["error", "warning"].includes(message.type());
    if (is_complaint && !OF_THE_MACHINE.test(message.text())) complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("request", (request) => {
    if (new URL(request.url()).origin !== origin && !request.isNavigationRequest()) {
      complaints.push(`request to ${request.url()}`);
    }
  });
  context.on("response", async (response) => {
    // A response that arrives after its page closed has no headers, and sets no cookie.
    const headers = await response.headersArray().catch(() => []);
    if (headers.some(({ name }) => /^set-cookie$/i.test(name))) {
      complaints.push(`cookie from ${response.url()}`);
    }
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`blocked by CSP: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return {
    context,
    tab: await context.newPage(),
    async complaints() {
      const cookies = await context.cookies();
      return [...complaints, ...cookies.map(({ name }) => `cookie ${name}`)];
    },
    async [Symbol.asyncDispose]() {
      // A handler of a route that is still at work fails as its context closes: nobody waits for it.
      await context.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
    },
  };
}

export async function poll<T>(
  read: () => T | Promise<T>,
  isEnough: (value: T) => boolean,
  deadline_ms = COUNT_DEADLINE_MS,
): Promise<T> {
  const deadline = performance.now() + deadline_ms;
  for (;;) {
    const value = await read();
    if (isEnough(value) || performance.now() > deadline) return value;
    await pause(POLL_MS);
  }
}

export async function countsInD1({ server }: Service, page_id: string): Promise<Counts> {
  const db = await server.db();
  const { results } = await db
    .prepare(
      `SELECT trim(kind || ' ' || class || ' ' || link_id) AS name, SUM(n) AS n FROM tallies
       WHERE page_id = ?1 GROUP BY name`,
    )
    .bind(page_id)
    .all<{ name: string; n: number }>();
  return Object.fromEntries(results.map(({ name, n }) => [name, n]));
}

/** Counts by `kind class link_id`, as `{"view human": 2, "click human shop": 1}`. */
export type Counts = Record<string, number>;

/** The cookie of the page owner's browser, signed as in `src/accounts/owner-cookie.ts` without https. */
async function ownerCookie({ folder }: Service, page_id: string): Promise<string> {
  const key = secretOf((await readSecrets(folder)).SESSION_KEY);
  const payload = `${Math.floor(Date.now() / 1_000) + 60}.${page_id}`;
  return `owner_of=${payload}.${hex(await key.sign(`owner_of\n${payload}`))}`;
}

/** A marker event by which {@link settledCounts} notices a flush; no test has such an event. */
export const MARKER = "view owner";

/**
 * A page's counts in D1 after `expected` events have arrived and one more flush is over.
 *
 * The second flush is found by a marker event that is counted last: a flush takes everything counted
 * before it, so an event that was counted twice is in D1 when the marker is.
 */
export async function settledCounts(
  world: Service,
  page_id: string,
  expected: number,
): Promise<Counts> {
  const read = () => countsInD1(world, page_id);
  await poll(read, (counts) => sum(counts) >= expected);
  const { status } = await fetch(new URL(BEACON_PATH, world.origin), {
    method: "POST",
    headers: { "CF-Connecting-IP": freshAddress(), Cookie: await ownerCookie(world, page_id) },
    body: JSON.stringify({ page_id }),
  });
  if (status !== 202) throw new Error(`the marker was not counted: ${status}`);
  const { [MARKER]: marked, ...counts } = await poll(read, (counts) => MARKER in counts);
  if (marked !== 1) throw new Error(`the marker was counted ${marked} times`);
  return counts;
}

export function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}
