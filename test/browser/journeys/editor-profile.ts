/** The editor's panels for the profile and the history, and two tabs that have the same page. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { BIO_CHARS_MAX, CONTACT_ENTRIES_MAX } from "../../../src/http/limits.ts";
import type { Locale } from "../../../src/views/locale.ts";
import { PHONE, type World } from "../browser-kit.ts";
import { creator, isSaved, openEditor, pageOf, previewOf, savedPage } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { expectNoOtherComplaints } from "./complaints.ts";
import {
  BOTH_LANGUAGES,
  button,
  hasFocus,
  openPanel,
  undoNotice,
  undoStep,
} from "./editor-parts.ts";
import { settingJourneys } from "./editor-settings.ts";
import { eventually } from "./eventually.ts";

const { CONFLICT_TEXTS, FIELD_TEXTS, HISTORY_TEXTS, PROFILE_TEXTS } = EDITOR.ar;

const PROFILE = { panel: "profile" } as const;
const NAME = "ليان الحوراني";
/** From here on a field says how much is written. */
const BIO_CHARS_NEAR = BIO_CHARS_MAX * 0.8;
const PHONES = ["+44 7700 900142", "+44 20 7946 0142"];
const CARD = { title: "خزّافة", phones: PHONES, emails: ["layan@example.com"] };

/** The field of a page in Arabic, or in one of its two languages. */
const field = (tab: Tab, name: "name" | "bio", locale?: Locale) =>
  tab.getByLabel(
    locale === undefined ? PROFILE_TEXTS[name] : PROFILE_TEXTS.in(PROFILE_TEXTS[name], locale),
    { exact: true },
  );
const card = (tab: Tab) => tab.getByRole("switch", { name: PROFILE_TEXTS.contact });
const title = (tab: Tab) => tab.getByLabel(PROFILE_TEXTS.fields.title);
const phones = (tab: Tab) =>
  tab
    .locator('.entries input[type="tel"]')
    .evaluateAll((all) => (all as HTMLInputElement[]).map(({ value }) => value));

async function textsOf(tab: Tab, page_id: string) {
  const { name, bio } = await savedPage(tab, page_id);
  return { name, bio };
}

