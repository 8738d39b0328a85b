import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { AI_REQUESTS_PER_PLAN } from "../../../src/blocks/ai/limits.ts";
import { sample } from "../../workers/authoring/pictures/picture-samples.ts";
import type { World } from "../browser-kit.ts";
import {
  creator,
  expectNoComplaints,
  openEditor,
  pageOf,
  previewOf,
  savedPage,
} from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import {
  BOTH_LANGUAGES,
  button,
  hasFocus,
  openPanel,
  openRow,
  pressNotice,
  undoStep,
} from "./editor-parts.ts";
import { choose, stage, use as usePicture } from "./editor-pictures.ts";
import { eventually } from "./eventually.ts";

const BIO = { ar: "خزّافة من صور", en: "Potter from Tyre" };
const SHOP = { ar: "المتجر", en: "Shop" };
const VIDEO = { ar: "فيديو", en: "Video" };
const MAIL = { ar: "راسلني", en: "Email me" };
const HOSTILE = '</p><img src=x onerror="alert(1)"><script>alert(2)</script>';

async function savedTexts(tab: Tab, page_id: string) {
  const { name, bio, links } = await savedPage(tab, page_id);
  return { name, bio, labels: links.map(({ label }) => label) };
}

export function ideaJourneys(world: World): void {
  test("a creator lets the other language be filled, undoes it and accepts single texts", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { AI_TEXTS, SETTINGS_TEXTS } = EDITOR.en;
    const { languages } = SETTINGS_TEXTS;
    const asked: string[] = [];
    tab.on("request", (request) => {
      if (request.url().includes("/api/ai/")) asked.push(request.url());
    });
    const page_id = `page-${crypto.randomUUID().slice(0, 8)}`;
    const name = `ليان ${page_id}`;
    await pageOf(owner, world, { page_id, name: { ar: name } });
    const before = await savedTexts(tab, page_id);
    const texts = () => savedTexts(tab, page_id);
    const fill = button(tab, AI_TEXTS.fill);
    const use = (text: string) => button(tab, AI_TEXTS.use_this(text));
    await openEditor(tab, page_id, { panel: "settings", lang: "en" });
    await button(tab, languages.add.en).click();
    await fill.click();
    await button(tab, AI_TEXTS.use_all(5)).click();
    await tab.getByText(languages.complete).waitFor();
    // The bar is gone with the last missing text; the focus is not.
    await hasFocus(tab.locator("#texts-button"));
    const names = { ar: name, en: `[en] ${name}` };
    await eventually(texts, { name: names, bio: BIO, labels: [SHOP, VIDEO, MAIL] });
    await undoStep(tab, "en");
    await tab.getByText(languages.missing(5)).waitFor();
    await eventually(texts, before);

    await use(BIO.en).click();
    await use(SHOP.en).click();
    await tab.getByText(languages.missing(3)).waitFor();
    await button(tab, AI_TEXTS.refuse_this(VIDEO.en)).click();
    await use(VIDEO.en).waitFor({ state: "detached" });
    // Undone, an accepted text is taken back, and nothing that was typed since.
    await use(MAIL.en).click();
    await tab.locator(".text-side.lacks-text input").first().fill("Layan");
    await pressNotice(tab);
    const rest = before.labels.slice(1);
    await eventually(texts, { name: { ar: name, en: "Layan" }, bio: BIO, labels: [SHOP, ...rest] });
    expect(asked).toHaveLength(1);
    await expectNoComplaints(owner);
  });

  test("S30: bios, names of links and descriptions of pictures are suggested in the language of their field, are text whatever is in them, and are nowhere without an endpoint", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { AI_TEXTS, LINKS_TEXTS } = EDITOR.ar;
    const { page_id } = await pageOf(owner, world, BOTH_LANGUAGES);
    const bio = async () => (await savedPage(tab, page_id)).bio;
    const about = tab.getByLabel(AI_TEXTS.bio_about);
    const offer = tab.locator(".ideas-list li").first();
    await openEditor(tab, page_id, { panel: "profile" });
    await button(tab, AI_TEXTS.bio_in.en).click();
    await hasFocus(about);
    // The bio in the other language is a beginning.
    await eventually(() => about.inputValue(), BIO.ar);
    await about.fill("Pots from Tyre");
    await button(tab, AI_TEXTS.bio_ask).click();
    const suggested = "Pots from Tyre (demo model)";
    await offer.locator('p[lang="en"]', { hasText: suggested }).waitFor();
    const left = AI_TEXTS.left(AI_REQUESTS_PER_PLAN.pro - 1, AI_REQUESTS_PER_PLAN.pro);
    await tab.getByText(left).waitFor();
    await offer.getByRole("button").click();
    await eventually(bio, { ar: BIO.ar, en: suggested });
    await pressNotice(tab);
    await eventually(bio, { ar: BIO.ar });

    const answers = [JSON.stringify({ suggestions: [HOSTILE] })];
    await world.hub.control("PUT", "/model", { about: page_id, answers });
    await button(tab, AI_TEXTS.bio_in.ar).click();
    await about.fill(page_id);
    await button(tab, AI_TEXTS.bio_ask).click();
    const shown = await offer.locator("p").textContent();
    // Drawn from right to left, it has marks around it; what is taken has none.
    expect(shown?.replaceAll("\u200e", "")).toBe(HOSTILE);
    await offer.getByRole("button").click();
    await eventually(bio, { ar: HOSTILE });
    expect(await tab.locator("img[src=x]").count()).toBe(0);
    expect(await previewOf(tab).locator("img[src=x]").count()).toBe(0);

    await openPanel(tab, "links");
    await openRow(tab, SHOP.ar);
    const ask = button(tab, AI_TEXTS.label_in.ar);
    await ask.click();
    await button(tab, AI_TEXTS.use_this(`زوروا ${SHOP.ar}`)).click();
    await hasFocus(ask);
    const shop = async () => (await savedPage(tab, page_id)).links[0];
    await eventually(async () => (await shop())?.label, { ar: `زوروا ${SHOP.ar}` });

    await button(tab, LINKS_TEXTS.kinds.card).click();
    await button(tab, LINKS_TEXTS.add_picture).click();
    await choose(tab, "photo.jpg", sample("jpegPhoto"));
    await stage(tab).waitFor();
    await usePicture(tab).click();
    await button(tab, AI_TEXTS.describe_in.ar).click();
    const words = (await offer.locator("p").textContent()) ?? "";
    expect(words).toContain("(نموذج تجريبي)");
    await offer.getByRole("button").click();
    const alt = async () => (await shop())?.alt;
    await eventually(alt, { ar: words });
    const field = tab.getByLabel(AI_TEXTS.alt_in.ar, { exact: true });
    await field.fill("إبريق أزرق");
    await previewOf(tab).getByRole("img", { name: "إبريق أزرق" }).waitFor();
    await eventually(alt, { ar: "إبريق أزرق" });
    await expectNoComplaints(owner);

    await tab.route("**/edit?*", async (route) => {
      const response = await route.fetch();
      const html = await response.text();
      expect(html).toContain(' data-ai="on"');
      await route.fulfill({ response, body: html.replace(' data-ai="on"', "") });
    });
    await tab.reload();
    await openRow(tab, VIDEO.ar);
    const suggestions = tab.locator(".ideas");
    expect(await suggestions.count()).toBe(0);
    for (const panel of ["profile", "settings"] as const) {
      await openPanel(tab, panel);
      expect([panel, await suggestions.count()]).toEqual([panel, 0]);
    }
  });
}
