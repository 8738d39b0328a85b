import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { clockAt, secondOf } from "../../../src/client/editor/links/zone-time.ts";
import { destinationOf } from "../../../src/pages/document/destination.ts";
import type { Link } from "../../../src/pages/document/page-document.ts";
import { counted } from "../../../src/views/numbers.ts";
import { inField, PASTES } from "../../plain/client/pastes.ts";
import type { PlainPage } from "../../plain-page.ts";
import { DESKTOP, freshAddress, PHONE, visitor, type World } from "../browser-kit.ts";
import {
  creator,
  editing,
  expectNoComplaints,
  openEditor,
  pageOf,
  previewOf,
  savedPage,
  signIn,
} from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { centre, dragReady, finger, grip, many, order, row } from "../links-kit.ts";
import { button, hasFocus, openRow, pressNotice } from "./editor-parts.ts";
import { eventually } from "./eventually.ts";
import { pasteLinks } from "./paste.ts";

const { LINKS_TEXTS, scheduleWords, START_TEXTS } = EDITOR.ar;

const DAY_S = 86_400;
const INSTAGRAM = destinationOf("https://www.instagram.com/").name.ar;
const TIKTOK = destinationOf("https://www.tiktok.com/").name.ar;

const adding = (tab: Tab) => tab.locator("#add-links");
const rowForm = (tab: Tab) => tab.locator(".row-form");
const rowState = (tab: Tab, name: string) => row(tab, name).locator(".row-state");
const announced = (tab: Tab) => tab.locator("#announcer").textContent();

async function areSaved(tab: Tab, page_id: string, links: readonly Partial<Link>[]): Promise<void> {
  const saved = async () => (await savedPage(tab, page_id)).links;
  await eventually(
    saved,
    links.map((link) => expect.objectContaining(link)),
  );
}

const named = (...names: string[]) => names.map((name) => ({ label: { ar: name } }));

/** Three days from now, at noon of the zone, so that it is three days ahead at any time of the day. */
function inThreeDays(zone: string): number {
  const today = clockAt(Math.floor(Date.now() / 1_000), zone).slice(0, 10);
  return (secondOf(`${today}T12:00`, zone) ?? Number.NaN) + 3 * DAY_S;
}

const appears = (from: number, zone: string) =>
  scheduleWords({ from, until: null }, Math.floor(Date.now() / 1_000), zone);

/** Where the entry that is edited stands in the preview. */
const entryOf = (tab: Tab, link_id: string) =>
  previewOf(tab)
    .locator(`[data-entry="${link_id}"]`)
    .evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const is_seen = top >= 0 && bottom <= innerHeight;
      return { is_seen, is_marked: element.hasAttribute("data-at-hand"), at: Math.round(scrollY) };
    });

/** The entries that are marked from now on: a slow machine may look when a mark is gone again. */
async function marksOf(tab: Tab): Promise<() => Promise<(string | undefined)[]>> {
  const seen = await tab.evaluateHandle(() => {
    const ids: (string | undefined)[] = [];
    const frame = document.querySelector<HTMLIFrameElement>(".preview iframe");
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target as HTMLElement;
        if (element.hasAttribute("data-at-hand")) ids.push(element.dataset.entry);
      }
    });
    const options = { subtree: true, attributeFilter: ["data-at-hand"] };
    if (frame?.contentDocument) observer.observe(frame.contentDocument, options);
    return ids;
  });
  return () => seen.evaluate((ids) => ids);
}

export function previewJourneys(world: World): void {
  test.for([
    ["desktop", DESKTOP],
    ["phone", PHONE],
  ] as const)(
    "on a %s the preview goes to the row that is opened, marks it, and stays there while it is edited",
    async ([kind, device]) => {
      await using owner = await creator(world, { ...device, reducedMotion: "reduce" });
      const { tab } = owner;
      const links = many(40);
      const { page_id } = await pageOf(owner, world, { links });
      await openEditor(tab, page_id);
      const preview = tab.locator(".preview-toggle");
      const [last, first] = [links.at(-1), links[0]].map((link) => link?.link_id ?? "");
      const openers = tab.locator(".row-open");
      await previewOf(tab).locator(`[data-entry="${first}"]`).waitFor({ state: "attached" });
      const marks = await marksOf(tab);
      await openers.last().click();
      if (kind === "phone") await preview.click();
      await eventually(async () => (await entryOf(tab, last ?? "")).is_seen, true);
      await eventually(marks, [last]);
      const { at } = await entryOf(tab, last ?? "");
      expect(at).toBeGreaterThan(0);
      await eventually(async () => (await entryOf(tab, last ?? "")).is_marked, false);
      if (kind === "phone") await preview.click();
      await rowForm(tab).getByLabel(LINKS_TEXTS.label).fill("جديد");
      const renamed = previewOf(tab).getByText("جديد", { exact: true });
      await renamed.waitFor({ state: "attached" });
      if (kind === "desktop") expect((await entryOf(tab, last ?? "")).at).toBe(at);
      await openers.first().click();
      if (kind === "phone") await preview.click();
      await eventually(async () => (await entryOf(tab, first ?? "")).is_seen, true);
      await expectNoComplaints(owner);
    },
  );
}

