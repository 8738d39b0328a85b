import type { Frame, Locator, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { EDITOR_PAGE_TEXTS } from "../../../src/authoring/editor/texts.ts";
import { TEXTS } from "../../../src/views/texts.ts";
import { EVERY_KIND } from "../../every-kind.ts";
import { badNetwork, isScriptWith } from "../bad-network.ts";
import type { Request } from "../breaking-proxy.ts";
import { visitor, type World } from "../browser-kit.ts";
import {
  creator,
  editing,
  expectNoComplaints,
  isSaved,
  openEditor,
  pageOf,
  previewOf,
  savedPage,
  signIn,
} from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { linkJourneys } from "./editor-links.ts";
import { button, hasFocus } from "./editor-parts.ts";
import { eventually, LOOK_AGAIN } from "./eventually.ts";

const { EDITOR_TEXTS, LINKS_TEXTS, SETTINGS_TEXTS, SHARE_TEXTS } = EDITOR.ar;

const PROFILE = { panel: "profile" } as const;
/** More presses of Tab than any panel of the page has stops. */
const STOPS_MAX = 200;

const name = (tab: Tab) => tab.locator("#profile-name-ar");
const bio = (tab: Tab) => tab.locator("#profile-bio-ar");
const panel = (tab: Tab, name: keyof typeof EDITOR_TEXTS.panels) =>
  tab.getByRole("link", { name: EDITOR_TEXTS.panels[name], exact: true });
const sharing = (tab: Tab) => tab.getByRole("dialog", { name: SHARE_TEXTS.title });
const savedName = async (tab: Tab, page_id: string) => (await savedPage(tab, page_id)).name.ar;
const savedBio = async (tab: Tab, page_id: string) => (await savedPage(tab, page_id)).bio.ar;
const saving = (tab: Tab) => tab.locator(".save-state").getByRole("status");

function typeNames(tab: Tab, names: readonly string[]) {
  return name(tab).evaluate(async (field: HTMLInputElement, names) => {
    const page = document.querySelector<HTMLIFrameElement>(".preview iframe")?.contentDocument;
    const painted = () => new Promise((done) => requestAnimationFrame(done));
    const late: string[] = [];
    for (const name of names) {
      await painted();
      field.value = name;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      // The next callback runs before this frame is painted.
      await painted();
      if (page?.querySelector("h1")?.textContent !== name) late.push(name);
    }
    return { late, said: document.querySelector(".save-state [role=status]")?.textContent };
  }, names);
}

function typeAndLeave(tab: Tab, words: string) {
  return name(tab).evaluate(async (field: HTMLInputElement, words) => {
    field.value = words;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
    await new Promise((resolve) => setTimeout(resolve));
    return document.querySelector<HTMLElement>("[data-saving]")?.dataset.saving;
  }, words);
}

async function comeBack(tab: Tab): Promise<void> {
  await tab.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
}

async function typeInVain(tab: Tab, words: string): Promise<void> {
  await name(tab).fill(words);
  await tab.locator('[data-saving="retrying"]').waitFor();
}

async function press(tab: Tab, element: Locator, key = "Enter"): Promise<void> {
  for (let i = 0; i < STOPS_MAX; i += 1) {
    if (await element.evaluate((each) => each === document.activeElement)) {
      return tab.keyboard.press(key);
    }
    await tab.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${element}`);
}

export function editorJourneys(world: World): void {
  test("a creator types, and the preview is the server's page with each key in the same frame; it is saved by itself, undone, and sent when the tab is left", async () => {
    const { page_id: _id, slug: _slug, owner_id: _owner, ...page } = EVERY_KIND;
    await using owner = await editing(world, { ...PROFILE, page });
    const { tab, page_id, slug } = owner;
    const languages = tab.getByRole("group", { name: EDITOR_TEXTS.languages });
    for (const locale of ["en", "ar"] as const) {
      await languages.getByRole("button", { name: TEXTS[locale].own_name }).click();
      const path = `/api/me/pages/${page_id}/preview?lang=${locale}`;
      const rendered = await tab.evaluate(async (path) => {
        const html = await (await fetch(path)).text();
        return new DOMParser().parseFromString(html, "text/html").body.innerHTML;
      }, path);
      await eventually(() => previewOf(tab).locator("body").innerHTML(), rendered);
    }
    await eventually(() => saving(tab).textContent(), EDITOR_TEXTS.saving.never);
    const names = ["س", "سا", "سار", "سارة", "سارة ع", "سارة عل", "سارة علي"];
    const { late, said } = await typeNames(tab, names);
    expect(late).toEqual([]);
    // Screen readers hear what is saved, not each step to it.
    expect([EDITOR_TEXTS.saving.waiting, EDITOR_TEXTS.saving.sending]).not.toContain(said);
    const isSaid = expect.stringContaining(EDITOR_TEXTS.saving.saved("").trim());
    await eventually(() => saving(tab).textContent(), isSaid);
    const visited = async () => (await tab.request.get(`/${slug}`)).text();
    await eventually(visited, expect.stringContaining("سارة علي"), LOOK_AGAIN);

    // On an Arabic keyboard the key has another letter.
    await tab.evaluate(() => {
      const keys = { key: "ئ", code: "KeyZ", ctrlKey: true, bubbles: true };
      document.body.dispatchEvent(new KeyboardEvent("keydown", keys));
    });
    await eventually(() => name(tab).inputValue(), EVERY_KIND.name.ar);
    await eventually(() => savedName(tab, page_id), EVERY_KIND.name.ar);

    expect(["sending", "saved"]).toContain(await typeAndLeave(tab, "قبل أن أغادر"));
    await eventually(() => savedName(tab, page_id), "قبل أن أغادر");
    await expectNoComplaints(owner);
  });

  test("what is typed after a session has ended is saved once its creator is signed in again", async () => {
    await using owner = await editing(world, PROFILE);
    const { context, tab, page_id } = owner;
    await context.clearCookies({ name: "hub_session" });
    await name(tab).fill("بعد انتهاء الجلسة");
    const way = tab.locator('[data-saving="signed_out"]').getByRole("link");
    await eventually(
      () => way.getAttribute("href"),
      expect.stringMatching(/^\/api\/auth\/login\?return_to=/),
    );
    await signIn(world, owner, owner.user_id);
    await comeBack(tab);
    await eventually(() => savedName(tab, page_id), "بعد انتهاء الجلسة");
    await isSaved(tab);
  });

  test("what two devices change is merged, and of a field that both changed the creator chooses what stays", async () => {
    const { CONFLICT_TEXTS, FIELD_TEXTS } = EDITOR.ar;
    using network = await badNetwork(world);
    await using owner = await editing(world, PROFILE);
    await using phone = await visitor(network.world);
    const { tab: one, page_id } = owner;
    const { tab: two } = phone;
    await signIn(network.world, phone, owner.user_id);
    await openEditor(two, page_id, PROFILE);
    await name(one).fill("من الأول");
    await eventually(() => savedName(one, page_id), "من الأول");
    await bio(two).fill("نبذة من الثاني");
    await eventually(() => savedBio(two, page_id), "نبذة من الثاني");
    await eventually(() => name(two).inputValue(), "من الأول");
    await comeBack(one);
    await eventually(() => bio(one).inputValue(), "نبذة من الثاني");

    // The second one hears of nothing while it is typed in.
    network.break(({ path }) => path.startsWith("/api/me/pages/"), { end: "block" });
    await typeInVain(two, "اسم الثاني");
    await bio(two).fill("نبذة الثاني");
    await name(one).fill("اسم الأول");
    await bio(one).fill("نبذة الأول");
    await eventually(() => savedBio(one, page_id), "نبذة الأول");
    network.mend();
    await two.evaluate(() => window.dispatchEvent(new Event("online")));
    const dialog = two.getByRole("dialog", { name: CONFLICT_TEXTS.title });
    const { fields, in_language } = FIELD_TEXTS;
    await eventually(
      () => dialog.locator(".conflict-field > legend").allTextContents(),
      [fields.name, fields.bio].map((field) => `${field}، ${in_language.ar}`),
    );
    const versions = dialog.locator('[data-path="name.ar"]');
    const values = versions.locator(".version-value");
    await eventually(() => values.allTextContents(), ["اسم الثاني", "اسم الأول"]);
    await versions.getByRole("radio", { name: CONFLICT_TEXTS.theirs }).check();
    await dialog.getByRole("button", { name: CONFLICT_TEXTS.apply }).click();
    await eventually(() => savedBio(two, page_id), "نبذة الثاني");
    expect(await savedName(two, page_id)).toBe("اسم الأول");
    await comeBack(one);
    await eventually(() => bio(one).inputValue(), "نبذة الثاني");
  });

  linkJourneys(world);
}

export function deepEditorJourneys(world: World): void {
  test("with the keyboard alone a creator skips to a panel, renames the page, adds and moves a link, chooses a look, and comes back from sharing", async () => {
    await using owner = await editing(world, PROFILE);
    const { tab, page_id } = owner;
    // What is loaded later is not announced at the end of the page.
    await eventually(() => tab.locator("#editor .editor-loading").count(), 0);
    await press(tab, tab.locator(".skip"));
    await tab.waitForURL("**#main");
    await eventually(() => panel(tab, "profile").getAttribute("aria-current"), "page");
    await press(tab, name(tab), "ControlOrMeta+A");
    await tab.keyboard.type("بلوحة المفاتيح");
    await eventually(() => savedName(tab, page_id), "بلوحة المفاتيح");

    await press(tab, panel(tab, "links"));
    await press(tab, tab.getByLabel(LINKS_TEXTS.add, { exact: true }), "Home");
    await tab.keyboard.type("كتابي https://books.example.com/");
    await tab.keyboard.press("Enter");
    await press(tab, button(tab, LINKS_TEXTS.arrange("كتابي")), "Space");
    for (const key of ["ArrowDown", "Space"]) await tab.keyboard.press(key);
    const labels = async () => (await savedPage(tab, page_id)).links.map(({ label }) => label.ar);
    await eventually(labels, ["المتجر", "كتابي", "فيديو", "راسلني"]);

    const { look } = await savedPage(tab, page_id);
    await press(tab, panel(tab, "look"));
    await press(tab, tab.locator('[name="look-preset"]:checked'), "ArrowDown");
    const looks = async () => (await savedPage(tab, page_id)).look;
    await eventually(looks, expect.not.objectContaining(look));

    const share = button(tab, EDITOR_TEXTS.share);
    await press(tab, share);
    await sharing(tab).waitFor();
    await eventually(
      () => sharing(tab).evaluate((box) => box.contains(document.activeElement)),
      true,
    );
    await tab.keyboard.press("Escape");
    await sharing(tab).waitFor({ state: "detached" });
    await hasFocus(share);
    await expectNoComplaints(owner);
  });

  test("an editor, a first step and a part whose file stalls or is lost say so, and take what comes late", async () => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    const { tab } = owner;
    const { page_id } = await pageOf(owner, world);
    const late = tab.locator(".without-script");
    const hold = (isMeant: (request: Request) => boolean) => {
      const comes = Promise.withResolvers<void>();
      network.break(isMeant, { held_until: comes.promise });
      return comes.resolve;
    };

    network.break(({ path }) => /^\/assets\/editor-.*\.js$/.test(path), { end: "block" });
    await tab.goto(`/dashboard/pages/${page_id}/edit?lang=ar`, { waitUntil: "commit" });
    await tab.getByText(EDITOR_PAGE_TEXTS.ar.loading).waitFor();
    await late.waitFor({ state: "hidden" });
    await late.waitFor();
    await eventually(
      () => late.textContent(),
      expect.stringContaining(EDITOR_PAGE_TEXTS.ar.too_old),
    );
    network.mend();
    await late.getByRole("link").click();
    await panel(tab, "settings").waitFor();
    expect(await late.count()).toBe(0);

    // Another visit: what the browser has it does not ask for.
    await using again = await visitor(network.world);
    await signIn(network.world, again, owner.user_id);
    const partsCome = hold(isScriptWith("contact-form"));
    await again.tab.goto(`/dashboard/pages/${page_id}/edit?lang=ar`);
    await panel(again.tab, "settings").click();
    await button(again.tab, EDITOR.ar.UI_TEXTS.retry).waitFor();
    partsCome();
    await button(again.tab, SETTINGS_TEXTS.languages.add.en).waitFor();

    const startComes = hold(({ path }) => path.startsWith("/assets/start-"));
    await tab.goto("/dashboard/new?lang=ar", { waitUntil: "commit" });
    await late.waitFor();
    startComes();
    await late.waitFor({ state: "detached" });
    await eventually(() => tab.locator("#start button[type=submit]").isEnabled(), true);
  });

  test("a part that was not loaded opens when it is asked for again, no closed message takes the focus with it, and a preview that was led elsewhere comes back", async () => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    const { tab } = owner;
    const { page_id } = await pageOf(owner, world);
    // The file of the parts is asked for after the first paint, sooner or later.
    network.break(isScriptWith("contact-form"), { end: "block" });
    await tab.goto(`/dashboard/pages/${page_id}/edit?lang=ar`);
    await panel(tab, "settings").click();
    const retry = button(tab, EDITOR.ar.UI_TEXTS.retry);
    await retry.waitFor();
    network.mend();
    await retry.click();

    await button(tab, SETTINGS_TEXTS.languages.add.en).click();
    await button(tab, SETTINGS_TEXTS.languages.show.en).click();
    await tab.locator(".notice").getByRole("button").press("Enter");
    await tab.locator(".notice").waitFor({ state: "detached" });
    const focused = () => tab.evaluate(() => document.activeElement?.tagName);
    await eventually(focused, expect.not.stringMatching(/^BODY$/));

    const isElsewhere = (frame: Frame) => !/\/(?:edit\b.*|preview-frame)$/.test(frame.url());
    const elsewhere = tab.waitForEvent("framenavigated", isElsewhere);
    await previewOf(tab).locator(".footer a").click();
    await elsewhere;
    await previewOf(tab).getByRole("heading", { level: 1, name: "ليان الحوراني" }).waitFor();
  });
}
