/** The way in: from the landing page to a published page and a visitor's counted click, and the address on the way. */
import type { BrowserContextOptions } from "playwright-core";
import { test } from "vitest";
import { START_TEXTS } from "../../../src/authoring/editor/texts.ts";
import { LOCALES, type Locale } from "../../../src/views/locale.ts";
import { PRESETS } from "../../../src/views/presets.ts";
import { DESKTOP, PHONE, settledCounts, visitor, type World } from "../browser-kit.ts";
import { creator } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { landingJourneys } from "./landing.ts";
import { pasteLinks } from "./paste.ts";

const INTERACTIONS_MAX = 8;
const PRESET = "rosewater";

interface Beginner {
  device: BrowserContextOptions;
  name: string;
  pasted: string;
  labels: readonly string[];
}

const BEGINNERS: Record<Locale, Beginner> = {
  ar: {
    device: { ...PHONE, locale: "ar-EG" },
    name: "سلمى العطار",
    pasted: "متجري https://shop.example.com/salma\nدروسي: https://video.example.com/salma",
    labels: ["متجري", "دروسي"],
  },
  en: {
    device: { ...DESKTOP, locale: "en-GB" },
    name: "Mara Quill",
    pasted: "Tape shop https://shop.example.com/mara\nWalks: https://video.example.com/mara",
    labels: ["Tape shop", "Walks"],
  },
};

export function entranceJourneys(world: World): void {
  test.for(LOCALES)(
    "the first minute leads from the landing page to a counted click in at most eight interactions, in %s",
    async (lang, { expect }) => {
      const { device, name, pasted, labels } = BEGINNERS[lang];
      const { START_TEXTS: steps } = EDITOR[lang];
      await using owner = await creator(world, device, { is_signed_in: false });
      const { tab } = owner;
      let interactions = 0;
      const interact = async (work: () => Promise<void>) => {
        interactions += 1;
        await work();
      };
      await tab.goto("/");
      await interact(() => tab.locator('form[action="/dashboard/new"] button').click());

      await interact(() => tab.getByRole("button", { name: owner.name }).click());
      await tab.locator("#start").waitFor();
      await interact(() => tab.locator("#name").fill(name));
      await expect.poll(() => tab.locator("#slug").inputValue()).not.toBe("");
      const to_links = tab.getByRole("button", { name: START_TEXTS[lang].next });
      await interact(() => to_links.click());
      await tab.locator(".add-links textarea").waitFor();
      await interact(() => pasteLinks(tab, pasted));
      await tab.locator("[data-row]").nth(1).waitFor();
      await interact(() => tab.getByRole("button", { name: steps.next }).click());
      const preset = PRESETS.find(({ id }) => id === PRESET)?.name[lang];
      await interact(() => tab.locator(".tile", { hasText: `${preset}` }).click());
      await interact(() => tab.getByRole("button", { name: steps.publish }).click());
      const address = tab.locator("dialog.share a.share-shown");
      await address.waitFor();
      expect(interactions).toBeLessThanOrEqual(INTERACTIONS_MAX);

      const shared = (await address.getAttribute("href")) ?? "";
      await expect.poll(async () => (await fetch(shared, { redirect: "manual" })).status).toBe(200);
      await using someone = await visitor(world, PHONE);
      const opened = await someone.tab.goto(shared);
      expect(opened?.status()).toBe(200);
      expect(await someone.tab.locator("a.link .label").allTextContents()).toEqual(
        expect.arrayContaining([...labels]),
      );
      const link = someone.tab.locator("a.link").first();
      const [, page_id = "", link_id = ""] =
        /^\/r\/([^/]+)\/([^/]+)$/.exec((await link.getAttribute("href")) ?? "") ?? [];
      await link.click({ noWaitAfter: true });
      expect(await settledCounts(world, page_id, 2)).toEqual({
        "view human": 1,
        [`click human ${link_id}`]: 1,
      });
    },
  );

  test("an address is made of any text, and others are proposed where it is not free", async ({
    expect,
  }) => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    // No other journey takes the same addresses.
    const word = crypto.randomUUID().slice(0, 8);
    await tab.goto(`/dashboard/new?lang=ar&slug=Noura%20${word}`);
    const [slug, state] = [tab.locator("#slug"), tab.locator("#slug-state")];
    const proposals = tab.locator("[data-suggestions] button");
    await expect.poll(() => slug.inputValue()).toBe(`noura-${word}`);
    await expect.poll(() => state.textContent()).toBe(START_TEXTS.ar.free);
    await expect.poll(() => proposals.count()).toBe(0);
    await slug.fill(`salma@${word}`);
    await expect.poll(() => proposals.first().textContent()).toBe(`salma-${word}`);
    await expect.poll(() => state.getAttribute("class")).toBe("error");
    await expect.poll(() => slug.inputValue()).toBe(`salma@${word}`);
    await slug.fill("");
    await tab.locator("#name").fill("صفحة خزّافة ثانية");
    await expect.poll(() => slug.inputValue()).toMatch(/^صفحة-/);
    await expect.poll(() => proposals.count()).toBe(0);
    await expect.poll(() => state.getAttribute("class")).toBe("hint");
  });

  landingJourneys(world);
}
