/** Downloads in a real browser: a creator uploads a file and offers it, visitors download it. */
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { breaches } from "../browser/axe.ts";
import { countsInD1, DESKTOP, PHONE, poll, visitor } from "../browser/browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  isSaved,
  openEditor,
  ownPage,
  previewOf,
  savedPage,
  signIn,
} from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { row } from "../browser/links-kit.ts";

/** Two whole parts and a short one. */
const LARGE_BYTES = 18_000_000;
/** 31 bytes. */
const TEXT = "شكرًا لكم جميعًا\n";

/** Adds a download block and opens the dialog for its file. */
async function openFiles(tab: Tab, add: string, choose: string): Promise<void> {
  await tab.locator(".add-others").getByRole("button", { name: add }).click();
  await tab.locator(".download-form").getByRole("button", { name: choose }).click();
  await tab.locator(".files-dialog .files-space").waitFor();
}

async function chooseOnDevice(tab: Tab, path: string): Promise<void> {
  await tab.locator('.files-dialog input[type="file"]').setInputFiles(path);
}

/** The numbers of the parts that the browser sends from now on. */
function partsSent(tab: Tab): number[] {
  const sent: number[] = [];
  tab.on("request", (request) => {
    const [, n] = /\/parts\/(\d+)$/.exec(request.url()) ?? [];
    if (n !== undefined) sent.push(Number(n));
  });
  return sent;
}

const used = (tab: Tab) => tab.locator(".files-space progress").getAttribute("value");