export function linkJourneys(world: World): void {
  test("a creator pastes an address, names and schedules the link, orders it by keyboard with each step said, and takes its removal back", async () => {
    await using owner = await editing(world);
    const { tab, page_id } = owner;
    const form = rowForm(tab);
    const label = form.getByLabel(LINKS_TEXTS.label);
    await pasteLinks(tab, "www.example.com/new");
    await hasFocus(label);
    await tab.keyboard.type("جديدي");
    await form.getByLabel(LINKS_TEXTS.address, { exact: true }).fill("new.example.com/a");
    await form.getByRole("switch", { name: LINKS_TEXTS.highlight }).check();
    await form.getByText(LINKS_TEXTS.schedule, { exact: true }).click();
    const from = inThreeDays("Asia/Riyadh");
    const times = form.getByLabel(LINKS_TEXTS.from, { exact: true });
    await times.fill(clockAt(from, "Asia/Riyadh"));
    await eventually(() => rowState(tab, "جديدي").textContent(), appears(from, "Asia/Riyadh"));
    const opener = row(tab, "جديدي").locator(".row-open");
    await tab.keyboard.press("Escape");
    await hasFocus(opener);
    expect(await form.count()).toBe(0);
    await tab.keyboard.press("Enter");
    await hasFocus(label);
    await eventually(() => opener.getAttribute("aria-controls"), await form.getAttribute("id"));
    await tab.getByRole("switch", { name: LINKS_TEXTS.shown("فيديو") }).uncheck();
    const url = "https://new.example.com/a";
    await areSaved(tab, page_id, [
      { kind: "link", label: { ar: "جديدي" }, url, highlight: true, from, until: null },
      ...named("المتجر", "فيديو", "راسلني"),
    ]);

    const before = ["جديدي", "المتجر", "فيديو", "راسلني"];
    const after = ["المتجر", "فيديو", "راسلني", "جديدي"];
    const handle = button(tab, LINKS_TEXTS.arrange("جديدي"));
    await handle.focus();
    for (const [key, said, place] of [
      ["Space", LINKS_TEXTS.lifted, 1],
      ["ArrowDown", LINKS_TEXTS.moved, 2],
      ["End", LINKS_TEXTS.moved, 4],
      ["ArrowDown", LINKS_TEXTS.stays, 4],
      ["Escape", LINKS_TEXTS.cancelled, 1],
    ] as const) {
      await tab.keyboard.press(key);
      await eventually(() => announced(tab), said("جديدي", place, 4));
    }
    expect(await order(tab)).toEqual(before);
    for (const key of ["Enter", "ArrowDown", "End", "Space"]) await tab.keyboard.press(key);
    await eventually(() => announced(tab), LINKS_TEXTS.dropped("جديدي", 4, 4));
    await hasFocus(handle);
    expect(await order(tab)).toEqual(after);
    // The whole way of a row is one step of undoing; the buttons of its form move it, too.
    await tab.keyboard.press("Control+z");
    await eventually(() => order(tab), before);
    await button(tab, LINKS_TEXTS.down).click();
    await eventually(() => order(tab), ["المتجر", "جديدي", "فيديو", "راسلني"]);
    await button(tab, LINKS_TEXTS.to_end).press("Enter");
    await hasFocus(button(tab, LINKS_TEXTS.to_end));
    await areSaved(tab, page_id, named(...after));

    await button(tab, LINKS_TEXTS.remove).press("Enter");
    await eventually(() => order(tab), ["المتجر", "فيديو", "راسلني"]);
    expect(await announced(tab)).toBe(LINKS_TEXTS.removed("جديدي"));
    await hasFocus(row(tab, "راسلني").locator(".row-open"));
    await pressNotice(tab);
    await hasFocus(opener);
    await areSaved(tab, page_id, named(...after));
    const shown = previewOf(tab).locator(".link .label");
    await eventually(() => shown.allTextContents(), ["المتجر", "راسلني"]);
    await expectNoComplaints(owner);
  });
}

