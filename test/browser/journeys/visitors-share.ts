/** Sharing a page in a real browser: the button on it, and the picture that other sites show of it. */
import type { Page as Tab } from "playwright-core";
import { type ExpectStatic, test } from "vitest";
import { LOOK_VALUES } from "../../../src/views/look-values.ts";
import { PREVIEW_PICTURE_PX } from "../../../src/views/preview-picture.ts";
import { TEXTS } from "../../../src/views/texts.ts";
import { plainPage, storePage } from "../../plain-page.ts";
import { DESKTOP, freshPage, PHONE, settledCounts, visitor, type World } from "../browser-kit.ts";

const NAMES = ["محمد عبد الله الأنصاري", "مُحَمَّدُ بنُ عَبدِ اللهِ", "ليلى بنت عبد الله ٢٠٢٦"];
/** The size in which a name of such a length is drawn, and the columns of the picture where it is. */
const NAME_PX = 68;
const NAME_COLUMNS = [60, 740] as const;
/** Measured: 0.998. Letters that are not joined, or in another order, are far below. */
const LIKENESS_MIN = 0.995;
/** Above the address of the page. */
const NAME_ROWS = 520;

interface Ways {
  share: boolean;
  clipboard: "works" | "refuses" | null;
}

/** How the browser is told which of its ways to share are there. */
async function giveWays(tab: Tab, ways: Ways) {
  await tab.addInitScript(({ share, clipboard }) => {
    const shared: unknown[] = [];
    const define = (name: string, value: unknown) =>
      Object.defineProperty(navigator, name, { value, configurable: true });
    Object.assign(window, { shared });
    define("share", share ? async (data: unknown) => shared.push(data) : undefined);
    const writeText = async (text: string) => {
      if (clipboard === "refuses") throw new Error("no");
      shared.push(text);
    };
    define("clipboard", clipboard === null ? undefined : { writeText });
  }, ways);
}

const shared = (tab: Tab) => tab.evaluate("window.shared");

const profileTop = (tab: Tab) =>
  tab.locator(".profile").evaluate((profile) => profile.getBoundingClientRect().top);

/** Puts the page's name where the picture has it, and takes a picture of it. */
async function nameInBrowser(tab: Tab, name: string): Promise<string> {
  await tab.evaluate(
    async ({ name, size, columns: [from, to] }) => {
      await document.fonts.ready;
      const heading = document.querySelector("h1");
      if (heading === null) throw new Error("no name");
      heading.textContent = name;
      document.body.replaceChildren(heading);
      // Without geometricPrecision the browser rounds the width of each letter to a whole pixel.
      document.body.style.cssText = "display:block;padding:0;background:none";
      heading.style.cssText = `font-size:${size}px;line-height:1.45;text-rendering:geometricPrecision;position:absolute;inset:100px auto auto ${from + 12}px;inline-size:${to - from - 24}px;max-inline-size:none;text-wrap:wrap`;
    },
    { name, size: NAME_PX, columns: NAME_COLUMNS },
  );
  await tab.evaluate(() => document.fonts.ready);
  return (await tab.screenshot()).toString("base64");
}

/** How much ink each column of these pictures has, where the name is. */
const inkOf = (tab: Tab, pictures: readonly string[]) =>
  tab.evaluate(
    async ({ pictures, columns: [from, to], rows }) => {
      const ink = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext("2d");
        if (context === null) throw new Error("no canvas");
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(from, 0, to - from, rows);
        return Array.from({ length: to - from }, (_, x) => {
          let sum = 0;
          for (let y = 0; y < rows; y += 1) {
            sum += 1 - (data[(y * (to - from) + x) * 4] ?? 255) / 255;
          }
          return sum;
        });
      };
      return Promise.all(pictures.map(ink));
    },
    { pictures, columns: NAME_COLUMNS, rows: NAME_ROWS },
  );

/** Correlation of the ink of two pictures by columns, at the shift of a few pixels where it is highest. */
function likeness(one: readonly number[], other: readonly number[]): number {
  const at = (values: readonly number[], i: number) => values[i] ?? 0;
  const centred = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const [a, b] = [centred(one), centred(other)];
  const norm = (values: readonly number[]) => Math.hypot(...values);
  const shifts = [-3, -2, -1, 0, 1, 2, 3];
  return Math.max(
    ...shifts.map(
      (shift) =>
        a.reduce((sum, value, i) => sum + value * at(b, i + shift), 0) / (norm(a) * norm(b)),
    ),
  );
}

