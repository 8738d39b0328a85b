/** The way in: from the landing page to a published page and a visitor's counted click, and the address on the way. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, Page as Tab } from "playwright-core";
import { test } from "vitest";
import { START_TEXTS } from "../../../src/authoring/editor/texts.ts";
import { PAGE_FAULTS } from "../../../src/authoring/transfer/page-faults.ts";
import { LOCALES, type Locale } from "../../../src/views/locale.ts";
import { sample } from "../../workers/authoring/pictures/picture-samples.ts";
import { badNetwork } from "../bad-network.ts";
import { DESKTOP, PHONE, settledCounts, visitor, type World } from "../browser-kit.ts";
import { creator, editing, savedPage } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { eventually } from "./eventually.ts";
import { landingJourneys } from "./landing.ts";
import { pasteLinks } from "./paste.ts";

const INTERACTIONS_MAX = 10;

interface Beginner {
  device: BrowserContextOptions;
  name: string;
  slug: RegExp;
  pasted: string;
  links: readonly { url: string; label: string }[];
}

const BEGINNERS: Record<Locale, Beginner> = {
  ar: {
    device: { ...PHONE, locale: "ar-EG", timezoneId: "Africa/Cairo" },
    name: "سلمى العطار",
    slug: /^salma/,
    pasted: "واتساب ٠١٠١٢٣٤٥٦٧٨\n@salma.attar",
    links: [
      { url: "https://wa.me/201012345678", label: "+20 101 234 5678" },
      { url: "https://www.instagram.com/salma.attar", label: "@salma.attar" },
    ],
  },
  en: {
    device: { ...DESKTOP, locale: "en-GB", timezoneId: "Europe/London" },
    name: "Mara Quill",
    slug: /^mara/,
    pasted: "WhatsApp: 07911 123456\n@mara.quill",
    links: [
      { url: "https://wa.me/447911123456", label: "+44 791 112 3456" },
      { url: "https://www.instagram.com/mara.quill", label: "@mara.quill" },
    ],
  },
};
const INSTAGRAM: Record<Locale, string> = { ar: "إنستغرام", en: "Instagram" };
const PHOTO = { name: "me.png", mimeType: "image/png", buffer: Buffer.from(sample("png")) };
const photo = (tab: Tab) => tab.locator(".photo-step img");
const library = (tab: Tab) => tab.locator(".photo-choices input:not([capture])");

const ELSEWHERE = `<!doctype html><meta charset="utf-8"><title>ليان من بعيد</title>
<meta property="og:image" content="/me.png"><h1>ليان من بعيد</h1>
<a href="https://shop.example/a?utm_source=x">متجري</a><a href="https://news.example/">أخبار</a>`;

/** A page of another service, at loopback. */
async function pageElsewhere(): Promise<{ address: string } & AsyncDisposable> {
  const server = createServer(({ url }, response) => {
    const is_picture = url === "/me.png";
    response.setHeader("Content-Type", is_picture ? "image/png" : "text/html");
    if (is_picture) response.end(PHOTO.buffer);
    else response.end(url === "/empty" ? "<p>nothing</p>" : ELSEWHERE);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done));
    },
  };
}