async function pasteList(tab: Tab): Promise<void> {
  const asked = "@layan\n٠٥٠ ١٢٣ ٤٥٦٧";
  const lines = "أعمالي:\ninstagram.com/layan.h\nالمتجر: shop.example.com";
  await pasteLinks(tab, `${lines}\n${asked}\njavascript:alert(1)\nCookie Preferences`);
  await tab.getByText(LINKS_TEXTS.unclear(2)).waitFor();
  await tab.getByText(LINKS_TEXTS.left_out(2)).click();
  await tab.getByText(LINKS_TEXTS.refused).waitFor();
  await button(tab, LINKS_TEXTS.add_all(3)).waitFor();
  // Words are taken in as a heading; the button counts what it adds.
  await button(tab, `${LINKS_TEXTS.take} Cookie Preferences`).click();
  await button(tab, LINKS_TEXTS.add_all(4)).waitFor();
  await button(tab, `${LINKS_TEXTS.leave} Cookie Preferences`).click();
  await button(tab, LINKS_TEXTS.add_all(3)).click();
  await eventually(() => adding(tab).inputValue(), asked);
  for (const [line, kind] of [
    ["@layan", TIKTOK],
    ["+966 50 123 4567", LINKS_TEXTS.whatsapp],
  ] as const) {
    const group = tab.getByRole("group", { name: LINKS_TEXTS.what_is(line) });
    await group.getByRole("button", { name: kind }).click();
    // Of several lines a button chooses, and the one below adds them.
    await tab.locator(".found-line", { hasText: line }).getByText(kind).waitFor();
    await eventually(() => group.count(), 0);
  }
  await button(tab, LINKS_TEXTS.add_all(2)).click();
  await eventually(() => adding(tab).inputValue(), "");
}

/** Three clicks on the shop, and five on the video that were imported: only the statistics have those. */
async function clicksOf(page_id: string, { server, origin }: World): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    const headers = { "CF-Connecting-IP": freshAddress(), "User-Agent": PHONE?.userAgent ?? "" };
    const way = new URL(`/r/${page_id}/shop`, origin);
    expect((await fetch(way, { redirect: "manual", headers })).status).toBe(302);
  }
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600 - DAY_S;
  const insert = "INSERT INTO tallies VALUES (?1, ?2, 'click', 'video', 'human', -1, 5)";
  await (await server.db()).prepare(insert).bind(page_id, hour).run();
}