export function sharingJourneys(world: World): void {
  const share = async (expect: ExpectStatic) => {
    const { page_id } = await freshPage(world);
    const address = `${world.origin}/${page_id}`;
    await using someone = await visitor(world, PHONE);
    const { tab } = someone;
    await giveWays(tab, { share: true, clipboard: "works" });
    await tab.goto(`/${page_id}?utm_source=tiktok`);
    await tab.getByRole("button", { name: TEXTS.ar.share }).tap();
    expect(await shared(tab)).toEqual([{ title: "ليان الحوراني", url: address }]);
    await expect.poll(() => tab.getByRole("status").textContent()).toBe("");
    // It is neither a view nor a click.
    expect(await settledCounts(world, page_id, 1)).toEqual({ "view human": 1 });
    expect(await someone.complaints()).toEqual([]);

    await using typist = await visitor(world, DESKTOP);
    await giveWays(typist.tab, { share: false, clipboard: "works" });
    await typist.tab.clock.install();
    await typist.tab.goto(`/${page_id}`);
    await typist.tab.keyboard.press("Tab");
    await typist.tab.keyboard.press("Enter");
    const status = typist.tab.getByRole("status");
    await status.filter({ hasText: TEXTS.ar.copied }).waitFor();
    expect(await shared(typist.tab)).toEqual([address]);
    await typist.tab.clock.fastForward("00:09");
    await expect.poll(() => status.textContent()).toBe("");

    await using refused = await visitor(world, DESKTOP);
    await giveWays(refused.tab, { share: false, clipboard: "refuses" });
    await refused.tab.goto(`/${page_id}`);
    await refused.tab.click(".share-page");
    await refused.tab.getByRole("status").filter({ hasText: address }).waitFor();
    expect(await refused.complaints()).toEqual([]);
  };

  /** Nor without a script; long texts open all the same. */
  const cannotShare = async (expect: ExpectStatic) => {
    const text = "كلام طويل عن الطين والملح. ".repeat(30).trim();
    const page = plainPage({
      page_id: `long-${crypto.randomUUID().slice(0, 8)}`,
      name: "ليان",
      bio: "قصيرة",
      links: [{ link_id: "t", kind: "text", label: text }],
    });
    await storePage(await world.server.db(), page);
    const tops: number[] = [];
    for (const [clipboard, is_offered] of [
      [null, false],
      ["works", true],
    ] as const) {
      await using someone = await visitor(world, PHONE);
      await giveWays(someone.tab, { share: false, clipboard });
      await someone.tab.goto(`/${page.slug}`);
      await expect.poll(() => someone.tab.getByRole("button").count()).toBe(is_offered ? 1 : 0);
      tops.push(await profileTop(someone.tab));
    }

    await using someone = await visitor(world, { ...PHONE, javaScriptEnabled: false });
    const { tab } = someone;
    await tab.goto(`/${page.slug}`);
    expect(await tab.getByRole("button").count()).toBe(0);
    tops.push(await profileTop(tab));
    expect(new Set(tops).size).toBe(1);
    const paragraph = tab.locator(".text");
    const height = async () => (await paragraph.boundingBox())?.height ?? 0;
    const closed = await height();
    // Whole for screen readers.
    expect(await paragraph.textContent()).toBe(text);
    await tab.getByText(TEXTS.ar.more).click();
    expect(await height()).toBeGreaterThan(closed * 1.5);
    await tab.getByText(TEXTS.ar.less).click();
    expect(await height()).toBe(closed);
  };

  test("a visitor shares the page's address by the system's dialog, or copies it, or reads it; without a way there is no button, and nothing moves", async ({
    expect,
  }) => {
    await Promise.all([share(expect), cannotShare(expect)]);
  });
}

export function sharePictureJourneys(world: World): void {
  test("the picture of a page has names just as the browser lays them out, in each type", async ({
    expect,
  }) => {
    for (const type of LOOK_VALUES.type) {
      await using someone = await visitor(world, { ...DESKTOP, viewport: PREVIEW_PICTURE_PX });
      const { tab } = someone;
      const [first, ...others] = NAMES.map((name) =>
        plainPage({
          page_id: `share-${crypto.randomUUID().slice(0, 8)}`,
          name,
          look: { type, background: "plain", scheme: "light" },
        }),
      );
      if (first === undefined) throw new Error("no names");
      const db = await world.server.db();
      for (const page of [first, ...others]) await storePage(db, page);
      await tab.goto(`/${first.slug}`);
      for (const [i, { slug }] of [first, ...others].entries()) {
        const name = NAMES[i] ?? "";
        const picture = await fetch(new URL(`/${slug}/share.png`, world.origin));
        const drawn = Buffer.from(await picture.arrayBuffer()).toString("base64");
        const [ours, theirs] = await inkOf(tab, [drawn, await nameInBrowser(tab, name)]);
        const is_alike = likeness(ours ?? [], theirs ?? []) > LIKENESS_MIN;
        expect([type, name, is_alike]).toEqual([type, name, true]);
      }
    }
  });
}
