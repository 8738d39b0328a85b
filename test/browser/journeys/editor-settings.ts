import type { Locator, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { PAGES_PER_PLAN } from "../../../src/pages/document/limits.ts";
import { shareAddress } from "../../../src/pages/document/share-address.ts";
import { TEXTS } from "../../../src/views/texts.ts";
import { badNetwork, isSave } from "../bad-network.ts";
import { freshAddress, PHONE, visitor, type World } from "../browser-kit.ts";
import {
  creator,
  editing,
  expectNoComplaints,
  isSaved,
  openEditor,
  pageOf,
  savedPage,
} from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { clipboardOf } from "./clipboard.ts";
import {
  BOTH_LANGUAGES,
  button,
  downloadBy,
  hasFocus,
  openPanel,
  pressNotice,
  statusAt,
} from "./editor-parts.ts";
import { eventually, LOOK_AGAIN } from "./eventually.ts";
import { scanned } from "./scan.ts";

const { LINKS_TEXTS, SETTINGS_TEXTS, SHARE_TEXTS } = EDITOR.ar;

const SETTINGS = { panel: "settings" } as const;
/** Smallest side of a code that is printed, in pixels. */
const CODE_PX_MIN = 1_024;

const indexed = (tab: Tab) => tab.getByRole("switch", { name: SETTINGS_TEXTS.status.indexed });

/** The sources of a page's views, as JSON. From an address of its own, as for `savedPage`. */
async function sourcesOf(tab: Tab, page_id: string): Promise<string> {
  const response = await tab.request.get(`/api/me/pages/${page_id}/stats?fresh=1`, {
    headers: { "CF-Connecting-IP": freshAddress() },
  });
  const { breakdowns } = (await response.json()) as { breakdowns?: { utm_source?: unknown } };
  return JSON.stringify(breakdowns?.utm_source ?? null);
}

async function chooseFile(tab: Tab, name: string, text: string): Promise<void> {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(text) };
  await tab.locator('.import input[type="file"]').setInputFiles(file);
}

async function passOn(sheet: Locator, tab: Tab, last: () => string | null): Promise<string> {
  await sheet.getByLabel(SHARE_TEXTS.places.instagram).check();
  await sheet.getByLabel(TEXTS.en.own_name).check();
  await sheet.locator('.share-shown[href*="/en?"]').waitFor();
  await button(sheet, SHARE_TEXTS.copy).click();
  await sheet.getByText(SHARE_TEXTS.copied).waitFor();
  const address = last() ?? "";
  await eventually(() => sheet.locator(".share-shown").getAttribute("href"), address);
  const picture = sheet.locator(".share-code img");
  await picture.evaluate((image: HTMLImageElement) => image.decode());
  expect(await scanned(await picture.screenshot())).toBe(address);
  const png = await downloadBy(tab, () => button(sheet, SHARE_TEXTS.png).click());
  expect(png.name).toMatch(/-instagram\.png$/);
  expect(png.bytes.readUInt32BE(16)).toBeGreaterThanOrEqual(CODE_PX_MIN);
  expect(await scanned(png.bytes)).toBe(address);
  const svg = await downloadBy(tab, () => sheet.getByText(SHARE_TEXTS.svg).click());
  expect(svg.bytes.toString()).toContain("<svg");
  return address;
}

