/** The blocks of the demo pages: what a newcomer does with them, and state folders that do not have them yet. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { reserveFile } from "../../src/files/files-store.ts";
import { FILE_BYTES_PER_PLAN } from "../../src/http/limits.ts";
import { documentOf, type Page, readPage } from "../../src/pages/pages-store.ts";
import { savePage } from "../../src/pages/save-page.ts";
import { PHONE, visitor } from "../browser/browser-kit.ts";
import { inBrowser, START_TIMEOUT_MS } from "../browser/in-browser.ts";
import { DEMO_BLOCKS, type DemoBlocks } from "../demo/blocks.ts";
import { DEMO_OWNER, DEMO_PAGES } from "../demo/data.ts";
import { seedDemo } from "../demo/seed.ts";
import { storePage } from "../plain-page.ts";
import { type Server, type ServerOptions, startServer } from "../server/server.ts";

const FILE_BYTES_MAX = 100_000;
/** From a form to its mail. */
const MAIL_DEADLINE_MS = 20_000;
/** Of the account with the plan free. */
const SENDER = "سلمى العطار";

inBrowser("a newcomer", (world) => {
  test("downloads, subscribes and tips on the demo pages, without a script", async () => {
    await using someone = await visitor(world, { ...PHONE, javaScriptEnabled: false });
    const { tab } = someone;
    await tab.goto("/demo");
    await expectFile(tab, "قائمة أسعار المجموعة الجديدة", blocksOf("demo"));

    await tab.getByLabel("عنوان بريدك").fill("newcomer@example.com");
    await tab.getByRole("button", { name: "اشترك" }).click();
    await tab.getByRole("heading", { name: "انظر في بريدك" }).waitFor();
    await openMail(tab, new URL("/mailbox", world.hub.url));
    await tab.locator('.mail a[href*="/newsletter/confirm?"]').first().click();
    await tab.getByRole("button", { name: "أكّد الاشتراك" }).click();
    await tab.getByRole("heading", { name: "أنت الآن مشترك في نشرة ليان الحوراني" }).waitFor();

    await tab.goto("/demo-en");
    const loop = "The saltmarsh loop, to keep";
    await tab.getByRole("link", { name: loop }).click();
    await tab.getByRole("button", { name: SENDER }).click();
    await tab.getByText("403").first().waitFor();
    await tab.goto("/demo-en");
    await tab.getByText("20 points", { exact: true }).click();
    await tab.getByRole("button", { name: "Continue" }).click();
    await tab.getByRole("button", { name: "Send now" }).click();
    await tab.getByRole("heading", { name: "Your tip has arrived. Thank you!" }).waitFor();
    await tab.goto("/demo-en");
    await expectFile(tab, loop, blocksOf("demo-en"));
  });
});