export function deepLinkJourneys(world: World): void {
  test("pasted lines become the right kinds and are asked about where they may be several things, and what is not added outlives a reload", async () => {
    await using owner = await editing(world, { device: PHONE, page: { links: [] } });
    const { tab, page_id } = owner;
    await button(tab, INSTAGRAM).click();
    await tab.keyboard.type("layan");
    await tab.keyboard.press("Enter");
    await eventually(() => order(tab), ["@layan"]);
    await pasteList(tab);
    await areSaved(tab, page_id, [
      { kind: "social", label: { ar: "@layan" }, url: "https://www.tiktok.com/@layan" },
      { kind: "link", label: { ar: "+966 50 123 4567" }, url: "https://wa.me/966501234567" },
      { kind: "heading", label: { ar: "أعمالي" }, url: null },
      { kind: "social", label: { ar: "@layan.h" }, url: "https://instagram.com/layan.h" },
      { kind: "link", label: { ar: "المتجر" }, url: "https://shop.example.com/" },
      { kind: "social", label: { ar: "@layan" }, url: "https://www.instagram.com/layan" },
    ]);
    await eventually(() => previewOf(tab).locator("a.social").count(), 3);

    // A word alone may be a heading, a text or the name of an account: Enter asks.
    await adding(tab).fill("ليان");
    await adding(tab).press("Enter");
    await hasFocus(button(tab, LINKS_TEXTS.as_heading));
    expect(await tab.locator(".row").count()).toBe(6);
    const asked = tab.waitForEvent("dialog");
    const reloaded = tab.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.accept();
    await reloaded;
    await eventually(() => adding(tab).inputValue(), "ليان");
    await button(tab, LINKS_TEXTS.as_heading).click();
    await areSaved(tab, page_id, [{ kind: "heading" }, ...Array(6).fill({})]);
    await tab.reload();
    await row(tab, "ليان").waitFor();
    await eventually(() => adding(tab).inputValue(), "");
    await expectNoComplaints(owner);

    // Whether an account stands in the row of icons is seen before it is added, and changed.
    await adding(tab).fill("snap layan.co");
    await tab.getByRole("switch", { name: LINKS_TEXTS.in_icons, checked: true }).uncheck();
    await adding(tab).press("Enter");
    await areSaved(tab, page_id, [
      { kind: "link", label: { ar: "@layan.co" } },
      ...Array(7).fill({}),
    ]);

    // In the first minute it is added when the creator goes on; about the rest they are asked once.
    const draft = await pageOf(owner, world, { links: [], status: "draft" });
    await openEditor(tab, draft.page_id, { panel: "start" });
    await button(tab, START_TEXTS.photo.skip).click();
    await adding(tab).fill("المتجر: shop.example.com\n@layan");
    await button(tab, START_TEXTS.next.links).click();
    await eventually(() => adding(tab).inputValue(), "@layan");
    await eventually(() => order(tab), ["المتجر"]);
    await button(tab, START_TEXTS.next.links).click();
    await button(tab, START_TEXTS.back).click();
    await eventually(() => adding(tab).inputValue(), "@layan");
  });

  test("a number asks for its country where the page's zone has none, and a copied page gives its titles with their addresses", async () => {
    const page: Partial<PlainPage> = { time_zone: "UTC", links: [] };
    const device = { ...PHONE, locale: "ar" };
    await using owner = await editing(world, { device, page });
    const { tab, page_id } = owner;
    await adding(tab).fill("واتساب ٠١٠١٢٣٤٥٦٧٨");
    await tab.getByLabel(LINKS_TEXTS.country("010 1234 5678")).selectOption("EG");
    const shown = `${LINKS_TEXTS.whatsapp} +20 101 234 5678`;
    await button(tab, shown).click();
    await areSaved(tab, page_id, [{ kind: "link", url: "https://wa.me/201012345678" }]);

    for (const paste of PASTES.filter(({ html }) => html !== undefined)) {
      await pasteLinks(tab, paste.text, paste.html);
      const links = paste.expected.filter(({ is }) => is === "link");
      await button(tab, LINKS_TEXTS.add_all(links.length)).waitFor();
      const field = await adding(tab).inputValue();
      expect(field.replaceAll("·\n", "")).toBe(inField(paste));
      await adding(tab).fill("");
    }
    await expectNoComplaints(owner);
  });

  test("a link is edited in both languages and keeps its clicks and its address where the new one is none, becomes an icon, and appears by the page's clock", async () => {
    const name = { ar: "ليان", en: "Layan" };
    const page: Partial<PlainPage> = { locales: ["ar", "en"], name, time_zone: "Africa/Cairo" };
    const device = { ...PHONE, timezoneId: "America/New_York" };
    await using owner = await editing(world, { device, page });
    const { tab, page_id } = owner;
    await clicksOf(page_id, world);
    await tab.reload();
    const shown = [3, 5, 0].map((n) => counted("ar-u-nu-arab", "click", n));
    const clicks = () => tab.locator(".row-clicks").allTextContents();
    await eventually(clicks, shown);
    await tab.getByText(LINKS_TEXTS.counts_stay).waitFor();

    await eventually(() => rowState(tab, "المتجر").textContent(), LINKS_TEXTS.missing.en);
    await openRow(tab, "المتجر");
    const form = rowForm(tab);
    const address = form.getByLabel(LINKS_TEXTS.address, { exact: true });
    const label = form.getByLabel(LINKS_TEXTS.labels.ar);
    await form.getByLabel(LINKS_TEXTS.labels.en).fill("Shop");
    await address.fill("new.example.com/a");
    await label.fill("متجري");
    const url = "https://new.example.com/a";
    const others = named("فيديو", "راسلني");
    await areSaved(tab, page_id, [{ label: { ar: "متجري", en: "Shop" }, url }, ...others]);
    await eventually(clicks, shown);

    await address.fill("javascript:alert(1)");
    await form.getByLabel(LINKS_TEXTS.labels.en).fill("My shop");
    await form.getByText(LINKS_TEXTS.saved_stays(url)).waitFor();
    await eventually(() => address.getAttribute("aria-invalid"), "true");
    const bad = row(tab, "متجري").locator(".row-state.is-bad");
    await eventually(() => bad.textContent(), LINKS_TEXTS.bad_address);
    await areSaved(tab, page_id, [{ label: { ar: "متجري", en: "My shop" }, url }, ...others]);
    // One that is emptied is a mistake as well.
    await address.fill("");
    await label.focus();
    await form.getByText(LINKS_TEXTS.emptied).waitFor();

    await openRow(tab, "فيديو");
    await eventually(() => form.count(), 1);
    await button(tab, LINKS_TEXTS.kinds.social).click();
    await tab.getByRole("heading", { name: LINKS_TEXTS.socials }).waitFor();
    await hasFocus(button(tab, LINKS_TEXTS.kinds.social));
    await eventually(() => order(tab), ["فيديو", "متجري", "راسلني"]);

    // Taking a removal back keeps what was done since then.
    await button(tab, LINKS_TEXTS.remove).click();
    await tab.getByRole("switch", { name: LINKS_TEXTS.shown("متجري") }).uncheck();
    await pressNotice(tab);
    await areSaved(tab, page_id, [
      { url, enabled: false },
      { kind: "social", label: { ar: "فيديو" }, enabled: true },
      ...named("راسلني"),
    ]);

    await openRow(tab, "متجري");
    await form.getByText(LINKS_TEXTS.schedule, { exact: true }).click();
    const from = form.getByLabel(LINKS_TEXTS.from, { exact: true });
    const then = inThreeDays("Africa/Cairo");
    await from.fill(clockAt(then, "Africa/Cairo"));
    await button(tab, LINKS_TEXTS.device_clock).click();
    await eventually(() => from.inputValue(), clockAt(then, device.timezoneId));
    await areSaved(tab, page_id, [{ url, from: then }, {}, {}]);
    await form.getByLabel(LINKS_TEXTS.until, { exact: true }).fill("2026-01-01T10:00");
    await form.getByText(LINKS_TEXTS.ends_before).waitFor();
    await expectNoComplaints(owner);
  });

  test("a row is moved with a mouse, and by a finger that is held on it; a finger that moves at once scrolls", async () => {
    const name = (n: number) => `رابط ${n}.`;
    const areInOrder = (links: number[]) =>
      areSaved(owner.tab, owner.page_id, named(...links.map(name)));
    // At the window's edges the list would scroll.
    const toMiddle = (tab: Tab, name: string) =>
      row(tab, name).evaluate((each) => each.scrollIntoView({ block: "center" }));
    await using owner = await editing(world, { page: { links: many(12) } });
    const { tab, page_id } = owner;
    await dragReady(tab);
    await toMiddle(tab, name(1));
    const [from, to] = [await centre(grip(tab, name(0))), await centre(grip(tab, name(2)))];
    await tab.mouse.move(from.x, from.y);
    await tab.mouse.down();
    await tab.mouse.move(to.x, to.y + 20, { steps: 15 });
    await tab.mouse.up();
    await eventually(() => announced(tab), LINKS_TEXTS.moved(name(0), 3, 12));
    await hasFocus(grip(tab, name(0)));
    await areInOrder([1, 2, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await expectNoComplaints(owner);

    await using phone = await visitor(world, PHONE);
    await signIn(world, phone, owner.user_id);
    await openEditor(phone.tab, page_id);
    await dragReady(phone.tab);
    await toMiddle(phone.tab, name(4));
    const touch = finger(await phone.context.newCDPSession(phone.tab));
    const start = await centre(grip(phone.tab, name(3)));
    const there = await centre(grip(phone.tab, name(5)));
    await touch.down(start.x, start.y);
    await phone.tab.locator(".row.sortable-chosen").waitFor();
    await touch.move(phone.tab, start, { x: there.x, y: there.y + 10 });
    await touch.up();
    await areInOrder([1, 2, 0, 4, 5, 3, 6, 7, 8, 9, 10, 11]);

    const top = () => phone.tab.evaluate(() => scrollY);
    const before = await top();
    await Promise.all([
      touch.down(start.x, start.y),
      touch.move(phone.tab, start, { x: start.x, y: start.y - 200 }),
    ]);
    await touch.up();
    await eventually(async () => (await top()) > before + 50, true);
    expect((await order(phone.tab)).slice(2, 6)).toEqual([0, 4, 5, 3].map(name));
    await expectNoComplaints(phone);
  });
}