export function entranceJourneys(world: World): void {
  test.for(LOCALES)(
    "the first minute leads from the landing page to a counted click in at most ten interactions, in %s",
    async (lang, { expect }) => {
      const { device, name, slug, pasted, links } = BEGINNERS[lang];
      const { START_TEXTS: steps } = EDITOR[lang];
      await using owner = await creator(world, device, { is_signed_in: false });
      const { tab } = owner;
      let interactions = 0;
      const interact = async (work: () => Promise<void>) => {
        interactions += 1;
        await work();
      };
      const press = (name: string) => tab.getByRole("button", { name, exact: true }).click();
      await tab.goto("/");
      await interact(() => tab.locator('form[action="/dashboard/new"] button').click());

      await interact(() => tab.getByRole("button", { name: owner.name }).click());
      await tab.locator("#start").waitFor();
      await interact(() => tab.locator("#name").fill(name));
      await expect.poll(() => tab.locator("#slug").inputValue()).toMatch(slug);
      await interact(() => press(START_TEXTS[lang].next));
      await interact(() => library(tab).setInputFiles(PHOTO));
      await photo(tab).waitFor();
      await interact(() => press(steps.next.photo));
      await tab.locator(".add-links textarea").waitFor();
      await interact(() => pasteLinks(tab, pasted));
      await interact(() => tab.locator(".found button", { hasText: INSTAGRAM[lang] }).click());
      await interact(() => press(steps.next.links));
      await tab.locator(".tile").first().waitFor();
      await interact(() => press(steps.next.look));
      const address = tab.locator("dialog.share a.share-shown");
      await address.waitFor();
      expect(interactions).toBeLessThanOrEqual(INTERACTIONS_MAX);

      const shared = (await address.getAttribute("href")) ?? "";
      await expect.poll(async () => (await fetch(shared, { redirect: "manual" })).status).toBe(200);
      const [, page_id = ""] = /\/dashboard\/pages\/([^/]+)\//.exec(tab.url()) ?? [];
      const saved = await savedPage(tab, page_id);
      expect(saved.avatar).not.toBeNull();
      expect(saved.links.map(({ url, label }) => ({ url, label: label[lang] }))).toEqual(links);
      await using someone = await visitor(world, PHONE);
      const opened = await someone.tab.goto(shared);
      expect(opened?.status()).toBe(200);
      const link = someone.tab.locator('a[href^="/r/"]').first();
      const [, , link_id = ""] =
        /^\/r\/([^/]+)\/([^/]+)$/.exec((await link.getAttribute("href")) ?? "") ?? [];
      await link.click({ noWaitAfter: true });
      expect(await settledCounts(world, page_id, 2)).toEqual({
        "view human": 1,
        [`click human ${link_id}`]: 1,
      });
    },
  );

  test("a photo goes on its way after the next step has begun; a lost one is sent again", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await editing(network.world, { device: PHONE, panel: "start" });
    const { tab, page_id } = owner;
    const avatar = async () => (await savedPage(tab, page_id)).avatar;
    network.break(({ path }) => path.endsWith("/pictures"), { end: "block" });
    await tab.locator(".photo-choices input[capture=user]").waitFor();
    await library(tab).setInputFiles(PHOTO);
    await tab.locator(".photo-step [role=alert]").waitFor();
    expect(await avatar()).toBeNull();
    network.mend();
    await tab.getByRole("button", { name: EDITOR.ar.PICTURE_TEXTS.retry }).click();
    await photo(tab).waitFor();
    await expect.poll(avatar).not.toBeNull();
    const first = await avatar();

    const held = Promise.withResolvers<void>();
    await tab.route("**/pictures", async (route) => {
      await held.promise;
      await route.continue();
    });
    const other = { ...PHOTO, buffer: Buffer.from(sample("jpeg")), mimeType: "image/jpeg" };
    await library(tab).setInputFiles(other);
    await tab.getByRole("button", { name: EDITOR.ar.START_TEXTS.next.photo }).click();
    await tab.locator(".add-links textarea").waitFor();
    held.resolve();
    await expect.poll(avatar).not.toBe(first);
  });

  test("a page elsewhere is read by its address or its saved file, and what stays ticked is brought", async ({
    expect,
  }) => {
    await using outside = await pageElsewhere();
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    const texts = START_TEXTS.ar.bring;
    const state = tab.locator("#bring-state");
    const rows = tab.locator(".brought label");
    await tab.goto("/dashboard/new?lang=ar");
    await tab.locator(".bring summary").click();
    const read = async (address: string) => {
      await tab.locator("#bring-address").fill(address);
      await tab.locator("#bring-address").press("Enter");
    };
    await read(`${world.origin}/layan`);
    await expect.poll(() => state.textContent()).toContain(PAGE_FAULTS.own_page.ar);
    expect(await tab.getByText(texts.saved_file).isVisible()).toBe(false);
    await read(`${outside.address}/empty`);
    await expect.poll(() => state.textContent()).toContain(PAGE_FAULTS.no_links.ar);
    const name = "saved.html";
    const file = { name, mimeType: "text/html", buffer: Buffer.from(ELSEWHERE) };
    await tab.locator(".bring-file input").setInputFiles(file);
    await expect.poll(() => state.textContent()).toContain(texts.found);
    await expect.poll(() => rows.count()).toBe(2);
    await read(outside.address);
    await expect.poll(() => rows.count()).toBe(3);
    await eventually(() => tab.locator("#name").inputValue(), "ليان من بعيد");
    await rows.filter({ hasText: "أخبار" }).click();
    await expect.poll(() => tab.locator("#slug").inputValue()).not.toBe("");
    await tab.getByRole("button", { name: START_TEXTS.ar.next, exact: true }).click();
    await photo(tab).waitFor();
    const [, page_id = ""] = /\/dashboard\/pages\/([^/]+)\//.exec(tab.url()) ?? [];
    await expect.poll(async () => (await savedPage(tab, page_id)).avatar).not.toBeNull();
    const { links } = await savedPage(tab, page_id);
    expect(links.map(({ label, url }) => [label.ar, url])).toEqual([
      ["متجري", "https://shop.example/a"],
    ]);
  });

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
    await slug.fill(`https://www.instagram.com/salma.${word}/?igsh=1`);
    await expect.poll(() => state.textContent()).toBe(START_TEXTS.ar.free);
    await slug.blur();
    await eventually(() => slug.inputValue(), `salma.${word}`);
    await slug.fill("");
    await tab.locator("#name").fill("صفحة خزّافة ثانية");
    await expect.poll(() => slug.inputValue()).toMatch(/^صفحة-/);
    await expect.poll(() => proposals.allTextContents()).toEqual([expect.stringMatching(/^[a-z]/)]);
    await expect.poll(() => state.getAttribute("class")).toBe("hint");
  });

  landingJourneys(world);
}
