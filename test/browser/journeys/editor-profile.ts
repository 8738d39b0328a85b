import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { BIO_CHARS_MAX } from "../../../src/pages/document/limits.ts";
import type { Locale } from "../../../src/views/locale.ts";
import type { World } from "../browser-kit.ts";
import {
  editing,
  expectNoComplaints,
  isSaved,
  openEditor,
  previewOf,
  savedPage,
} from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import {
  BOTH_LANGUAGES,
  button,
  hasFocus,
  openPanel,
  pressNotice,
  undoStep,
} from "./editor-parts.ts";
import { settingJourneys } from "./editor-settings.ts";
import { eventually } from "./eventually.ts";

const { FIELD_TEXTS, HISTORY_TEXTS, PROFILE_TEXTS } = EDITOR.ar;

const PROFILE = { panel: "profile" } as const;
const NAME = "ليان الحوراني";
const PHONES = ["+44 7700 900142", "+44 20 7946 0142"];

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
  test("a creator fills the profile and a contact card; what is empty or long says so in place, and what is removed comes back by undo", async () => {
    await using owner = await editing(world, { ...PROFILE, page: { ...BOTH_LANGUAGES, bio: {} } });
    const { tab, page_id } = owner;
    const contact = async () => (await savedPage(tab, page_id)).contact;
    const shown = previewOf(tab).locator(".contact");
    const [ar, en] = [field(tab, "name", "ar"), field(tab, "name", "en")];
    const bio = field(tab, "bio", "ar");
    // A page without any bio lacks none.
    const missing = tab.locator(".is-missing");
    const instead = expect.stringContaining(PROFILE_TEXTS.missing(NAME));
    await eventually(() => missing.allTextContents(), [instead]);
    await en.fill("Layan");
    await missing.waitFor({ state: "detached" });
    await isSaved(tab);
    await ar.fill("  ");
    await tab.getByText(PROFILE_TEXTS.no_name).waitFor();
    await eventually(() => ar.getAttribute("aria-invalid"), "true");
    await bio.fill("نبذة جديدة");
    const saved = { name: { ar: NAME, en: "Layan" }, bio: { ar: "نبذة جديدة" } };
    await eventually(() => textsOf(tab, page_id), saved);
    await bio.press("End");
    await tab.keyboard.insertText("ج".repeat(BIO_CHARS_MAX));
    await tab.getByText(PROFILE_TEXTS.counted(BIO_CHARS_MAX, BIO_CHARS_MAX)).waitFor();
    await eventually(async () => (await bio.inputValue()).length, BIO_CHARS_MAX);
    await ar.fill("ليان");

    await card(tab).check();
    await shown.waitFor();
    await title(tab).fill("خزّافة");
    const add = button(tab, PROFILE_TEXTS.add_phone);
    for (const number of PHONES) {
      await add.click();
      await tab.keyboard.type(number);
    }
    await eventually(contact, expect.objectContaining({ title: "خزّافة", phones: PHONES }));

    const remove = button(tab, PROFILE_TEXTS.remove(PROFILE_TEXTS.phone(1)));
    await remove.click();
    await eventually(() => phones(tab), PHONES.slice(1));
    await hasFocus(add);
    await title(tab).fill("معلّمة");
    await pressNotice(tab);
    await eventually(() => phones(tab), PHONES);
    await eventually(() => title(tab).inputValue(), "معلّمة");
    // A removal that is already undone is not undone twice.
    await remove.click();
    await undoStep(tab);
    await pressNotice(tab);
    await eventually(() => phones(tab), PHONES);
    // Switched off and on again, it is as it was, after a look at another panel as well.
    await card(tab).uncheck();
    await shown.waitFor({ state: "detached" });
    await openPanel(tab, "links");
    await openPanel(tab, "profile");
    await card(tab).check();
    await eventually(() => phones(tab), PHONES);
    await eventually(contact, expect.objectContaining({ title: "معلّمة", phones: PHONES }));
    await expectNoComplaints(owner);
  });

  test("a creator sees an old version and what differs, restores it, undoes that, and is offered no undo of a restore that changes nothing", async () => {
    await using owner = await editing(world, PROFILE);
    const { tab, page_id } = owner;
    const see = async (version: number) => {
      await tab.locator(".sitting summary").first().click();
      await tab.locator(`[data-version="${version}"]`).getByRole("button").click();
    };
    const bio = async () => (await savedPage(tab, page_id)).bio.ar;
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
    await pressNotice(tab);
    await eventually(bio, "النبذة الثانية");

    await tab.locator(`[data-version="${version + 2}"] .is-current`).waitFor();
    await see(version);
    await button(dialog, HISTORY_TEXTS.restore).click();
    await eventually(() => tab.locator(".notice").textContent(), HISTORY_TEXTS.none);
    expect((await savedPage(tab, page_id)).version).toBe(version + 2);
    await expectNoComplaints(owner);
  });

  settingJourneys(world);
}
