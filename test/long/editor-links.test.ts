/** The links panel of the editor in a real browser: adding, editing, reordering, scheduling. */
import type { Locator, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import type { Page } from "../../src/pages/pages-store.ts";
import { breaches } from "../browser/axe.ts";
import { PHONE } from "../browser/browser-kit.ts";
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
import { centre, dragReady, finger, grip, many, order, row } from "../browser/links-kit.ts";
import { TARGET_PX_MIN } from "../browser/screens.ts";

const said = (tab: Tab) => tab.locator("#announcer").textContent();
/** What a paste into the field for new links does, from the clipboard's event on. */
async function paste(tab: Tab, text: string): Promise<void> {
  const field = tab.locator("#add-links");
  await field.focus();
  await field.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    element.dispatchEvent(event);
  }, text);
}

async function expand(tab: Tab, name: string): Promise<Locator> {
  await row(tab, name).locator(".row-open").click();
  const form = tab.locator(".row-form");
  await form.waitFor();
  return form;
}

/** The page's links after the next save, without their ids. */
async function savedLinks(
  tab: Tab,
  page_id: string,
): Promise<Omit<Page["links"][number], "link_id">[]> {
  await tab.locator('[data-saving="waiting"], [data-saving="sending"]').waitFor();
  await isSaved(tab);
  return (await savedPage(tab, page_id)).links.map(({ link_id, ...link }) => link);
}

