/** Suggestions in the editor, in a real browser, from the demo hub's model. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { AI_REQUESTS_PER_PLAN } from "../../src/http/limits.ts";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, freshAddress, PHONE, visitor } from "../browser/browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  isSaved,
  openEditor,
  ownPage,
  previewOf,
  savedPage,
} from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { row } from "../browser/links-kit.ts";
import { sample } from "../workers/picture-samples.ts";

/** What the tests press, in both languages of the editor. */
const TEXTS = {
  ar: {
    add: "أضف الإنجليزية",
    fill: "اقترح النصوص الناقصة",
    use_all: "استعمل الاقتراحات كلها (٥)",
    use: (text: string) => `استعمله: ${text}`,
    refuse: (text: string) => `لا تستعمل: ${text}`,
    undo: "تراجع",
    missing_5: "تنقص ٥ نصوص",
    missing_3: "تنقص ٣ نصوص",
    complete: "لا ينقص شيء",
  },
  en: {
    add: "Add English",
    fill: "Suggest the missing texts",
    use_all: "Use all suggestions (5)",
    use: (text: string) => `Use it: ${text}`,
    refuse: (text: string) => `Do not use: ${text}`,
    undo: "Undo",
    missing_5: "5 texts are missing",
    missing_3: "3 texts are missing",
    complete: "Nothing is missing",
  },
} as const;

const FILLED = {
  name: { ar: "ليان الحوراني", en: "[en] ليان الحوراني" },
  bio: { ar: "خزّافة من صور", en: "Potter from Tyre" },
  labels: [
    { ar: "المتجر", en: "Shop" },
    { ar: "فيديو", en: "Video" },
    { ar: "راسلني", en: "Email me" },
  ],
};

const button = (tab: Tab, name: string) => tab.getByRole("button", { name, exact: true });

/** The texts of the page as they are saved. */
async function savedTexts(tab: Tab, page_id: string) {
  const { name, bio, links } = await savedPage(tab, page_id);
  return { name, bio, labels: links.map(({ label }) => label) };
}

/** The requests for suggestions that the tab sends from now on. */
function asked(tab: Tab): string[] {
  const paths: string[] = [];
  tab.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/ai/")) paths.push(pathname);
  });
  return paths;
}

