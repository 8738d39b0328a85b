/** Readers for whom the editor must be right: of Arabic, of large text, with forced colours, with a finger. */
import type { BrowserContextOptions, Locator, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { NOTICE_MS } from "../../../src/client/editor/notice-place.ts";
import { EVERY_KIND } from "../../every-kind.ts";
import { PHONE, type World } from "../browser-kit.ts";
import { editing, expectNoComplaints, openEditor, previewOf } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { row } from "../links-kit.ts";
import { TARGET_PX_MIN } from "../screens.ts";
import { BOTH_LANGUAGES, button, openPanel, openRow } from "./editor-parts.ts";
import { eventually } from "./eventually.ts";

const { EDITOR_TEXTS, LINKS_TEXTS, PROFILE_TEXTS, SHARE_TEXTS } = EDITOR.ar;
const PANELS = ["links", "look", "profile", "settings", "history"] as const;

const { page_id: _id, slug: _slug, owner_id: _owner, ...FULL } = EVERY_KIND;

const SMALL = { ...PHONE, viewport: { width: 360, height: 780 } };
const WIDE = { ...PHONE, viewport: { width: 390, height: 844 } };

const BILINGUAL = {
  ...BOTH_LANGUAGES,
  name: { ar: "C++ للمبتدئين", en: "Salma" },
  links: [
    { link_id: "ar", label: { ar: "C++ للمبتدئين" }, url: "https://shop.example.com/" },
    { link_id: "en", label: { en: "سلمى in English" }, url: "https://video.example.com/" },
  ],
};

/** Its language and direction, and its text with `~` for U+200E. */
const drawnAt = (place: Locator) =>
  place.evaluate(({ lang, dir, textContent }: HTMLElement) => [
    `${lang} ${dir}`,
    textContent?.replaceAll("\u200e", "~"),
  ]);

/** Two ways to twice the text: of the page, and of the browser. */
const ENLARGE: Record<string, (tab: Tab) => Promise<unknown>> = {
  "of the page": (tab) =>
    tab.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
    }),
  "of the browser": async (tab) => {
    const session = await tab.context().newCDPSession(tab);
    return session.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
  },
};

/** Of the window's height, what no bar and no button takes that stays while the page is scrolled; and what sticks out. */
const room = (tab: Tab) =>
  tab.evaluate(() => {
    const stays = (element: Element) => {
      for (let each: Element | null = element; each !== null; each = each.parentElement) {
        if (["fixed", "sticky"].includes(getComputedStyle(each).position)) return true;
      }
      return false;
    };
    const lines = Array.from(
      { length: innerHeight },
      (_, y) => document.elementsFromPoint(innerWidth / 2, y)[0],
    );
    const free = lines.filter((element) => element !== undefined && !stays(element)).length;
    return {
      free: free / innerHeight,
      wider_px: document.documentElement.scrollWidth - innerWidth,
    };
  });

/** What a finger presses in the editor, or in the open dialog, and is smaller than a finger; also through its label. */
const small = (tab: Tab) =>
  tab.evaluate((least) => {
    const boxOf = (element: Element) => element.getBoundingClientRect();
    const isLarge = (element: Element | null | undefined) => {
      const { width, height } = element ? boxOf(element) : { width: 0, height: 0 };
      return Math.round(width) >= least && Math.round(height) >= least;
    };
    const place = document.querySelector("dialog[open]") ?? document.querySelector("#editor");
    const controls = "a[href], button, summary, select, textarea, input:not([type=hidden])";
    return [...(place?.querySelectorAll<HTMLElement>(controls) ?? [])].flatMap((element) => {
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      const is_seen =
        element.checkVisibility({ visibilityProperty: true }) && boxOf(element).width > 1;
      const is_in_sentence = element.matches("a") && getComputedStyle(element).display === "inline";
      const is_apart = element.matches("[readonly]") || element.closest(".sr") !== null;
      if (!is_seen || is_in_sentence || is_apart) return [];
      if ([element, ...labels, element.closest("label")].some(isLarge)) return [];
      const { width, height } = boxOf(element);
      return [`${element.className} ${element.textContent?.slice(0, 20)}: ${width} × ${height}`];
    });
  }, TARGET_PX_MIN);

const boxOf = async (place: Locator) => {
  const box = await place.boundingBox();
  if (box === null) throw new Error(`${place} is not shown`);
  return { ...box, bottom: box.y + box.height };
};

const overlap = async (one: Locator, other: Locator): Promise<boolean> => {
  const [a, b] = [await boxOf(one), await boxOf(other)];
  return a.y < b.bottom && b.y < a.bottom && a.x < b.x + b.width && b.x < a.x + a.width;
};