inBrowser("the links panel", (world) => {
  test("makes of pasted lines the right kinds, and asks where a line may be several things", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world, { links: [] });
    await openEditor(tab, page_id);
    await paste(
      tab,
      "أعمالي\ninstagram.com/layan.h\nالمتجر: shop.example.com\n@layan\n٠٥٠ ١٢٣ ٤٥٦٧\njavascript:alert(1)",
    );
    const add = tab.locator(".add-all button");
    await expect.poll(() => add.textContent()).toMatch(/^أضف [3٣] روابط$/);
    await expect.poll(() => tab.locator(".add-all .hint").textContent()).toContain("يبقى سطران");
    await add.click();
    // Left are the handle, the number and what no page may lead to.
    await expect
      .poll(() => tab.locator("#add-links").inputValue())
      .toBe("@layan\n٠٥٠ ١٢٣ ٤٥٦٧\njavascript:alert(1)");
    await tab
      .getByRole("group", { name: "@layan" })
      .getByRole("button", { name: "تيك توك" })
      .click();
    await tab
      .getByRole("group", { name: "+966501234567" })
      .getByRole("button", { name: "واتساب" })
      .click();
    // Of several lines a button chooses, and the one below adds them.
    await expect
      .poll(() => tab.locator(".found [aria-pressed=true]").allTextContents())
      .toEqual(["تيك توك", expect.stringContaining("واتساب")]);
    await expect.poll(() => add.textContent()).toBe("أضف رابطين");
    await add.click();
    await expect
      .poll(() => tab.locator(".found .error").textContent())
      .toContain("لا يمكن أن تقود الصفحة");
    const links = await savedLinks(tab, page_id);
    expect(links.map(({ kind, label, url }) => [kind, label.ar, url])).toEqual([
      ["social", "تيك توك", "https://www.tiktok.com/@layan"],
      ["link", "واتساب", "https://wa.me/966501234567"],
      ["heading", "أعمالي", null],
      ["social", "إنستغرام", "https://instagram.com/layan.h"],
      ["link", "المتجر", "https://shop.example.com/"],
    ]);
    await expect.poll(() => previewOf(tab).locator("a.social").count()).toBe(2);
    // Rows say whose account it is.
    await expect
      .poll(() => tab.locator(".row-place-name").allTextContents())
      .toEqual(["@layan", "@layan.h", "+966 50 123 4567", "shop.example.com"]);
    await expectNoComplaints(someone);
  });

  test("adds a pasted address at once, opens its name, and takes it back", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    await paste(tab, "www.example.com/new");
    await tab.locator(".row-form").waitFor();
    await tab.waitForFunction(() => document.activeElement?.id.startsWith("name-"));
    await tab.keyboard.type("جديدي");
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({
      kind: "link",
      label: { ar: "جديدي" },
      url: "https://www.example.com/new",
    });
    await tab.locator(".row-form").getByRole("button", { name: "احذف" }).click();
    await expect.poll(() => order(tab)).toEqual(["المتجر", "فيديو", "راسلني"]);
    expect(await said(tab)).toContain("حُذف «جديدي»");
    await tab.locator(".notice-action").click();
    await expect.poll(() => order(tab)).toEqual(["جديدي", "المتجر", "فيديو", "راسلني"]);
    await tab.waitForFunction(() => document.activeElement?.id.startsWith("open-"));
    // Taking a removal back keeps what was done since then.
    await expand(tab, "فيديو");
    await tab.locator(".row-form").getByRole("button", { name: "احذف" }).click();
    await row(tab, "المتجر").getByRole("switch").uncheck();
    await tab.locator(".notice-action").click();
    await expect.poll(() => order(tab)).toEqual(["جديدي", "المتجر", "فيديو", "راسلني"]);
    const links = await savedLinks(tab, page_id);
    expect(links.map(({ enabled }) => enabled)).toEqual([true, false, true, true]);
  });

  test("keeps what is typed and not added over a reload, and asks before the tab is closed", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    // A word alone may be a heading, a text or the name of an account: Enter asks.
    await tab.locator("#add-links").fill("ليان");
    await tab.locator("#add-links").press("Enter");
    await expect.poll(() => tab.locator(".row").count()).toBe(3);
    await tab.waitForFunction(() => document.activeElement?.closest(".found") !== null);
    const asked = tab.waitForEvent("dialog");
    const reloaded = tab.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.accept();
    await reloaded;
    await tab.locator(".found").waitFor();
    await expect.poll(() => tab.locator("#add-links").inputValue()).toBe("ليان");
    await tab.locator(".found").getByRole("button", { name: "عنوان قسم" }).click();
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({ kind: "heading" });
    await tab.reload();
    await tab.locator(".row").first().waitFor();
    await expect.poll(() => tab.locator("#add-links").inputValue()).toBe("");
  });

  test("adds in the first minute what is typed when the creator goes on, and asks once about the rest", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world, { links: [], status: "draft" });
    await openEditor(tab, page_id, { panel: "start" });
    await tab.locator("#add-links").fill("المتجر: shop.example.com\n@layan");
    const next = tab.locator(".steps-foot .primary");
    await next.click();
    await tab.locator("#add-links").waitFor();
    await expect.poll(() => tab.locator("#add-links").inputValue()).toBe("@layan");
    await expect.poll(() => order(tab)).toEqual(["المتجر"]);
    await next.click();
    await tab.locator(".tiles").waitFor();
    await tab.locator(".steps-foot .secondary").click();
    await expect.poll(() => tab.locator("#add-links").inputValue()).toBe("@layan");
  });

  test("opens a row by keyboard with the focus in its form, and Escape closes it", async () => {
    await using someone = await creator(world);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    const opener = row(tab, "فيديو").locator(".row-open");
    await opener.focus();
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => document.activeElement?.id.startsWith("name-"));
    await expect
      .poll(() => opener.getAttribute("aria-controls"))
      .toBe(await tab.locator(".row-form").getAttribute("id"));
    await tab.keyboard.press("Escape");
    await tab.waitForFunction(() => document.activeElement?.className === "row-open");
    await expect.poll(() => tab.locator(".row-form").count()).toBe(0);
  });

  test("edits in place: names in both languages, address, kind, switch", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world, {
      locales: ["ar", "en"],
      name: { ar: "ليان الحوراني", en: "Layan" },
    });
    await openEditor(tab, page_id);
    await expect
      .poll(() => row(tab, "المتجر").locator(".row-state").textContent())
      .toBe("ينقصه النص الإنجليزي");
    const form = await expand(tab, "المتجر");
    await form.getByLabel("الاسم بالإنجليزية").fill("Shop");
    await form.getByLabel("العنوان").fill("new.example.com/a");
    await form.getByRole("switch", { name: "أبرزه" }).check();
    await row(tab, "فيديو").getByRole("switch").uncheck();
    const links = await savedLinks(tab, page_id);
    expect(links[0]).toMatchObject({
      label: { ar: "المتجر", en: "Shop" },
      url: "https://new.example.com/a",
      highlight: true,
    });
    expect(links[1]).toMatchObject({ enabled: false });
    // One row is open at a time.
    await expand(tab, "فيديو");
    await expect.poll(() => tab.locator(".row-form").count()).toBe(1);
    await tab.locator(".row-form").getByRole("button", { name: "أيقونة" }).click();
    await tab.getByRole("heading", { name: "صف الأيقونات" }).waitFor();
    await tab.waitForFunction(() => document.activeElement?.textContent === "أيقونة");
    await expect.poll(() => order(tab)).toEqual(["فيديو", "المتجر", "راسلني"]);
  });

  test("keeps the saved address for visitors while the new one is none, and says so", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    const form = await expand(tab, "المتجر");
    await form.getByLabel("الاسم الظاهر").fill("متجري");
    await form.getByLabel("العنوان").fill("javascript:alert(1)");
    await form.getByLabel("الاسم الظاهر").focus();
    await expect
      .poll(() => form.locator(".error").textContent())
      .toContain("https://shop.example.com/");
    await expect.poll(() => form.getByLabel("العنوان").getAttribute("aria-invalid")).toBe("true");
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({
      label: { ar: "متجري" },
      url: "https://shop.example.com/",
    });
    await expect
      .poll(() => row(tab, "متجري").locator(".row-state.is-bad").textContent())
      .toBe("العنوان غير صالح");
    // One that is emptied is a mistake as well.
    await form.getByLabel("العنوان").fill("");
    await form.getByLabel("الاسم الظاهر").focus();
    await expect.poll(() => form.locator(".error").textContent()).toContain("اكتب عنوانًا");
  });

  test("schedules by the page's clock, whatever the device's is, and says what it means", async () => {
    await using someone = await creator(world, { ...PHONE, timezoneId: "America/New_York" });
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    const form = await expand(tab, "المتجر");
    await form.locator(".schedule summary").click();
    // At noon in Riyadh, so that it is three days ahead at any time of the day.
    const today = new Date().toLocaleDateString("sv", { timeZone: "Asia/Riyadh" });
    const from = Date.parse(`${today}T12:00+03:00`) / 1_000 + 3 * 86_400;
    const clockIn = (time_zone: string) =>
      new Date(from * 1_000)
        .toLocaleString("sv", { timeZone: time_zone })
        .slice(0, 16)
        .replace(" ", "T");
    await form.getByLabel("يظهر من", { exact: true }).fill(clockIn("Asia/Riyadh"));
    await expect
      .poll(() => row(tab, "المتجر").locator(".row-state").textContent())
      .toMatch(/^يظهر بعد [٣3] أيام$/);
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({ from, until: null });
    await form.getByRole("button", { name: "توقيت جهازك" }).click();
    await expect
      .poll(() => form.getByLabel("يظهر من", { exact: true }).inputValue())
      .toBe(clockIn("America/New_York"));
    // It ends before it begins: visitors keep what is saved.
    await form.getByLabel("يختفي في", { exact: true }).fill("2026-01-01T10:00");
    await expect.poll(() => form.locator(".error").textContent()).toContain("يختفي قبل أن يظهر");
    await form.getByRole("button", { name: "امسح: يختفي في" }).click();
    await expect.poll(() => form.locator(".error").count()).toBe(0);
  });

  test("keeps a year that is being typed from the service, and saves what else is changed", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    const form = await expand(tab, "المتجر");
    await form.locator(".schedule summary").click();
    const from = form.getByLabel("يظهر من", { exact: true });
    await from.fill("0002-03-04T05:06");
    await expect.poll(() => form.locator(".error").count()).toBe(0);
    await form.getByLabel("الاسم الظاهر").fill("متجري");
    await expect.poll(() => form.locator(".error").textContent()).toContain("راجع السنة");
    await expect.poll(() => from.getAttribute("aria-invalid")).toBe("true");
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({
      label: { ar: "متجري" },
      from: null,
    });
    await from.fill("2027-03-04T05:06");
    await expect.poll(() => form.locator(".error").count()).toBe(0);
    expect((await savedLinks(tab, page_id))[0]?.from).not.toBeNull();
  });

  test("takes a time exactly where the clock is set back or forward", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world, { time_zone: "Africa/Cairo" });
    await openEditor(tab, page_id);
    const form = await expand(tab, "المتجر");
    await form.locator(".schedule summary").click();
    const from = form.getByLabel("يظهر من", { exact: true });
    await from.fill("2026-10-29T23:30");
    const first = Date.parse("2026-10-29T20:30Z") / 1_000;
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({ from: first });
    await form.getByRole("switch", { name: "تتكرر هذه الساعة" }).check();
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({ from: first + 3_600 });
    // The clock goes from midnight to one.
    await from.fill("2027-04-30T00:30");
    await expect.poll(() => from.inputValue()).toBe("2027-04-30T01:30");
    await expect
      .poll(() => form.locator(".schedule .field .hint").textContent())
      .toContain("01:30");
    expect((await savedLinks(tab, page_id))[0]).toMatchObject({
      from: Date.parse("2027-04-29T22:30Z") / 1_000,
    });
  });

  test("says of each schedule what it means now, in days of the page's calendar", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const now = Date.parse("2026-11-22T12:00Z") / 1_000;
    const times = [
      [now + 3 * 3_600, null, "يظهر بعد ٣ ساعات"],
      [now + 2 * 60, null, "يظهر بعد دقيقتين"],
      [now + 20 * 3_600, null, "يظهر غدًا"],
      [null, now - 20 * 3_600, "انتهى أمس"],
      [now - 60, now + 4 * 86_400, "يختفي بعد ٤ أيام"],
      [null, now + 90 * 86_400, "يختفي في ٢٠ فبراير ٢٠٢٧"],
    ] as const;
    const links = times.map(([from, until], n) => ({
      link_id: `n${n}`,
      label: { ar: `رابط ${n}.` },
      url: `https://n${n}.example.com/`,
      from,
      until,
    }));
    const { page_id } = await ownPage(world, { links });
    await tab.clock.setFixedTime(now * 1_000);
    await openEditor(tab, page_id);
    const states = (await tab.locator(".row-state").allTextContents()).map((text) =>
      text.replace(/[0-9]/g, (digit) => "٠١٢٣٤٥٦٧٨٩"[Number(digit)] ?? digit),
    );
    expect(states).toEqual(times.map(([, , words]) => words));
  });

  test("shows the exact clicks of each link, and keeps them when it is edited", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    const clicks = 3;
    for (let n = 0; n < clicks; n += 1) {
      const { status } = await fetch(new URL(`/r/${page_id}/shop`, world.origin), {
        redirect: "manual",
        headers: {
          "CF-Connecting-IP": `10.77.0.${n + 1}`,
          "User-Agent": PHONE?.userAgent ?? "",
        },
      });
      expect(status).toBe(302);
    }
    await openEditor(tab, page_id);
    await row(tab, "المتجر").locator(".row-clicks").waitFor();
    await expect
      .poll(() => row(tab, "المتجر").locator(".row-clicks").textContent())
      .toMatch(/^[3٣] نقرات$/);
    await expect
      .poll(() => row(tab, "فيديو").locator(".row-clicks").textContent())
      .toBe("لا نقرات");
    await expect.poll(() => tab.locator(".counts-stay").textContent()).toContain("النقرات تبقى");
    const form = await expand(tab, "المتجر");
    await form.getByLabel("العنوان").fill("other.example.com");
    // Half an address must not go to visitors: it is saved when its field is left.
    await form.getByLabel("العنوان").blur();
    await savedLinks(tab, page_id);
    await expect
      .poll(() => row(tab, "المتجر").locator(".row-clicks").textContent())
      .toMatch(/^[3٣] نقرات$/);
  });

  test("adds the imported clicks, which the statistics have and the totals lack", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600 - 86_400;
    const db = await world.server.db();
    await db
      .prepare("INSERT INTO tallies VALUES (?1, ?2, 'click', 'video', 'human', -1, 5)")
      .bind(page_id, hour)
      .run();
    await openEditor(tab, page_id);
    await row(tab, "فيديو").locator(".row-clicks").waitFor();
    await expect
      .poll(() => row(tab, "فيديو").locator(".row-clicks").textContent())
      .toMatch(/^[5٥] نقرات$/);
    await expect
      .poll(() => row(tab, "المتجر").locator(".row-clicks").textContent())
      .toBe("لا نقرات");
  });

  test("is reordered with a mouse", async () => {
    await using someone = await creator(world);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    await dragReady(tab);
    const from = await centre(grip(tab, "المتجر"));
    const to = await centre(grip(tab, "راسلني"));
    await tab.mouse.move(from.x, from.y);
    await tab.mouse.down();
    await tab.mouse.move(to.x, to.y + 20, { steps: 15 });
    await tab.mouse.up();
    await expect.poll(() => order(tab)).toEqual(["فيديو", "راسلني", "المتجر"]);
    expect(await said(tab)).toMatch(/^انتقل «المتجر» إلى المكان [3٣] من [3٣]$/);
    expect((await savedLinks(tab, page_id)).map(({ label }) => label.ar)).toEqual([
      "فيديو",
      "راسلني",
      "المتجر",
    ]);
    await tab.waitForFunction(() => document.activeElement?.className === "row-grip");
    await expectNoComplaints(someone);
  });

  test("is reordered by touch; a finger that moves at once scrolls", async () => {
    await using someone = await creator(world, PHONE);
    const { tab, context } = someone;
    const links = Array.from({ length: 12 }, (_, n) => ({
      link_id: `n${n}`,
      label: { ar: `رابط ${n}.` },
      url: `https://n${n}.example.com/`,
    }));
    const { page_id } = await ownPage(world, { links });
    await openEditor(tab, page_id);
    await dragReady(tab);
    const touch = finger(await context.newCDPSession(tab));
    await grip(tab, "رابط 2.").scrollIntoViewIfNeeded();
    const before = await tab.evaluate(() => scrollY);
    const start = await centre(grip(tab, "رابط 2."));
    await touch.down(start.x, start.y);
    await touch.move(tab, start, { x: start.x, y: start.y - 200 });
    await touch.up();
    await expect.poll(() => tab.evaluate(() => scrollY)).toBeGreaterThan(before + 50);
    expect((await order(tab))[2]).toBe("رابط 2.");
    // Held, it drags.
    await tab.waitForTimeout(300);
    const [from, to] = [await centre(grip(tab, "رابط 2.")), await centre(grip(tab, "رابط 4."))];
    await touch.down(from.x, from.y);
    await tab.locator(".row.sortable-chosen").waitFor();
    await touch.move(tab, from, { x: to.x, y: to.y + 10 });
    await touch.up();
    await expect.poll(() => order(tab).then((names) => names.indexOf("رابط 2."))).toBe(4);
    const saved = await savedLinks(tab, page_id);
    expect(saved.slice(2, 5).map(({ label }) => label.ar)).toEqual([
      "رابط 3.",
      "رابط 4.",
      "رابط 2.",
    ]);
  });

  test("is reordered by keyboard, with each step announced, and Escape takes it back", async () => {
    await using someone = await creator(world);
    const { tab } = someone;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id);
    await grip(tab, "المتجر").focus();
    await tab.keyboard.press("Space");
    expect(await said(tab)).toMatch(/^رُفع «المتجر» من المكان [1١] من [3٣]/);
    await tab.keyboard.press("ArrowDown");
    expect(await said(tab)).toMatch(/^انتقل «المتجر» إلى المكان [2٢] من [3٣]$/);
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("ArrowDown");
    expect(await said(tab)).toMatch(/^«المتجر» باقٍ في المكان [3٣] من [3٣]$/);
    await expect.poll(() => order(tab)).toEqual(["فيديو", "راسلني", "المتجر"]);
    await tab.keyboard.press("Escape");
    await expect.poll(() => order(tab)).toEqual(["المتجر", "فيديو", "راسلني"]);
    expect(await said(tab)).toMatch(/^عاد «المتجر» إلى المكان [1١] من [3٣]$/);
    await tab.keyboard.press("Enter");
    await tab.keyboard.press("End");
    await tab.keyboard.press("Space");
    expect(await said(tab)).toMatch(/^استقر «المتجر» في المكان [3٣] من [3٣]$/);
    expect(await grip(tab, "المتجر").evaluate((handle) => handle === document.activeElement)).toBe(
      true,
    );
    expect((await savedLinks(tab, page_id)).map(({ label }) => label.ar)).toEqual([
      "فيديو",
      "راسلني",
      "المتجر",
    ]);
    // The whole journey of a row is one step of undoing; the buttons of the form move it, too.
    await tab.keyboard.press("Control+z");
    await expect.poll(() => order(tab)).toEqual(["المتجر", "فيديو", "راسلني"]);
    const form = await expand(tab, "المتجر");
    await form.getByRole("button", { name: "إلى أسفل" }).click();
    await expect.poll(() => order(tab)).toEqual(["فيديو", "المتجر", "راسلني"]);
    await form.getByRole("button", { name: "إلى الأخير" }).press("Enter");
    await expect.poll(() => order(tab)).toEqual(["فيديو", "راسلني", "المتجر"]);
    await tab.waitForFunction(() => document.activeElement?.id.startsWith("end-"));
  });

  test("says what to do where there are no links, and where there is no room for more", async () => {
    await using someone = await creator(world, PHONE);
    const { tab } = someone;
    const empty = await ownPage(world, { links: [] });
    await openEditor(tab, empty.page_id);
    await tab.getByRole("button", { name: "إنستغرام" }).click();
    await tab.keyboard.type("layan");
    await tab.keyboard.press("Enter");
    expect((await savedLinks(tab, empty.page_id))[0]).toMatchObject({
      kind: "social",
      url: "https://www.instagram.com/layan",
    });
    const full = await ownPage(world, { links: many(200) });
    await openEditor(tab, full.page_id);
    await expect
      .poll(() => tab.locator(".add-full").textContent())
      .toMatch(/(200|٢٠٠) رابط\. احذف/);
  });

  test("breaks no rule of accessibility, closed and open, and its targets are 48 px", async () => {
    await using someone = await creator(world, { ...PHONE, bypassCSP: true });
    const { tab } = someone;
    const { page_id } = await ownPage(world, {
      locales: ["ar", "en"],
      name: { ar: "ليان", en: "Layan" },
    });
    for (const [lang, colorScheme] of [
      ["ar", "light"],
      ["en", "dark"],
    ] as const) {
      await tab.emulateMedia({ colorScheme });
      await openEditor(tab, page_id, { lang });
      await tab.locator(".row-clicks").first().waitFor();
      expect(await breaches(tab)).toEqual([]);
      await tab.locator(".row-open").first().click();
      await tab.locator(".schedule summary").click();
      await tab.fill("#add-links", "@layan\n0501234567\nwords\njavascript:1");
      await tab.locator(".found").waitFor();
      expect(await breaches(tab)).toEqual([]);
      const small = await tab
        .locator(".links-panel :is(button, summary, input:not([type=checkbox]), textarea)")
        .evaluateAll(
          (all, min) =>
            all
              .map((each) => ({ box: each.getBoundingClientRect(), name: each.outerHTML }))
              .filter(({ box }) => box.width < min || box.height < min)
              .map(({ name }) => name.slice(0, 80)),
          TARGET_PX_MIN - 0.5,
        );
      expect(small).toEqual([]);
    }
  });
});