inBrowser("suggestions", (world) => {
  test.each(["ar", "en"] as const)(
    "a creator lets the other language be filled, undoes it, and accepts single texts, in %s",
    async (lang) => {
      await using owner = await creator(world, { ...DESKTOP, bypassCSP: true });
      const { tab } = owner;
      const requests = asked(tab);
      const { page_id } = await ownPage(world);
      const before = await savedTexts(tab, page_id);
      const texts = TEXTS[lang];
      await openEditor(tab, page_id, { panel: "settings", lang });
      await button(tab, texts.add).click();
      await button(tab, texts.fill).click();
      await button(tab, texts.use_all).click();
      await tab.getByText(texts.complete).waitFor();
      // The bar is gone with the last missing text; the focus is not.
      await tab.waitForFunction(() => document.activeElement?.id === "texts-button");
      await expect.poll(() => savedTexts(tab, page_id)).toEqual(FILLED);

      await button(tab, texts.undo).first().click();
      await tab.getByText(texts.missing_5).waitFor();
      await expect.poll(() => savedTexts(tab, page_id)).toEqual(before);

      // What was suggested once is still there.
      await button(tab, texts.use("Potter from Tyre")).click();
      await button(tab, texts.use("Shop")).click();
      await tab.getByText(texts.missing_3).waitFor();
      await button(tab, texts.refuse("Video")).click();
      await expect.poll(() => button(tab, texts.use("Video")).count()).toBe(0);
      expect(await button(tab, texts.use("Email me")).count()).toBe(1);
      await expect
        .poll(() => savedTexts(tab, page_id))
        .toEqual({
          name: before.name,
          bio: FILLED.bio,
          labels: [FILLED.labels[0], ...before.labels.slice(1)],
        });
      expect(requests).toEqual(["/api/ai/translate"]);
      expect(await breaches(tab)).toEqual([]);
      await expectNoComplaints(owner);
    },
  );

  test("an undo of one accepted text takes back that text and nothing that was typed since", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { locales: ["ar", "en"] });
    await openEditor(tab, page_id, { panel: "settings" });
    await button(tab, TEXTS.ar.fill).click();
    await button(tab, TEXTS.ar.use("Shop")).click();
    await tab.locator(".text-side.lacks-text input").first().fill("Layan");
    await tab.locator(".notice-action").click();
    await expect
      .poll(() => savedTexts(tab, page_id))
      .toEqual({
        name: { ar: "ليان الحوراني", en: "Layan" },
        bio: { ar: "خزّافة من صور" },
        labels: [{ ar: "المتجر" }, { ar: "فيديو" }, { ar: "راسلني" }],
      });
  });

  test("a bio is suggested from a few words, in the language of its field, and can be undone", async () => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { locales: ["ar", "en"] });
    await openEditor(tab, page_id, { panel: "profile" });
    await button(tab, "اقترح نبذة بالإنجليزية").click();
    const about = tab.getByLabel("عمّ تتحدث صفحتك؟");
    await tab.waitForFunction(() => document.activeElement?.id === "ideas-about-en");
    // The bio in the other language is a beginning.
    expect(await about.inputValue()).toBe("خزّافة من صور");
    await about.fill("Pots from Tyre");
    await button(tab, "اقترح").click();
    const first = tab.locator(".ideas-list li").first();
    expect(await first.locator("p").getAttribute("lang")).toBe("en");
    expect(await first.locator("p").textContent()).toBe("Pots from Tyre (demo model)");
    await tab.getByText(/بقي لك [٠-٩]+ طلبًا|بقي لك [٠-٩]+ طلب/).waitFor();
    await first.getByRole("button").click();
    await expect
      .poll(async () => (await savedPage(tab, page_id)).bio)
      .toEqual({ ar: "خزّافة من صور", en: "Pots from Tyre (demo model)" });
    await tab.locator(".notice-action").click();
    await expect
      .poll(async () => (await savedPage(tab, page_id)).bio)
      .toEqual({ ar: "خزّافة من صور" });
    await expectNoComplaints(owner);
  });

  test("S30: what the model answers is shown and saved as text, whatever is in it", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, { panel: "profile", lang: "en" });
    const hostile = '</p><img src=x onerror="alert(1)"><script>alert(2)</script>';
    const answer = JSON.stringify({ suggestions: [hostile] });
    await world.hub.control("PUT", "/model", { about: "خزّافة", answers: [answer] });
    await button(tab, "Suggest a bio").click();
    await button(tab, "Suggest").click();
    expect(await tab.locator(".ideas-list p").textContent()).toBe(hostile);
    await tab.locator(".ideas-list button").click();
    await expect.poll(async () => (await savedPage(tab, page_id)).bio).toEqual({ ar: hostile });
    expect(await tab.locator("img[src=x]").count()).toBe(0);
    expect(await previewOf(tab).locator("img[src=x]").count()).toBe(0);
    await expectNoComplaints(owner);
  });

  test("a label is suggested for the link whose row is open", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, { lang: "en" });
    await row(tab, "المتجر").locator(".row-open").click();
    await button(tab, "Suggest a name").click();
    await button(tab, "Use it: زوروا المتجر").click();
    await tab.waitForFunction(() => document.activeElement?.textContent === "Suggest a name");
    await isSaved(tab);
    expect((await savedTexts(tab, page_id)).labels).toEqual([
      { ar: "زوروا المتجر" },
      { ar: "فيديو" },
      { ar: "راسلني" },
    ]);
    await expectNoComplaints(owner);
  });

  test("a card's picture is described by its creator or by a suggestion, for visitors who do not see it", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id, slug } = await ownPage(world);
    await openEditor(tab, page_id);
    await row(tab, "المتجر").locator(".row-open").click();
    await button(tab, "بطاقة بصورة").click();
    await button(tab, "أضف صورة").click();
    await tab.locator('.picture-dialog input[type="file"]').setInputFiles({
      name: "photo.jpg",
      mimeType: "image/jpeg",
      buffer: Buffer.from(sample("jpegPhoto")),
    });
    await tab.locator(".crop-stage").waitFor();
    await tab.locator(".picture-actions .primary").click();
    await tab.locator(".picture-dialog").waitFor({ state: "detached" });
    await isSaved(tab);
    await button(tab, "اقترح وصفًا").click();
    const offer = tab.locator(".ideas-list li").first();
    const words = (await offer.locator("p").textContent()) ?? "";
    expect(words).toContain("(نموذج تجريبي)");
    await offer.getByRole("button").click();
    await expect
      .poll(async () => (await savedPage(tab, page_id)).links[0]?.alt)
      .toEqual({ ar: words });
    const field = tab.getByLabel("وصف الصورة", { exact: true });
    await field.fill("إبريق أزرق");
    await previewOf(tab).getByRole("img", { name: "إبريق أزرق" }).waitFor();
    await expect
      .poll(async () => (await savedPage(tab, page_id)).links[0]?.alt)
      .toEqual({ ar: "إبريق أزرق" });
    await using guest = await visitor(world);
    await guest.tab.goto(`/${slug}`);
    await guest.tab.getByRole("img", { name: "إبريق أزرق" }).waitFor();
    // A picture that is emptied of its words has none, which is no fault.
    await field.fill("");
    await expect.poll(async () => (await savedPage(tab, page_id)).links[0]?.alt).toBeUndefined();
    await isSaved(tab);
    await expectNoComplaints(owner);
  });

  test("an answer that is none says so, costs nothing, and can be asked for again", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { locales: ["ar", "en"] });
    await openEditor(tab, page_id, { panel: "settings", lang: "en" });
    await world.hub.control("PUT", "/model", { about: "خزّافة", answers: ["not JSON", "nor this"] });
    await button(tab, TEXTS.en.fill).click();
    await tab.getByRole("alert").getByText("This request was not counted").waitFor();
    await button(tab, TEXTS.en.fill).click();
    await button(tab, TEXTS.en.use_all).waitFor();
    await expect.poll(() => tab.getByRole("alert").count()).toBe(0);
  });

  test("a used-up quota says when the next suggestion can be had", async () => {
    await using someone = await visitor(world);
    const { context, tab } = someone;
    const owner_id = "demo-free";
    const signed_in = await world.hub.control("POST", "/sign-in", { user_id: owner_id });
    const { cookie } = signed_in as { cookie: string };
    await context.addCookies([{ name: "hub_session", value: cookie, url: world.origin }]);
    const { page_id } = await ownPage(world, { owner_id, locales: ["ar", "en"] });
    await openEditor(tab, page_id, { panel: "settings", lang: "en" });
    const statuses = await tab.evaluate(
      async ({ n, from }) => {
        const session = await (await fetch("/api/auth/session")).json();
        const ask = () =>
          fetch("/api/ai/bio", {
            method: "POST",
            headers: {
              "Content-Type": "application/json",
              "X-CSRF-Token": session.csrf_token,
              "CF-Connecting-IP": from,
            },
            body: JSON.stringify({ locale: "en", about: "Pots" }),
          });
        const answers = await Promise.all(Array.from({ length: n }, ask));
        return answers.map(({ status }) => status);
      },
      { n: AI_REQUESTS_PER_PLAN.free, from: freshAddress() },
    );
    expect(statuses).toEqual(statuses.map(() => 200));
    await button(tab, TEXTS.en.fill).click();
    const alert = tab.getByRole("alert");
    // In 24 hours: a weekday and a time.
    await alert.getByText(/another one on \w+day (at )?\d\d:\d\d/).waitFor();
  });

  test("an editor without an endpoint for suggestions shows nothing of them", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { locales: ["ar", "en"] });
    await tab.route("**/edit?*", async (route) => {
      const response = await route.fetch();
      const html = await response.text();
      expect(html).toContain(' data-ai="on"');
      await route.fulfill({ response, body: html.replace(' data-ai="on"', "") });
    });
    await openEditor(tab, page_id, { panel: "settings" });
    await tab.getByText(TEXTS.ar.missing_5).waitFor();
    expect(await button(tab, TEXTS.ar.fill).count()).toBe(0);
    await tab.locator('a[href="#profile"]').click();
    await tab.locator("#profile-bio-ar").waitFor();
    expect(await tab.locator(".ideas").count()).toBe(0);
    await tab.locator('a[href="#links"]').click();
    await row(tab, "المتجر").locator(".row-open").click();
    await tab.locator(".row-form").waitFor();
    expect(await tab.locator(".ideas").count()).toBe(0);
  });
});
