/** Settings, history and sharing in a real browser, and the choice between two versions of a page. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page as Tab } from "playwright-core";
import { describe, expect, test } from "vitest";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { PAGES_PER_PLAN } from "../../src/http/limits.ts";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, freshAddress, PHONE, poll, visitor, type World } from "../browser/browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  isSaved,
  openEditor,
  ownPage,
  savedPage,
} from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { SCHEMES } from "../browser/screens.ts";

const require = createRequire(import.meta.url);

/** A page that only this test has. */
function fresh(): { page_id: string; slug: string } {
  const name = `set-${crypto.randomUUID().slice(0, 8)}`;
  return { page_id: name, slug: name };
}

/** A field of the profile in Arabic. */
const field = (tab: Tab, name: "name" | "bio") =>
  tab.locator(`.panel ${name === "name" ? "input" : "textarea"}[lang="ar"]`).first();

const button = (tab: Tab, name: string) => tab.getByRole("button", { name, exact: true });

/** The answer to an address without following redirects: status and where it leads. */
async function answerOf({ origin }: World, path: string): Promise<[number, string | null]> {
  const response = await fetch(new URL(path, origin), {
    redirect: "manual",
    headers: { "CF-Connecting-IP": freshAddress() },
  });
  return [response.status, response.headers.get("Location")];
}

/** Saves a change of the page as another device would, and answers its new version. */
async function change(tab: Tab, page_id: string, patch: unknown): Promise<void> {
  const status = await tab.evaluate(
    async ({ path, body }) => {
      const session = await (await fetch("/api/auth/session")).json();
      const headers = {
        "Content-Type": "application/json",
        "X-CSRF-Token": session.csrf_token,
        "If-Match": "*",
      };
      return (await fetch(path, { method: "PATCH", headers, body })).status;
    },
    { path: `/api/me/pages/${page_id}`, body: JSON.stringify(patch) },
  );
  expect(status).toBe(200);
}

/** Makes room in the creator's plan. */
async function giveAwayOthers({ server }: World, page_id: string): Promise<void> {
  const db = await server.db();
  await db
    .prepare(
      "UPDATE pages SET owner_id = 'demo-business' WHERE page_id LIKE 'set-%' AND page_id <> ?1",
    )
    .bind(page_id)
    .run();
}

/** What a camera reads. */
async function scanned(picture: Uint8Array): Promise<string | undefined> {
  const wasm = await readFile(require.resolve("zxing-wasm/reader/zxing_reader.wasm"));
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });
  const [code] = await readBarcodes(picture);
  return code?.text;
}