const phone = (device: BrowserContextOptions, panel: string) => ({
  device,
  panel,
  page: { ...FULL, ...BOTH_LANGUAGES },
});

export function readerJourneys(world: World): void {
  test("a text has the direction of the language it is stored in, in fields, rows, the preview, the page and the dashboard", async () => {
    await using owner = await editing(world, { page: BILINGUAL });
    const { tab, page_id, slug } = owner;
    const names = tab.locator(".row-name bdi");
    const mixed = ["ar rtl", "C++~ للمبتدئين"];
    const english = ["en ltr", "سلمى in English"];
    expect(await drawnAt(names.nth(0))).toEqual(mixed);
    expect(await drawnAt(names.nth(1))).toEqual(english);
    expect(await drawnAt(tab.locator(".editor-toolbar h1 bdi"))).toEqual(mixed);
    await tab.locator(".row-open").first().click();
    const fields = tab.locator(".row-names .input");
    expect(
      await fields.evaluateAll((all: HTMLElement[]) =>
        all.map(({ lang, dir }) => `${lang} ${dir}`),
      ),
    ).toEqual(["ar rtl", "en ltr"]);
    // Nothing of it is in what is saved.
    await eventually(() => fields.first().inputValue(), "C++ للمبتدئين");
    expect(await drawnAt(previewOf(tab).locator("h1"))).toEqual(mixed);
    await openPanel(tab, "profile");
    const name = tab.getByLabel(PROFILE_TEXTS.in(PROFILE_TEXTS.name, "ar"), { exact: true });
    expect(await name.evaluate(({ dir }: HTMLElement) => dir)).toBe("rtl");

    await tab.goto(`/${slug}`);
    expect(await drawnAt(tab.locator("h1"))).toEqual(mixed);
    expect(await drawnAt(tab.locator(".label bdi").nth(0))).toEqual(mixed);
    expect(await drawnAt(tab.locator(".label bdi").nth(1))).toEqual(english);
    await tab.goto(`/dashboard/${page_id}?lang=en`);
    expect(await drawnAt(tab.locator(".title h1 bdi"))).toEqual(mixed);
    await tab.goto("/dashboard?lang=en");
    expect(await drawnAt(tab.locator(".owned-name bdi"))).toEqual(mixed);
  });

  test.for(Object.entries(ENLARGE))(
    "with twice the text, %s, most of a small phone's window is the panel's, and nothing sticks out",
    async ([, enlarge]) => {
      await using owner = await editing(world, phone(SMALL, "links"));
      const { tab } = owner;
      for (const panel of PANELS) {
        await tab.goto(`${new URL(tab.url()).pathname}?lang=ar#${panel}`);
        await tab.reload();
        await tab.locator(".panel:not(:has(.editor-loading))").waitFor();
        await enlarge(tab);
        await tab.locator("html.is-low").waitFor();
        for (const place of ["top", "middle", "end"] as const) {
          await tab.evaluate((place) => {
            const most = document.documentElement.scrollHeight;
            scrollTo(0, { top: 0, middle: most / 2, end: most }[place]);
          }, place);
          const { free, wider_px } = await room(tab);
          expect([panel, place, wider_px]).toEqual([panel, place, 0]);
          expect(free, `${panel}, ${place}`).toBeGreaterThan(0.6);
        }
      }
      await expectNoComplaints(owner);
    },
  );

  test("with forced colours a switch that is on looks other than one that is off, and so does a chosen button", async () => {
    await using owner = await editing(world, { device: { ...PHONE, forcedColors: "active" } });
    const { tab } = owner;
    const toggle = row(tab, "المتجر").locator(".switch");
    const drawn = () =>
      toggle.evaluate((element) => {
        const part = (name: string) => {
          const { backgroundColor, borderTopColor, insetInlineStart } = getComputedStyle(
            element,
            name,
          );
          return [backgroundColor, borderTopColor, insetInlineStart];
        };
        const ground = getComputedStyle(document.body).backgroundColor;
        return { track: part("::before"), knob: part("::after"), ground };
      });
    const on = await drawn();
    await toggle.click();
    const off = await drawn();
    expect(on.track[0]).not.toBe(off.track[0]);
    expect(on.knob[2]).not.toBe(off.knob[2]);
    for (const { track, knob, ground } of [on, off]) {
      // The knob is seen on its track, and the track's edge on the page.
      expect(knob[0]).not.toBe(track[0]);
      expect(track[1]).not.toBe(ground);
    }
    await openRow(tab, "المتجر");
    const kind = (is_chosen: boolean) =>
      row(tab, "المتجر")
        .locator(`.kinds .choice[aria-pressed="${is_chosen}"]`)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await kind(true)).not.toBe(await kind(false));
  });

  test("a finger hits each control of the panels, of a link, of its times and of the share sheet", async () => {
    await using owner = await editing(world, phone(WIDE, "links"));
    const { tab } = owner;
    for (const panel of PANELS) {
      await openPanel(tab, panel);
      if (panel === "history") await tab.locator(".sitting").first().waitFor();
      expect([panel, await small(tab)]).toEqual([panel, []]);
    }
    await openPanel(tab, "links");
    await tab.locator(".row-open").first().click();
    await tab.locator(".row-form .schedule summary").click();
    expect(["a link", await small(tab)]).toEqual(["a link", []]);
    await button(tab, EDITOR_TEXTS.share).click();
    await tab.getByRole("dialog", { name: SHARE_TEXTS.title }).waitFor();
    expect(["sharing", await small(tab)]).toEqual(["sharing", []]);
    await tab.keyboard.press("Escape");
    const { page_id } = owner;
    await tab.goto("about:blank");
    await tab.goto(`/dashboard/pages/${page_id}/edit?lang=ar#start`);
    await tab.locator(".steps").waitFor();
    expect(["the steps", await small(tab)]).toEqual(["the steps", []]);
  });

  test("a notice stands where nothing was just done, and covers neither that nor what has the focus", async () => {
    await using owner = await editing(world, phone(WIDE, "links"));
    const { tab } = owner;
    const notice = tab.locator(".notice");
    const rows = tab.locator(".row");
    for (const block of ["start", "end"] as const) {
      const at = block === "start" ? rows.nth(1) : rows.last();
      await at.locator(".row-open").click();
      const remove = at.locator(".remove");
      await remove.evaluate((element, block) => element.scrollIntoView({ block }), block);
      const { y } = await boxOf(remove);
      await remove.click();
      await notice.waitFor();
      const { y: top, bottom } = await boxOf(notice);
      expect([block, top > y || bottom < y]).toEqual([block, true]);
      const next = tab.locator(":focus");
      await eventually(() => next.count(), 1);
      expect([block, await overlap(notice, next)]).toEqual([block, false]);
      expect([block, await overlap(notice, tab.locator(".panels"))]).toEqual([block, false]);
      await notice.locator(".notice-action").click();
      await notice.waitFor({ state: "detached" });
    }
    await expectNoComplaints(owner);
  });

  test("a notice stays six seconds, and longer while it is pointed at or has the focus", async () => {
    await using owner = await editing(world);
    const { tab, page_id } = owner;
    await tab.clock.install();
    await tab.goto("about:blank");
    await openEditor(tab, page_id);
    const notice = tab.locator(".notice");
    const remove = async (name: string) => {
      await openRow(tab, name);
      await row(tab, name).locator(".remove").click();
      await notice.getByText(LINKS_TEXTS.removed(name)).waitFor();
    };
    await remove("المتجر");
    await notice.hover();
    await tab.clock.fastForward(10 * NOTICE_MS);
    expect(await notice.count()).toBe(1);
    await tab.mouse.move(0, 0);
    await notice.locator(".notice-action").focus();
    await tab.clock.fastForward(10 * NOTICE_MS);
    expect(await notice.count()).toBe(1);
    await tab.locator("#add-links").focus();
    await tab.clock.fastForward(NOTICE_MS);
    await notice.waitFor({ state: "detached" });
    // What it offered is still there.
    await button(tab.locator(".editor-tools"), EDITOR_TEXTS.undo).click();
    await row(tab, "المتجر").waitFor();
  });

  test("on a phone the button of the preview is in the bar, and the end of a panel is above it", async () => {
    await using owner = await editing(world, phone(WIDE, "links"));
    const { tab } = owner;
    const bar = tab.locator(".panels");
    for (const panel of ["links", "settings"] as const) {
      await openPanel(tab, panel);
      await tab.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const last = tab.locator(".panel :is(.row, .setting)").last();
      expect([panel, (await boxOf(last)).bottom <= (await boxOf(bar)).y]).toEqual([panel, true]);
    }
    const inside = bar.locator(".preview-toggle");
    const [{ y, bottom }, of_bar] = [await boxOf(inside), await boxOf(bar)];
    expect(y >= of_bar.y && bottom <= of_bar.bottom).toBe(true);
    await inside.click();
    await tab.locator(".preview-side").waitFor();
    const frame = tab.locator(".preview .phone");
    await frame.scrollIntoViewIfNeeded();
    await tab.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    expect(await overlap(frame, bar)).toBe(false);
    await button(bar, EDITOR_TEXTS.close_preview).click();
    await tab.locator(".panel").waitFor();
  });
}
