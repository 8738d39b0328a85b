/**
 * The first minute: from the landing page to a published page and a visitor's counted click, in at most
 * eight interactions, in a real browser.
 */
import type { BrowserContextOptions, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { DESKTOP, PHONE, settledCounts, visitor } from "./browser-kit.ts";
import { creator } from "./editor-kit.ts";
import { inBrowser, TEST_TIMEOUT_MS } from "./in-browser.ts";

const INTERACTIONS_MAX = 8;

interface Creator {
  device: BrowserContextOptions;
  lang: "ar" | "en";
  /** In the list of the hub's sign-in page. */
  user: string;
  name: string;
  pasted: string;
  labels: readonly string[];
  /** The names of what is pressed. */
  next_links: string;
  next_look: string;
  preset: string;
  publish: string;
}

const ARABIC_PHONE: Creator = {
  device: { ...PHONE, locale: "ar-EG" },
  lang: "ar",
  user: "سلمى العطار",
  name: "سلمى العطار",
  pasted: "متجري https://shop.example.com/salma\nدروسي: https://video.example.com/salma",
  labels: ["متجري", "دروسي"],
  next_links: "التالي: الروابط",
  next_look: "التالي: المظهر",
  preset: "ماء الورد",
  publish: "انشر صفحتي",
};

const ENGLISH_DESKTOP: Creator = {
  device: { ...DESKTOP, locale: "en-GB" },
  lang: "en",
  user: "Mara Quill",
  name: "Mara Quill",
  pasted: "Tape shop https://shop.example.com/mara\nWalks: https://video.example.com/mara",
  labels: ["Tape shop", "Walks"],
  next_links: "Next: links",
  next_look: "Next: look",
  preset: "Rosewater",
  publish: "Publish my page",
};

inBrowser("the first minute", { timeout: 2 * TEST_TIMEOUT_MS }, (world) => {
  test.for([
    ["in Arabic on a phone", ARABIC_PHONE],
    ["in English on a desktop", ENGLISH_DESKTOP],
  ] as const)("leads to a counted click %s", async ([, who]) => {
    await using owner = await visitor(world, who.device);
    await owner.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { tab } = owner;
    let interactions = 0;
    const interact = async (work: () => Promise<void>) => {
      interactions += 1;
      await work();
    };
    await tab.goto("/");
    await interact(() => tab.locator('form[action="/dashboard/new"] button').click());

    await interact(() => tab.getByRole("button", { name: who.user }).click());
    await tab.locator("#start").waitFor();
    await interact(() => tab.locator("#name").fill(who.name));
    await expect.poll(() => tab.locator("#slug").inputValue()).not.toBe("");
    await interact(() => tab.getByRole("button", { name: who.next_links }).click());
    const field = tab.locator(".add-links textarea");
    await field.waitFor();
    await interact(() => paste(tab, who.pasted));
    await tab.locator("[data-row]").nth(1).waitFor();
    await interact(() => tab.getByRole("button", { name: who.next_look }).click());
    await interact(() => tab.locator(".tile", { hasText: who.preset }).click());
    await interact(() => tab.getByRole("button", { name: who.publish }).click());
    const address = tab.locator("dialog.share a.share-shown");
    await address.waitFor();
    expect(interactions).toBeLessThanOrEqual(INTERACTIONS_MAX);

    const shared = (await address.getAttribute("href")) ?? "";
    await expect.poll(async () => (await fetch(shared, { redirect: "manual" })).status).toBe(200);
    await using someone = await visitor(world, PHONE);
    await someone.tab.goto(shared);
    for (const label of who.labels) {
      await expect.poll(() => someone.tab.getByText(label, { exact: true }).count()).toBe(1);
    }
    const link = someone.tab.locator("a.link").first();
    const [, page_id = "", link_id = ""] =
      /^\/r\/([^/]+)\/([^/]+)$/.exec((await link.getAttribute("href")) ?? "") ?? [];
    await link.click({ noWaitAfter: true });
    expect(await settledCounts(world, page_id, 2)).toEqual({
      "view human": 1,
      [`click human ${link_id}`]: 1,
    });
  });

  test("makes an address of any text, and proposes others only where it is not free", async () => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    await tab.goto("/dashboard/new?lang=ar&slug=Noura%20Test");
    const [slug, state] = [tab.locator("#slug"), tab.locator("#slug-state")];
    const proposals = tab.locator("[data-suggestions] button");
    await expect.poll(() => slug.inputValue()).toBe("noura-test");
    await expect.poll(() => state.textContent()).toContain("متاح");
    await expect.poll(() => proposals.count()).toBe(0);
    await slug.fill("salma@attar");
    await expect.poll(() => proposals.first().textContent()).toBe("salma-attar");
    await expect.poll(() => state.getAttribute("class")).toBe("error");
    await expect.poll(() => slug.inputValue()).toBe("salma@attar");
    await slug.fill("");
    await tab.locator("#name").fill("صفحة ثانية");
    await expect.poll(() => slug.inputValue()).toBe("صفحة-ثانية");
    await expect.poll(() => proposals.count()).toBe(0);
    await expect.poll(() => state.getAttribute("class")).toBe("hint");
  });

  test("finds the page that was made where the answer was lost", async () => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    await tab.goto("/dashboard/new?lang=ar");
    await tab.locator("#name").fill("جواب ضائع");
    await expect.poll(() => tab.locator("#slug").inputValue()).not.toBe("");
    let posts = 0;
    await tab.route("**/api/me/pages", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      posts += 1;
      if (posts > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const next = tab.getByRole("button", { name: ARABIC_PHONE.next_links });
    await next.click();
    await expect.poll(() => tab.locator("[data-problem]").textContent()).not.toBe("");
    await next.click();
    await tab.locator(".add-links textarea").waitFor();
    expect(posts).toBe(2);
  });
});

/** As a creator does: the text is in the clipboard, and the field has the focus. */
async function paste(tab: Tab, text: string): Promise<void> {
  await tab.evaluate((words) => navigator.clipboard.writeText(words), text);
  await tab.locator(".add-links textarea").focus();
  await tab.keyboard.press("ControlOrMeta+V");
}