inBrowser("a creator", (world) => {
  test("chooses by field between two tabs, and both have what was chosen", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, fresh());
    const [one, two] = [owner.tab, await owner.context.newPage()];
    for (const tab of [one, two]) await openEditor(tab, page_id, { panel: "profile" });
    // The second tab hears of nothing while it is typed in.
    await two.route("**/api/me/pages/*", (route) => route.abort());
    await field(two, "name").fill("اسم الثاني");
    await field(two, "bio").fill("نبذة الثاني");
    await two.locator('[data-saving="retrying"]').waitFor();
    await field(one, "name").fill("اسم الأول");
    await field(one, "bio").fill("نبذة الأول");
    await expect
      .poll(async () => (await savedPage(one, page_id)).bio)
      .toEqual({ ar: "نبذة الأول" });
    await two.unroute("**/api/me/pages/*");
    await two.evaluate(() => window.dispatchEvent(new Event("online")));
    const dialog = two.locator("dialog.conflict");
    await dialog.waitFor();
    await expect
      .poll(() => dialog.locator("legend").allTextContents())
      .toEqual(expect.arrayContaining(["الاسم، بالعربية", "النبذة، بالعربية"]));
    const name = dialog.locator('[data-path="name.ar"]');
    await expect
      .poll(() => name.locator(".version-value").allTextContents())
      .toEqual(["اسم الثاني", "اسم الأول"]);
    await name.getByRole("radio").nth(1).check();
    await button(two, "احفظ ما اخترت").click();
    await isSaved(two);
    const { name: saved_name, bio } = await savedPage(two, page_id);
    expect([saved_name, bio]).toEqual([{ ar: "اسم الأول" }, { ar: "نبذة الثاني" }]);
  });

  test("undoes an edit of their own without undoing what another tab saved", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, fresh());
    await openEditor(owner.tab, page_id, { panel: "profile" });
    await field(owner.tab, "name").fill("اسم جديد");
    await isSaved(owner.tab);
    await change(owner.tab, page_id, { bio: { ar: "من جهاز آخر" } });
    await owner.tab.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(() => field(owner.tab, "bio").inputValue()).toBe("من جهاز آخر");
    await button(owner.tab, "تراجع").first().click();
    await expect
      .poll(async () => (await savedPage(owner.tab, page_id)).name)
      .toEqual({ ar: "ليان الحوراني" });
    expect((await savedPage(owner.tab, page_id)).bio).toEqual({ ar: "من جهاز آخر" });
  });

  test("changes the address, and the old one leads to the new one with its source", async () => {
    await using owner = await creator(world);
    const { page_id, slug } = await ownPage(world, fresh());
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    const slug_field = tab.locator("#slug");
    const submit = button(tab, "غيّر العنوان");
    await expect.poll(() => submit.isDisabled()).toBe(true);
    await slug_field.fill("demo");
    await tab.getByText("محجوز", { exact: false }).waitFor();
    await expect.poll(() => submit.isDisabled()).toBe(true);
    await expect.poll(() => tab.locator(".suggestions button").count()).toBeGreaterThan(0);
    await slug_field.fill("صفحة layan");
    await tab.getByText("حروف عربية ولاتينية معًا", { exact: false }).waitFor();
    const next = `ورشة-${page_id.slice(4).replace(/[a-f]/g, "ب")}`;
    await slug_field.fill(next);
    await tab.locator(".is-free").waitFor();
    expect((await savedPage(tab, page_id)).slug).toBe(slug);
    await submit.click();
    await tab.locator(".notice").waitFor();
    expect((await savedPage(tab, page_id)).slug).toBe(next);
    expect(await answerOf(world, `/${slug}?utm_source=print`)).toEqual([
      308,
      `/${encodeURIComponent(next)}?utm_source=print`,
    ]);
    // An edit afterwards keeps the address, and so does undoing it.
    await tab.getByRole("switch").click();
    await isSaved(tab);
    await tab.locator(".notice-action").click();
    await expect.poll(async () => (await savedPage(tab, page_id)).slug).toBe(slug);
    expect((await savedPage(tab, page_id)).indexed).toBe(false);
  });

  test("adds a language, and fills in what is missing side by side", async () => {
    await using owner = await creator(world);
    const { page_id, slug } = await ownPage(world, fresh());
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    await button(tab, "أضف الإنجليزية").click();
    await tab.getByText("تنقص ٥ نصوص").waitFor();
    await button(tab, "أكمل النصوص").click();
    const missing = tab.locator(".text-side.lacks-text input, .text-side.lacks-text textarea");
    await missing.first().fill("Layan Alhourani");
    await tab.getByText("تنقص ٤ نصوص").waitFor();
    await expect
      .poll(async () => (await savedPage(tab, page_id)).name)
      .toEqual({ ar: "ليان الحوراني", en: "Layan Alhourani" });
    expect((await answerOf(world, `/${slug}/en`))[0]).toBe(200);
    await button(tab, "اجعلها الأساسية").click();
    await expect.poll(async () => (await savedPage(tab, page_id)).locales).toEqual(["en", "ar"]);
  });

  test("has the names of known sites in a new language by itself", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, {
      ...fresh(),
      links: [
        { link_id: "ig", label: { ar: "إنستغرام" }, url: "https://instagram.com/layan" },
        { link_id: "own", label: { ar: "صوري" }, url: "https://instagram.com/layan.pictures" },
      ],
    });
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    await button(tab, "أضف الإنجليزية").click();
    await expect
      .poll(async () => (await savedPage(tab, page_id)).links.map(({ label }) => label))
      .toEqual([{ ar: "إنستغرام", en: "Instagram" }, { ar: "صوري" }]);
  });

  test("takes a removed language back without what was edited since, and keeps the focus", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, { ...fresh(), locales: ["ar", "en"] });
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    await tab.getByRole("button", { name: "أزلها: English" }).press("Enter");
    const focused = () => tab.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe("أضف الإنجليزية");
    await tab.getByRole("switch").click();
    await tab.locator(".notice-action").click();
    await expect
      .poll(async () => {
        const { locales, indexed } = await savedPage(tab, page_id);
        return [locales, indexed];
      })
      .toEqual([["ar", "en"], false]);
  });

  test("types the other text of a new link while it gets its id", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, { ...fresh(), locales: ["ar", "en"] });
    const { tab } = owner;
    await openEditor(tab, page_id);
    const held = Promise.withResolvers<void>();
    await tab.route("**/api/me/pages/*", async (route) => {
      if (route.request().method() === "PUT") await held.promise;
      await route.continue();
    });
    await tab.locator(".add-links textarea").fill("متجر جديد https://new.example.com/");
    await tab.locator(".add-links textarea").press("Enter");
    await tab.locator("[data-row]").nth(3).waitFor();
    await tab.evaluate(() => location.assign("#settings"));
    await button(tab, "أكمل النصوص").click();
    const row = tab.locator(".text-pair", { hasText: "متجر جديد" });
    await row.locator('[lang="en"]').fill("New");
    await tab.locator('[data-saving="sending"]').waitFor();
    held.resolve();
    await isSaved(tab);
    await tab.keyboard.type(" shop");
    await expect
      .poll(async () => (await savedPage(tab, page_id)).links[0]?.label.en)
      .toBe("New shop");
  });

  test("asks once for each address that is typed", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, fresh());
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    const asked: string[] = [];
    tab.on("request", (request) => {
      const path = new URL(request.url()).pathname;
      if (path.startsWith("/api/me/slugs/")) asked.push(path.slice("/api/me/slugs/".length));
    });
    const [first, second] = [fresh().slug, fresh().slug];
    for (const slug of [first, second, first]) {
      await tab.locator("#slug").fill(slug);
      await tab.locator(".address-shown", { hasText: slug }).waitFor();
    }
    expect(asked).toEqual([first, second]);
    // It is still there after a look at another panel.
    await tab.evaluate(() => location.assign("#profile"));
    await tab.locator("#slug").waitFor({ state: "detached" });
    await tab.evaluate(() => location.assign("#settings"));
    await expect.poll(() => tab.locator("#slug").inputValue()).toBe(first);
  });

  test("finds a time zone by its name in Arabic", async () => {
    await using owner = await creator(world, PHONE);
    const { page_id } = await ownPage(world, fresh());
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    await button(tab, "غيّر المنطقة").click();
    await tab.getByLabel("ابحث عن مدينة أو بلد").fill("الامارات");
    await tab.locator(".zone-choice").first().click();
    await expect.poll(async () => (await savedPage(tab, page_id)).time_zone).toBe("Asia/Dubai");
    await expectNoComplaints(owner);
  });

  test("sees an old version, restores it, and undoes that", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, fresh());
    const { tab } = owner;
    await tab.goto(`/dashboard/pages/${page_id}/edit`);
    await change(tab, page_id, { bio: { ar: "النبذة الأولى" } });
    await change(tab, page_id, { bio: { ar: "النبذة الثانية" }, name: { ar: "اسم آخر" } });
    // The chart of the dashboard links to this name.
    await openEditor(tab, page_id, { panel: "revisions" });
    const sitting = tab.locator(".sitting").first();
    await sitting.locator("summary").click();
    const [newest, before] = [sitting.locator(".version-line"), sitting.locator("details ol")];
    await expect.poll(() => newest.first().textContent()).toContain("النسخة الحالية");
    await expect.poll(() => newest.first().textContent()).toContain("النبذة");
    await before.getByRole("button").first().click();
    const dialog = tab.locator("dialog.old-version");
    const frame = dialog.frameLocator("iframe");
    await frame.getByText("النبذة الأولى").waitFor();
    await dialog.getByRole("button", { name: "داكنة" }).click();
    await expect.poll(() => frame.locator("html").getAttribute("data-scheme")).toBeDefined();
    const differences = dialog.locator(".differences");
    await expect
      .poll(() => differences.locator("dt").allTextContents())
      .toEqual(["الاسم، بالعربية", "النبذة، بالعربية"]);
    await expect.poll(() => differences.textContent()).toContain("النبذة الثانية");
    await button(tab, "استعد هذه النسخة").click();
    await dialog.waitFor({ state: "detached" });
    expect((await savedPage(tab, page_id)).bio).toEqual({ ar: "النبذة الأولى" });
    await tab.locator(".notice-action").click();
    await expect
      .poll(async () => (await savedPage(tab, page_id)).bio)
      .toEqual({ ar: "النبذة الثانية" });
    await expectNoComplaints(owner);
  });

  test("is offered to undo a restore only if it changed something", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, fresh());
    const { tab } = owner;
    await tab.goto(`/dashboard/pages/${page_id}/edit`);
    for (const bio of ["الأولى", "الثانية", "الأولى"]) {
      await change(tab, page_id, { bio: { ar: bio } });
    }
    const { version } = await savedPage(tab, page_id);
    await openEditor(tab, page_id, { panel: "history" });
    await tab.locator(".sitting summary").first().click();
    await tab
      .locator(`[data-version="${version - 2}"]`)
      .getByRole("button")
      .click();
    await button(tab, "استعد هذه النسخة").click();
    const notice = tab.locator(".notice");
    await notice.waitFor();
    await expect.poll(() => notice.textContent()).toBe("لا فرق بينها وبين الصفحة الآن.");
    expect((await savedPage(tab, page_id)).version).toBe(version);
  });

  test("copies an address for a place, and its code and its views have that source", async () => {
    await using owner = await creator(world, {
      ...DESKTOP,
      permissions: ["clipboard-write", "clipboard-read"],
    });
    const { page_id, slug } = await ownPage(world, { ...fresh(), locales: ["ar", "en"] });
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "share" });
    await tab.getByLabel("إنستغرام").check();
    await tab.getByLabel("English").check();
    const address = `${world.origin}/${slug}/en?utm_source=instagram&utm_medium=social`;
    await expect.poll(() => tab.locator(".share-shown").getAttribute("href")).toBe(address);
    await button(tab, "انسخ").click();
    await tab.getByText("نُسخ العنوان").waitFor();
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(address);
    const picture = tab.locator(".share-code img");
    await picture.evaluate((image: HTMLImageElement) => image.decode());
    expect(await scanned(new Uint8Array(await picture.screenshot()))).toBe(address);
    const [png] = await Promise.all([
      tab.waitForEvent("download"),
      button(tab, "نزّل الرمز PNG").click(),
    ]);
    expect(png.suggestedFilename()).toBe(`${slug}-instagram.png`);
    const bytes = await readFile((await png.path()) ?? "");
    expect(bytes.readUInt32BE(16)).toBeGreaterThanOrEqual(1_024);
    expect(await scanned(new Uint8Array(bytes))).toBe(address);
    const [svg] = await Promise.all([
      tab.waitForEvent("download"),
      tab.getByText("نزّل الرمز SVG").click(),
    ]);
    expect(await readFile((await svg.path()) ?? "", "utf8")).toContain("<svg");
    // In-app browsers send no referrer.
    await using someone = await visitor(world, PHONE);
    await someone.tab.goto(address);
    const shares = await poll(
      () =>
        tab.evaluate(async (path) => {
          const stats = await (await fetch(path)).json();
          return JSON.stringify(stats.breakdowns?.utm_source ?? stats);
        }, `/api/me/pages/${page_id}/stats?fresh=1`),
      (text) => text.includes("instagram"),
    );
    expect(shares).toContain('"instagram"');
    await expectNoComplaints(owner);
  });

  test("is offered to publish a draft before its address is passed on", async () => {
    await using owner = await creator(world, PHONE);
    const { page_id, slug } = await ownPage(world, { ...fresh(), status: "draft" });
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "share" });
    expect((await answerOf(world, `/${slug}`))[0]).toBe(404);
    await tab.locator(".share-draft").getByRole("button").click();
    await tab.locator(".share-draft").waitFor({ state: "detached" });
    await expect.poll(async () => (await savedPage(tab, page_id)).status).toBe("published");
    await poll(
      () => answerOf(world, `/${slug}`),
      ([status]) => status === 200,
    );
    expect((await answerOf(world, `/${slug}`))[0]).toBe(200);
  });

  test("hears that the page is published when visitors find it, and gets the share sheet", async () => {
    await using owner = await creator(world, PHONE);
    const { page_id, slug } = await ownPage(world, { ...fresh(), status: "draft" });
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    await tab.route("**/api/me/pages/*", (route) => route.abort());
    await tab.locator(".setting").getByRole("button", { name: "انشر الصفحة" }).click();
    await tab.getByText("لم تُنشر بعد", { exact: false }).waitFor();
    await tab.locator('[data-saving="retrying"]').waitFor();
    await expect.poll(() => tab.locator("dialog").count()).toBe(0);
    await tab.unroute("**/api/me/pages/*");
    await button(tab, "أعدها مسودة").click();
    await isSaved(tab);
    await tab.locator(".setting").getByRole("button", { name: "انشر الصفحة" }).click();
    const sheet = tab.locator("dialog.share");
    await sheet.waitFor();
    await expect.poll(() => sheet.locator("h2").textContent()).toBe("صفحتك منشورة، فشاركها");
    expect((await answerOf(world, `/${slug}`))[0]).toBe(200);
    await tab.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    expect(await tab.evaluate(() => document.activeElement?.textContent)).toBe("أعدها مسودة");
  });

  test("deletes a page and undoes it, with the time that is left", async () => {
    await using owner = await creator(world, PHONE);
    const { page_id, slug } = await ownPage(world, fresh());
    const { tab } = owner;
    // Beyond the pages of the plan a deletion could not be undone.
    await giveAwayOthers(world, page_id);
    await openEditor(tab, page_id, { panel: "settings" });
    await button(tab, "احذف الصفحة…").click();
    await button(tab, "احذفها").click();
    const dialog = tab.locator("dialog.deleted");
    await dialog.waitFor();
    await expect.poll(() => dialog.textContent()).toMatch(/[٢٣][٠٩]:[٠-٥][٠-٩]/);
    expect((await answerOf(world, `/${slug}`))[0]).toBe(404);
    await button(tab, "تراجع عن الحذف").click();
    await dialog.waitFor({ state: "detached" });
    const { ends_at, status } = await savedPage(tab, page_id);
    expect([ends_at, status]).toEqual([null, "published"]);
    // The editor goes on saving.
    await tab.getByRole("switch").click();
    await expect.poll(async () => (await savedPage(tab, page_id)).indexed).toBe(false);
  });

  test("makes a page of a file, and goes on in its editor", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, fresh());
    const { tab } = owner;
    await giveAwayOthers(world, page_id);
    await openEditor(tab, page_id, { panel: "settings" });
    await tab.locator('input[type="file"]').setInputFiles({
      name: "links.txt",
      mimeType: "text/plain",
      buffer: Buffer.from(
        `المتجر https://shop.example.com/${page_id}\nفيديو https://video.example.com/\n`,
      ),
    });
    const found = tab.locator(".import-found table").first();
    await found.waitFor();
    await expect
      .poll(() => found.locator("tbody tr").allTextContents())
      .toEqual([`المتجرhttps://shop.example.com/${page_id}`, "فيديوhttps://video.example.com/"]);
    await button(tab, "اصنع صفحة جديدة منه").click();
    await tab.getByRole("link", { name: "افتحها" }).click();
    await tab.waitForURL((url) => !url.pathname.includes(page_id));
    await tab.locator("[data-row]").nth(1).waitFor();
    const made = /pages\/([^/]+)\/edit/.exec(tab.url())?.[1] ?? "";
    const { status, links } = await savedPage(tab, made);
    expect([status, links.length]).toEqual(["draft", 2]);
    expect((await savedPage(tab, page_id)).links.length).toBe(3);
    await expectNoComplaints(owner);
  });

  test("sees what a file holds before a page is made of it", async () => {
    await using owner = await creator(world);
    const { page_id } = await ownPage(world, fresh());
    const { tab } = owner;
    await openEditor(tab, page_id, { panel: "settings" });
    const choose = (name: string, text: string) =>
      tab.locator('input[type="file"]').setInputFiles({
        name,
        mimeType: "application/octet-stream",
        buffer: Buffer.from(text),
      });
    await choose("links.txt", "المتجر https://shop.example.com/new\nبلا عنوان هنا\n");
    const found = tab.locator(".import-found");
    await found.waitFor();
    await expect.poll(() => found.locator("dl").textContent()).toContain("١");
    await expect
      .poll(() => found.locator(".import-remarks").textContent())
      .toContain("بلا عنوان هنا");
    // As many pages as the plan allows.
    for (let i = 0; i < PAGES_PER_PLAN.pro; i += 1) await ownPage(world, fresh());
    await button(tab, "اصنع صفحة جديدة منه").click();
    await tab.getByText("باقتك تتيح ١٠ صفحات", { exact: false }).waitFor();
    await choose("links.txt", "لا شيء");
    await tab.getByRole("alert").waitFor();
    await expect.poll(() => tab.getByRole("alert").textContent()).not.toBe("");
    await choose("movie.mp4", "x");
    await tab.getByText("نوع لا نقرؤه", { exact: false }).waitFor();
  });

  describe.for(SCHEMES)("in %s", (colorScheme) => {
    test.for(["settings", "history", "share"] as const)(
      "breaks no rule of axe in %s",
      async (panel) => {
        await using owner = await creator(world, { ...PHONE, colorScheme, bypassCSP: true });
        const { page_id } = await ownPage(world, { ...fresh(), locales: ["ar", "en"] });
        const { tab } = owner;
        await openEditor(tab, page_id, { panel });
        if (panel === "settings") await button(tab, "أكمل النصوص").click();
        if (panel === "history") await tab.locator(".sitting").first().waitFor();
        if (panel === "share") await tab.locator("dialog.share").waitFor();
        expect(await breaches(tab)).toEqual([]);
      },
    );
  });
});