test("an older state folder gets the blocks once, and keeps what its creator has changed", {
  timeout: 3 * START_TIMEOUT_MS,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "sila-demo-"));
  const { file, links } = blocksOf("demo");
  const ids = links.map(({ link_id }) => link_id);
  const [download, tips, newsletter] = ids;
  try {
    await serve(folder, seedOld, async ({ url, server }) => {
      // The page's object reads its links.
      await visit(new URL("/r/demo/demo-video", url));
      await change(await server.db(), (page) => ({
        ...page,
        name: { ar: "اسم جديد" },
        links: page.links.filter(({ link_id }) => link_id !== "demo-shop"),
      }));
    });

    await serve(folder, seedDemo, async ({ url, server }) => {
      const html = await (await visit(new URL("/demo", url))).text();
      expect(html).toContain("اسم جديد");
      expect(html).not.toContain("demo-shop");
      for (const id of ids) expect(html).toContain(id);
      const query = `page_id=demo&link_id=${download}`;
      const sent = await visit(new URL(`/api/download/${file.file_id}?${query}`, url));
      expect(sent.status).toBe(200);
      expect(Buffer.from(await sent.arrayBuffer())).toEqual(Buffer.from(await file.content()));
      const db = await server.db();
      const clicks = db
        .prepare("SELECT SUM(n) AS n FROM tallies WHERE page_id = 'demo' AND link_id = ?1")
        .bind(download);
      await expect.poll(() => clicks.first("n")).toBe(1);
      await change(db, (page) => ({
        ...page,
        links: page.links.filter(({ link_id }) => link_id !== tips),
      }));
      expect((await read(db)).version).toBe(4);
    });

    await serve(folder, seedDemo, async ({ server }) => {
      const page = await read(await server.db());
      expect(page.version).toBe(4);
      expect(page.links.map(({ link_id }) => link_id)).toEqual([
        ...["demo-video", "demo-mail", "demo-phone"],
        ...[download, newsletter],
      ]);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the demo's files are small, and are what their types say", async () => {
  const pdf = Buffer.from(await blocksOf("demo").file.content());
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  const wav = Buffer.from(await blocksOf("demo-en").file.content());
  expect(wav.subarray(0, 4).toString()).toBe("RIFF");
  expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
  for (const { length } of [pdf, wav]) expect(length).toBeLessThanOrEqual(FILE_BYTES_MAX);
});

function blocksOf(page_id: string): DemoBlocks {
  const blocks = DEMO_BLOCKS[page_id];
  if (blocks === undefined) throw new Error(`${page_id} has no blocks`);
  return blocks;
}

/** Clicks the link, and expects the file as it was stored. */
async function expectFile(tab: Tab, name: string, { file }: DemoBlocks): Promise<void> {
  const begun = tab.waitForEvent("download");
  await tab.getByRole("link", { name }).click();
  const download = await begun;
  expect(download.suggestedFilename()).toBe(file.name);
  expect(await readFile(await download.path())).toEqual(Buffer.from(await file.content()));
}

/** Opens the newest mail of the mailbox, once there is one. */
async function openMail(tab: Tab, mailbox: URL): Promise<void> {
  const mails = tab.locator(".mails a");
  const count = async () => {
    await tab.goto(mailbox.href);
    return mails.count();
  };
  await expect.poll(count, { timeout: MAIL_DEADLINE_MS, interval: 300 }).toBe(1);
  await mails.first().click();
}

/** As earlier versions left it: pages without owner and blocks, and a file of a start that was killed. */
async function seedOld(db: D1Database): Promise<void> {
  for (const page of DEMO_PAGES) await storePage(db, { ...page, owner_id: null });
  const { file_id, name, type, content } = blocksOf("demo").file;
  const { length: size } = await content();
  const file = { file_id, owner_id: DEMO_OWNER, name, type, size, created_at: 0 };
  expect(await reserveFile(db, file, FILE_BYTES_PER_PLAN.pro, 0)).toBe(true);
}

async function serve(
  statePath: string,
  seed: NonNullable<ServerOptions["seed"]>,
  work: (service: { url: URL; server: Server }) => Promise<void>,
): Promise<void> {
  const vars = { FLUSH_SECONDS: "1", QUIET_FLUSH_SECONDS: "1" };
  const server = await startServer({ statePath, seed, vars });
  try {
    await work({ url: server.url, server });
  } finally {
    await server.dispose();
  }
}

/** A person's request. */
function visit(url: URL): Promise<Response> {
  const redirect = url.pathname.startsWith("/r/") ? "manual" : "follow";
  return fetch(url, { redirect, headers: { "User-Agent": PHONE.userAgent } });
}

async function read(db: D1Database): Promise<Page> {
  const page = await readPage(db, "demo");
  if (page === null) throw new Error("the demo page is gone");
  return page;
}

/** A save of the creator. */
async function change(db: D1Database, edit: (page: Page) => Page): Promise<void> {
  const page = await read(db);
  const what = ["name", "links"] as const;
  const document = documentOf(edit(page));
  const saved = await savePage(db, page, { document }, { what }, Date.now());
  expect(saved.outcome).toBe("saved");
}