export function settingJourneys(world: World): void {
  test("a creator looks for another address, which is asked for once, takes it, and has the old one back by undo", async () => {
    await using owner = await editing(world, SETTINGS);
    const { tab, page_id, slug } = owner;
    const slugNow = async () => (await savedPage(tab, page_id)).slug;
    const texts = SETTINGS_TEXTS.address;
    const asked: string[] = [];
    tab.on("request", (request) => {
      const [, wanted] = /\/api\/me\/slugs\/([^?]+)/.exec(request.url()) ?? [];
      if (wanted !== undefined) asked.push(wanted);
    });
    const wish = tab.getByLabel(texts.label, { exact: true });
    const submit = button(tab, texts.change);
    await eventually(() => submit.isDisabled(), true);
    const [first, second] = [`${slug}-1`, `${slug}-2`];
    for (const text of [first, second, first]) {
      await wish.fill(text);
      await tab.locator(".address-shown", { hasText: text }).waitFor();
    }
    expect(asked).toEqual([first, second]);
    await wish.fill("demo");
    await tab.getByText(texts.taken).waitFor();
    await eventually(() => submit.isDisabled(), true);
    await tab.locator(".suggestions button").first().waitFor();
    const next = `ورشة-${slug.replace(/[^0-9]/g, "ب")}`;
    await wish.fill(next);
    await tab.locator(".is-free").waitFor();
    expect(await slugNow()).toBe(slug);
    await submit.click();
    await tab.locator(".notice", { hasText: texts.changed(next) }).waitFor();
    expect(await slugNow()).toBe(next);
    // An edit afterwards keeps the address, and undoing that keeps the edit.
    await indexed(tab).click();
    await pressNotice(tab);
    await eventually(slugNow, slug);
    expect((await savedPage(tab, page_id)).indexed).toBe(false);
    // Without those of what was refused on purpose.
    await expectNoComplaints(owner, / 400 /);
  });

  test("a creator prepares a language, which names known sites by itself and is found by nobody, shows it to visitors, hides the other one, takes that back without what was edited since, and deletes its texts", async () => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    const { tab } = owner;
    const texts = SETTINGS_TEXTS.languages;
    const { page_id, slug } = await pageOf(owner, world, {
      links: [
        { link_id: "ig", label: { ar: "إنستغرام" }, url: "https://instagram.com/layan" },
        { link_id: "own", label: { ar: "صوري" }, url: "https://instagram.com/layan.pictures" },
      ],
    });
    const labels = async () => (await savedPage(tab, page_id)).links.map(({ label }) => label);
    await openEditor(tab, page_id, SETTINGS);
    await button(tab, texts.add.en).click();
    await tab.getByText(texts.untranslated(3)).waitFor();
    await eventually(labels, [{ ar: "إنستغرام", en: "Instagram" }, { ar: "صوري" }]);
    await button(tab, texts.open).click();
    await tab.locator(".text-side.lacks-text input").first().fill("Layan Alhourani");
    await tab.getByText(texts.missing(2)).waitFor();
    const name = { ar: "ليان الحوراني", en: "Layan Alhourani" };
    await eventually(async () => (await savedPage(tab, page_id)).name, name);
    expect(await statusAt(world, `/${slug}/en`)).toBe(404);
    // The texts alone say that it is being prepared.
    await tab.reload();
    await tab.getByText(texts.untranslated(2)).waitFor();
    await openPanel(tab, "profile");
    await eventually(() => tab.locator("#profile-name-en").inputValue(), name.en);
    await openPanel(tab, "settings");
    expect((await savedPage(tab, page_id)).locales).toEqual(["ar"]);
    await button(tab, texts.show.en).click();
    await eventually(() => statusAt(world, `/${slug}/en`), 200);

    // The other text of a new link is typed while the link gets its id.
    const save = Promise.withResolvers<void>();
    network.break(isSave, { held_until: save.promise });
    await openPanel(tab, "links");
    await tab.getByLabel(LINKS_TEXTS.add, { exact: true }).fill("متجري https://new.example.com/");
    await tab.keyboard.press("Enter");
    await tab.locator("[data-row]").nth(2).waitFor();
    await openPanel(tab, "settings");
    await button(tab, texts.open).click();
    await tab.locator(".text-pair", { hasText: "متجري" }).locator('[lang="en"]').fill("My");
    await tab.locator('[data-saving="sending"]').waitFor();
    save.resolve();
    await isSaved(tab);
    await tab.keyboard.type(" shop");
    await eventually(async () => (await labels())[0], { ar: "متجري", en: "My shop" });

    const locales = async () => (await savedPage(tab, page_id)).locales;
    await button(tab, texts.make_default).click();
    await eventually(locales, ["en", "ar"]);
    const hide = button(tab, `${texts.hide}: ${TEXTS.ar.own_name}`);
    await hide.press("Enter");
    await hasFocus(button(tab, texts.show.ar));
    await indexed(tab).click();
    await pressNotice(tab);
    await eventually(
      async () => [await locales(), (await savedPage(tab, page_id)).indexed],
      [["en", "ar"], false],
    );
    await hide.click();
    await button(tab, `${texts.delete_texts}: ${TEXTS.ar.own_name}`).click();
    await hasFocus(button(tab, texts.add.ar));
    await eventually(async () => (await savedPage(tab, page_id)).name, { en: name.en });
    // What stood for a missing text of the other language stays.
    await eventually(labels, [{ en: "My shop" }, { en: "Instagram" }, { en: "صوري" }]);
    await expectNoComplaints(owner);
  });

  test("a draft is published when visitors find it, from the settings or where it is shared, and its address for a place has a code and counts views from there", async () => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world, PHONE);
    const { context, tab } = owner;
    const clipboard = await clipboardOf(context);
    const page = await pageOf(owner, world, { ...BOTH_LANGUAGES, status: "draft" });
    const { page_id, slug } = page;
    const { status, zone } = SETTINGS_TEXTS;
    const sheet = tab.locator("dialog.share");
    const published = sheet.getByRole("heading", { name: SHARE_TEXTS.published });
    // The tools above the panels have such a button, too.
    const publish = button(tab.locator(".setting"), status.publish);
    const unpublish = button(tab, status.unpublish);
    await openEditor(tab, page_id, SETTINGS);
    await button(tab, zone.change).click();
    await tab.getByLabel(zone.search).fill("الامارات");
    await tab.locator(".zone-choice").first().click();
    await eventually(async () => (await savedPage(tab, page_id)).time_zone, "Asia/Dubai");

    network.break(isSave, { end: "block" });
    await publish.click();
    await tab.getByText(status.soon.published).waitFor();
    await tab.locator('[data-saving="retrying"]').waitFor();
    expect(await sheet.count()).toBe(0);
    network.mend();
    await unpublish.click();
    await isSaved(tab);
    await publish.click();
    await published.waitFor();
    await eventually(() => statusAt(world, `/${slug}`), 200);
    await tab.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await hasFocus(unpublish);

    await unpublish.click();
    await publish.waitFor();
    await isSaved(tab);
    await eventually(() => statusAt(world, `/${slug}`), 404);
    await tab.evaluate(() => location.assign("#share"));
    await button(sheet.locator(".share-draft"), SHARE_TEXTS.publish).click();
    await published.waitFor();
    await sheet.locator(".share-draft").waitFor({ state: "detached" });
    await eventually(() => statusAt(world, `/${slug}`), 200);
    const address = await passOn(sheet, tab, clipboard.last);
    expect(address).toBe(shareAddress(network.world.origin, page, "en", "instagram"));
    // In-app browsers send no referrer.
    await using someone = await visitor(world, PHONE);
    await someone.tab.goto(address);
    await eventually(
      () => sourcesOf(tab, page_id),
      expect.stringContaining('"instagram"'),
      LOOK_AGAIN,
    );
    // Without those of the saves that were cut off.
    await expectNoComplaints(owner, /ERR_/);
  });

  test("a creator sees what a file holds and makes a page of it, as far as the plan goes, and deletes a page and undoes that", async () => {
    await using owner = await editing(world, { ...SETTINGS, device: PHONE });
    const { tab, page_id, slug } = owner;
    const { transfer, deletion } = SETTINGS_TEXTS;
    const make = button(tab, transfer.make);
    const found = tab.locator(".import-found");
    await chooseFile(tab, "movie.mp4", "x");
    await tab.getByRole("alert").getByText(transfer.wrong_type).waitFor();
    await chooseFile(tab, "links.txt", "لا شيء");
    await tab.locator(".import-remarks", { hasText: "لا شيء" }).waitFor();
    const shop = `https://shop.example.com/${page_id}`;
    const lines = `المتجر ${shop}\nبلا عنوان هنا\nفيديو https://video.example.com/\n`;
    await chooseFile(tab, "links.txt", lines);
    await eventually(
      () => found.locator(".import-links tbody tr").allTextContents(),
      [`المتجر${shop}`, "فيديوhttps://video.example.com/"],
    );
    await found.locator(".import-remarks", { hasText: "بلا عنوان هنا" }).waitFor();
    await make.click();
    await tab.getByRole("link", { name: transfer.open, exact: true }).click();
    await tab.locator("[data-row]").nth(1).waitFor();
    const [, made = page_id] = /pages\/([^/]+)\/edit/.exec(tab.url()) ?? [];
    const { status, links } = await savedPage(tab, made);
    expect([status, links.length]).toEqual(["draft", 2]);
    expect((await savedPage(tab, page_id)).links).toHaveLength(3);

    for (let n = 2; n < PAGES_PER_PLAN.pro; n += 1) await pageOf(owner, world);
    await openEditor(tab, page_id, SETTINGS);
    await chooseFile(tab, "links.txt", "مدونتي https://blog.example.com/");
    await make.click();
    await tab.getByText(transfer.plan(PAGES_PER_PLAN.pro)).waitFor();

    await button(tab, deletion.start).click();
    await button(tab, deletion.confirm).click();
    const dialog = tab.locator("dialog.deleted");
    // Less than half an hour, in Arabic digits.
    await dialog.getByText(/[٢٣][٠٩]:[٠-٥][٠-٩]/).waitFor();
    expect(await statusAt(world, `/${slug}`)).toBe(404);
    await button(dialog, deletion.undo).click();
    await dialog.waitFor({ state: "detached" });
    const undone = await savedPage(tab, page_id);
    expect([undone.ends_at, undone.status]).toEqual([null, "published"]);
    await indexed(tab).click();
    await eventually(async () => (await savedPage(tab, page_id)).indexed, false);
    // Without those of what was refused on purpose.
    await expectNoComplaints(owner, / 40[03] /);
  });
}