export function profileJourneys(world: World): void {
  test("a name and a bio stand side by side in two languages, or below each other on a phone, and what is missing, empty or long says so in place", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await pageOf(owner, world, { ...BOTH_LANGUAGES, bio: {} });
    await openEditor(tab, page_id, PROFILE);
    const [ar, en] = [field(tab, "name", "ar"), field(tab, "name", "en")];
    const bio = field(tab, "bio", "ar");
    const places = () => Promise.all([ar.boundingBox(), en.boundingBox()]);
    const [right, left] = await places();
    expect(right?.y).toBe(left?.y);
    expect(right?.x).toBeGreaterThan(left?.x ?? 0);
    await tab.setViewportSize(PHONE.viewport);
    const [above, below] = await places();
    expect(above?.y).toBeLessThan(below?.y ?? 0);

    // A page without any bio lacks none.
    const missing = tab.locator(".is-missing");
    const instead = expect.stringContaining(PROFILE_TEXTS.missing(NAME));
    await eventually(() => missing.allTextContents(), [instead]);
    await en.fill("Layan");
    await missing.waitFor({ state: "detached" });
    await isSaved(tab);
    await ar.fill("  ");
    await tab.getByText(PROFILE_TEXTS.no_name).waitFor();
    expect(await ar.getAttribute("aria-invalid")).toBe("true");
    // Other fields are saved, and the saved name stays.
    await bio.fill("نبذة جديدة");
    const saved = { name: { ar: NAME, en: "Layan" }, bio: { ar: "نبذة جديدة" } };
    await eventually(() => textsOf(tab, page_id), saved);

    const counted = (n: number) => tab.getByText(PROFILE_TEXTS.counted(n, BIO_CHARS_MAX));
    await bio.fill("ا".repeat(BIO_CHARS_NEAR - 1));
    await bio.press("End");
    expect(await counted(BIO_CHARS_NEAR - 1).count()).toBe(0);
    await tab.keyboard.insertText("ب");
    await counted(BIO_CHARS_NEAR).waitFor();
    await tab.keyboard.insertText("ج".repeat(BIO_CHARS_MAX));
    await counted(BIO_CHARS_MAX).waitFor();
    expect(await bio.inputValue()).toHaveLength(BIO_CHARS_MAX);
    await expectNoOtherComplaints(owner);
  });

  test("a contact card is filled and saved, and whatever is removed of it comes back by undo, without what was typed since then", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await pageOf(owner, world);
    const contact = async () => (await savedPage(tab, page_id)).contact;
    const shown = previewOf(tab).locator(".contact");
    await openEditor(tab, page_id, PROFILE);
    await card(tab).check();
    await shown.waitFor();
    await title(tab).fill("خزّافة");
    const add = button(tab, PROFILE_TEXTS.add_phone);
    for (const number of PHONES) {
      // The focus is in the new field.
      await add.click();
      await tab.keyboard.type(number);
    }
    await button(tab, PROFILE_TEXTS.add_email).click();
    await tab.keyboard.type("layan");
    await tab.getByText(PROFILE_TEXTS.odd_email).waitFor();
    await tab.keyboard.type("@example.com");
    await eventually(contact, expect.objectContaining(CARD));

    const remove = button(tab, PROFILE_TEXTS.remove(PROFILE_TEXTS.phone(1)));
    await remove.click();
    await eventually(() => phones(tab), PHONES.slice(1));
    expect(await hasFocus(add)).toBe(true);
    await title(tab).fill("معلّمة");
    await undoNotice(tab);
    await eventually(() => phones(tab), PHONES);
    expect(await title(tab).inputValue()).toBe("معلّمة");
    // A removal that is already undone is not undone twice.
    await remove.click();
    await undoStep(tab);
    await undoNotice(tab);
    await eventually(() => phones(tab), PHONES);

    await card(tab).uncheck();
    await shown.waitFor({ state: "detached" });
    await field(tab, "name").fill("ليان");
    await undoNotice(tab);
    await shown.waitFor();
    await eventually(() => card(tab).isChecked(), true);
    await isSaved(tab);
    expect(await textsOf(tab, page_id)).toMatchObject({ name: { ar: "ليان" } });
    // Switched off and on again, it is as it was, after a look at another panel as well.
    await card(tab).uncheck();
    await openPanel(tab, "links");
    await openPanel(tab, "profile");
    await card(tab).check();
    await eventually(() => phones(tab), PHONES);
    await eventually(contact, expect.objectContaining({ ...CARD, title: "معلّمة" }));

    for (let n = PHONES.length; n < CONTACT_ENTRIES_MAX; n += 1) await add.click();
    await eventually(() => add.isDisabled(), true);
    expect(await phones(tab)).toHaveLength(CONTACT_ENTRIES_MAX);
    await expectNoOtherComplaints(owner);
  });

  test("where two tabs have changed the same fields, a creator chooses by field what stays, and both have it", async () => {
    await using owner = await creator(world);
    const { page_id } = await pageOf(owner, world);
    const [one, two] = [owner.tab, await owner.context.newPage()];
    for (const tab of [one, two]) await openEditor(tab, page_id, PROFILE);
    // The second tab hears of nothing while it is typed in.
    await two.route("**/api/me/pages/*", (route) => route.abort());
    await field(two, "name").fill("اسم الثاني");
    await field(two, "bio").fill("نبذة الثاني");
    await two.locator('[data-saving="retrying"]').waitFor();
    await field(one, "name").fill("اسم الأول");
    await field(one, "bio").fill("نبذة الأول");
    const first = { name: { ar: "اسم الأول" }, bio: { ar: "نبذة الأول" } };
    await eventually(() => textsOf(one, page_id), first);
    await two.unroute("**/api/me/pages/*");
    await two.evaluate(() => window.dispatchEvent(new Event("online")));
    const choice = (path: string) => two.locator(`dialog.conflict [data-path="${path}"]`);
    const name = choice("name.ar");
    await name.waitFor();
    await choice("bio.ar").waitFor();
    const versions = await name.locator(".version-value").allTextContents();
    expect(versions).toEqual(["اسم الثاني", "اسم الأول"]);
    await name.getByRole("radio", { name: CONFLICT_TEXTS.theirs }).check();
    await button(two, CONFLICT_TEXTS.apply).click();
    await isSaved(two);
    const chosen = { name: first.name, bio: { ar: "نبذة الثاني" } };
    expect(await textsOf(two, page_id)).toEqual(chosen);
    await one.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await eventually(() => field(one, "bio").inputValue(), chosen.bio.ar);
  });

  test("a creator sees an old version and what differs, restores it, undoes that, and is offered no undo of a restore that changes nothing", async () => {
    await using owner = await creator(world);
    const { page_id } = await pageOf(owner, world);
    const { tab } = owner;
    const see = async (version: number) => {
      await tab.locator(".sitting summary").first().click();
      await tab.locator(`[data-version="${version}"]`).getByRole("button").click();
    };
    const bio = async () => (await savedPage(tab, page_id)).bio.ar;
    await openEditor(tab, page_id, PROFILE);
    for (const text of ["النبذة الأولى", "النبذة الثانية"]) {
      await field(tab, "bio").fill(text);
      await eventually(bio, text);
    }
    const { version } = await savedPage(tab, page_id);
    // The chart of the dashboard links to this name.
    await openEditor(tab, page_id, { panel: "revisions" });
    const newest = tab.locator(".version-line").first();
    await newest.getByText(HISTORY_TEXTS.now).waitFor();
    await newest.getByText(FIELD_TEXTS.fields.bio ?? "").waitFor();
    await see(version - 1);
    const dialog = tab.locator("dialog.old-version");
    const page = dialog.frameLocator("iframe");
    await page.getByText("النبذة الأولى").waitFor();
    await button(dialog, HISTORY_TEXTS.dark).click();
    await page.locator('link[href*="-dark"]').waitFor({ state: "attached" });
    const difference = dialog.locator('.differences [data-path="bio.ar"]');
    await difference.getByText("النبذة الثانية").waitFor();
    expect(await dialog.locator(".differences [data-path]").count()).toBe(1);
    await button(dialog, HISTORY_TEXTS.restore).click();
    await dialog.waitFor({ state: "detached" });
    expect(await bio()).toBe("النبذة الأولى");
    await undoNotice(tab);
    await eventually(bio, "النبذة الثانية");

    await tab.locator(`[data-version="${version + 2}"] .is-current`).waitFor();
    await see(version);
    await button(dialog, HISTORY_TEXTS.restore).click();
    await eventually(() => tab.locator(".notice").textContent(), HISTORY_TEXTS.none);
    expect((await savedPage(tab, page_id)).version).toBe(version + 2);
    await expectNoOtherComplaints(owner);
  });

  settingJourneys(world);
}