inBrowser("files in the editor", (world) => {
  /** A file on the creator's device. Its time stays the same, whenever it is chosen. */
  async function fileOf(name: string, bytes: Uint8Array): Promise<string> {
    const path = join(world.folder, name);
    await writeFile(path, bytes);
    await utimes(path, 1_700_000_000, 1_700_000_000);
    return path;
  }

  test.each([
    { lang: "ar", device: PHONE, add: "ملف للتنزيل", choose: "اختر ملفًا", uses: "أقصى عدد" },
    { lang: "en", device: DESKTOP, add: "Download", choose: "Choose a file", uses: "Most" },
  ] as const)("a creator uploads a file, and the page offers it: $lang", async (each) => {
    const { lang, device, add, choose, uses } = each;
    // axe is an inline script.
    await using someone = await creator(world, { ...device, bypassCSP: true });
    const { tab } = someone;
    const { page_id } = await ownPage(world, { links: [], locales: [lang], name: { [lang]: "L" } });
    await openEditor(tab, page_id, { lang });
    await openFiles(tab, add, choose);
    const before = Number(await used(tab));
    await chooseOnDevice(tab, await fileOf(`كتابي ${lang}.txt`, Buffer.from("مرحبًا بكم")));
    // It is chosen for the block, which had none.
    await tab.locator(".files-dialog").waitFor({ state: "detached" });
    await expect
      .poll(() => tab.locator(".download-file .file-name").textContent())
      .toBe(`كتابي ${lang}.txt`);
    await tab
      .locator(".download-form")
      .getByLabel(uses)
      .fill(lang === "ar" ? "١٠٠" : "100");
    await isSaved(tab);
    await expect
      .poll(async () => (await savedPage(tab, page_id)).links)
      .toMatchObject([{ kind: "download", url: null, block: { access: "free", uses_max: 100 } }]);
    await expect
      .poll(() => previewOf(tab).locator(".download .note").textContent())
      .toContain(lang === "ar" ? "تنزيل مجاني" : "Free download");
    await tab.locator(".download-file button").click();
    await expect.poll(async () => Number(await used(tab)) - before).toBe(19);
    expect(await breaches(tab)).toEqual([]);
    await tab.keyboard.press("Escape");
    expect(await breaches(tab)).toEqual([]);
    await expectNoComplaints(someone);
  });

  test("an upload that was cut off goes on where it stopped, also after a reload", async () => {
    await using someone = await creator(world);
    const { tab } = someone;
    const { page_id } = await ownPage(world, { links: [] });
    const path = await fileOf("film.bin", Buffer.alloc(LARGE_BYTES, "film"));
    const sent = partsSent(tab);
    await tab.route("**/parts/2", (route) => route.abort());
    await openEditor(tab, page_id, { lang: "en" });
    await openFiles(tab, "Download", "Choose a file");
    await chooseOnDevice(tab, path);
    const line = tab.locator(".files-dialog .file-line").first();
    await expect.poll(() => line.locator(".hint").textContent()).toContain("was lost");
    await line.getByRole("button", { name: "Pause the upload of “film.bin”" }).click();
    await expect.poll(() => line.locator(".hint").textContent()).toContain("Paused. 8.4 MB of 18");
    expect(sent.slice(0, 2)).toEqual([1, 2]);
    await tab.unroute("**/parts/2");
    sent.length = 0;

    await tab.reload();
    await openFiles(tab, "Download", "Choose a file");
    await expect.poll(() => line.textContent()).toContain("not complete");
    await chooseOnDevice(tab, path);
    await tab.locator(".files-dialog").waitFor({ state: "detached" });
    expect(sent).toEqual([2, 3]);
    await isSaved(tab);
    const { links } = await savedPage(tab, page_id);
    expect(links).toMatchObject([{ kind: "download" }]);
  });

  test("a file that no page uses is deleted, after a question, and one that is used is not", async () => {
    await using someone = await creator(world);
    const { tab } = someone;
    const { page_id } = await ownPage(world, { links: [] });
    await openEditor(tab, page_id, { lang: "en" });
    await openFiles(tab, "Download", "Choose a file");
    await chooseOnDevice(tab, await fileOf("mine.txt", Buffer.from("mine")));
    await tab.locator(".files-dialog").waitFor({ state: "detached" });
    await isSaved(tab);
    await tab.locator(".download-file button").click();
    const dialog = tab.locator(".files-dialog");
    const line = dialog.locator(".file-line", { hasText: "mine.txt" });
    const remove = async () => {
      await line.getByRole("button", { name: "Delete “mine.txt”" }).click();
      await line.getByRole("button", { name: "Delete for good" }).click();
    };
    await remove();
    await expect.poll(() => line.locator(".error").textContent()).toContain("uses this file");
    await tab.keyboard.press("Escape");
    await row(tab, "Download").locator(".row-form .remove").click();
    await isSaved(tab);
    await openFiles(tab, "Download", "Choose a file");
    await remove();
    await line.waitFor({ state: "detached" });
  });

  /** A published page with a file of this text, made by its creator, who stays in the editor. */
  async function offer(
    tab: Tab,
    lang: "ar" | "en",
    { name = "gift.txt", access, uses_max }: { name?: string; access?: string; uses_max?: string },
  ): Promise<string> {
    const { page_id } = await ownPage(world, {
      links: [],
      locales: [lang],
      name: { [lang]: "Layan" },
    });
    await openEditor(tab, page_id, { lang });
    const [add, choose, uses] =
      lang === "ar"
        ? (["ملف للتنزيل", "اختر ملفًا", "أقصى عدد"] as const)
        : (["Download", "Choose a file", "Most"] as const);
    await openFiles(tab, add, choose);
    await chooseOnDevice(tab, await fileOf(name, Buffer.from(TEXT)));
    await tab.locator(".files-dialog").waitFor({ state: "detached" });
    const form = tab.locator(".download-form");
    if (access !== undefined) await form.getByRole("button", { name: access }).click();
    if (uses_max !== undefined) await form.getByLabel(uses).fill(uses_max);
    await isSaved(tab);
    await expect
      .poll(async () => (await savedPage(tab, page_id)).links)
      .toMatchObject([{ block: { uses_max: uses_max === undefined ? null : Number(uses_max) } }]);
    return page_id;
  }

  /** A tip by whoever is signed in; its own pages are tested in tips.test.ts. */
  async function tip(tab: Tab, page_id: string): Promise<void> {
    const session = await (await tab.request.get("/api/auth/session")).json();
    const answer = await tab.request.post("/api/tip", {
      headers: {
        "X-CSRF-Token": (session as { csrf_token: string }).csrf_token,
        "Idempotency-Key": page_id,
        Origin: world.origin,
      },
      data: { page_id, points: 1 },
    });
    expect([answer.status(), await answer.text()]).toEqual([201, expect.anything()]);
  }

  async function downloadBy(tab: Tab, start: () => Promise<unknown>) {
    const [file] = await Promise.all([tab.waitForEvent("download"), start()]);
    return {
      name: file.suggestedFilename(),
      text: await readFile(await file.path(), "utf8"),
    };
  }

  test.each([
    { lang: "ar", gone: "انتهت صلاحية", open: "افتح الصفحة", file: "تنزيلات" },
    { lang: "en", gone: "no longer", open: "Open the page", file: "Downloads" },
  ] as const)(
    "visitors download as often as it is offered, and the creator sees it live: $lang",
    async (each) => {
      const { lang, open } = each;
      const name = `هدية ${lang}.txt`;
      await using owner = await creator(world);
      const page_id = await offer(owner.tab, lang, { name, uses_max: "1" });
      const { slug, links } = await savedPage(owner.tab, page_id);
      const path = `/${slug}`;
      // The owner looks on, and sees it without doing anything.
      await owner.tab.goto(`/dashboard/${page_id}?lang=${lang}`);
      const cells = owner.tab.locator("[data-downloads] tbody td");
      expect(await cells.allTextContents()).toEqual(
        lang === "ar" ? ["٠", "٠ بايت"] : ["0", "0 bytes"],
      );
      await owner.tab.locator('[data-live-state="live"]').waitFor();

      await using first = await visitor(world, PHONE);
      await first.tab.goto(path);
      const got = await downloadBy(first.tab, () => first.tab.locator(".link.download").click());
      expect(got).toEqual({ name, text: TEXT });
      expect(await first.complaints()).toEqual([]);

      await using second = await visitor(world);
      await second.tab.goto(path);
      await second.tab.locator(".link.download").click();
      await second.tab.waitForURL(/token=/);
      await expect.poll(() => second.tab.locator(".status").textContent()).toBe("410");
      expect(await second.tab.locator("html").getAttribute("lang")).toBe(lang);
      await second.tab.getByRole("link", { name: open }).click();
      await second.tab.locator(".link.download").waitFor();

      const clicks = () => countsInD1(world, page_id);
      const counts = await poll(clicks, (now) => `click human ${links[0]?.link_id}` in now);
      expect(counts[`click human ${links[0]?.link_id}`]).toBe(1);
      const shown = lang === "ar" ? ["١", "٣١ بايت"] : ["1", "31 bytes"];
      await expect.poll(() => cells.allTextContents(), { timeout: 10_000 }).toEqual(shown);
      const title = await cells.locator("span").getAttribute("title");
      expect(title).toBe(lang === "ar" ? "٣١ بايت" : "31 bytes");
      await expectNoComplaints(owner);
      await owner.tab.reload();
      expect(await cells.allTextContents()).toEqual(shown);
    },
  );

  test("a file for those who tipped sends others to sign in, and then to the page to tip", async () => {
    await using owner = await creator(world);
    const page_id = await offer(owner.tab, "en", { access: "Who sent a tip" });
    const { slug } = await savedPage(owner.tab, page_id);
    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.goto(`/${slug}`);
    await tab.locator(".link.download").click();
    await tab.waitForURL((url) => url.origin !== world.origin);
    expect(new URL(tab.url()).search).toContain("api%2Fdownload");
    await signIn(world, someone, "demo-free");
    await tab.goto(`/${slug}`);
    await tab.locator(".link.download").click();
    await expect.poll(() => tab.locator("h1").textContent()).toContain("sent");
    expect(await tab.locator(".status").textContent()).toBe("403");
    expect(await tab.locator("a.contact").getAttribute("href")).toBe(`/${slug}`);

    await owner.tab.locator(".add-others").getByRole("button", { name: "Tip jar" }).click();
    await expect
      .poll(async () => (await savedPage(owner.tab, page_id)).links)
      .toMatchObject([{ kind: "tip" }, { kind: "download" }]);
    await tip(tab, page_id);
    await tab.goto(`/${slug}`);
    const got = await downloadBy(tab, () => tab.locator(".link.download").click());
    expect(got.text).toBe(TEXT);
  });

  test("a creator makes a link, and whoever has it downloads the file, although the page lets nobody", async () => {
    await using owner = await creator(world, {
      ...DESKTOP,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page_id = await offer(owner.tab, "ar", { access: "من معه رابط" });
    const { slug } = await savedPage(owner.tab, page_id);
    const part = owner.tab.locator(".download-link");
    await part.getByLabel("كم شخصًا").fill("٢");
    await part.getByRole("button", { name: "اصنع رابطًا وانسخه" }).click();
    await expect.poll(() => part.textContent()).toContain("نُسخ الرابط");
    const url = await owner.tab.evaluate(() => navigator.clipboard.readText());
    expect(url).toBe(await part.locator("input[readonly]").inputValue());

    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.goto(`/${slug}`);
    expect(await tab.locator(".link.download").getAttribute("href")).toBe(null);
    const got = await downloadBy(tab, () =>
      tab.evaluate((address) => {
        location.href = address;
      }, url),
    );
    expect(got).toEqual({ name: "gift.txt", text: TEXT });
  });
});
