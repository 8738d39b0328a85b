/** Sharing a page in a real browser: the button on it, and the picture that other sites show of it. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { LOOK_VALUES } from "../../src/views/look-values.ts";
import { PREVIEW_PICTURE_PX } from "../../src/views/preview-picture.ts";
import { DESKTOP, freshPage, PHONE, settledCounts, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { plainPage, storePage } from "../plain-page.ts";

const NAMES = ["محمد عبد الله الأنصاري", "مُحَمَّدُ بنُ عَبدِ اللهِ", "ليلى بنت عبد الله ٢٠٢٦"];
/** The size in which a name of such a length is drawn, and the columns of the picture where it is. */
const NAME_PX = 68;
const NAME_COLUMNS = [60, 740] as const;
/** Measured: 0.998. Letters that are not joined, or in another order, are far below. */
const LIKENESS_MIN = 0.995;
/** Above the address of the page. */
const NAME_ROWS = 520;

/** How the browser is told which of its ways to share are there. */
async function giveWays(tab: Tab, ways: { share: boolean; clipboard: "works" | "refuses" | null }) {
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

inBrowser("sharing a page", (world) => {
  test("opens the system's dialog with the address alone, where there is one", async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world, PHONE);
    const { tab } = someone;
    await giveWays(tab, { share: true, clipboard: "works" });
    await tab.goto(`/${page_id}?utm_source=tiktok`);
    await tab.getByRole("button", { name: "شارك الصفحة" }).tap();
    expect(await shared(tab)).toEqual([
      { title: "ليان الحوراني", url: `${world.origin}/${page_id}` },
    ]);
    await expect.poll(() => tab.getByRole("status").textContent()).toBe("");
    // It is neither a view nor a click.
    expect(await settledCounts(world, page_id, 1)).toEqual({ "view human": 1 });
    expect(await someone.complaints()).toEqual([]);
  });

  test("copies the address by keyboard too, and says so for a while", async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world, DESKTOP);
    const { tab } = someone;
    await giveWays(tab, { share: false, clipboard: "works" });
    await tab.clock.install();
    await tab.goto(`/${page_id}`);
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    const status = tab.getByRole("status");
    await status.filter({ hasText: "نُسخ عنوان الصفحة" }).waitFor();
    expect(await shared(tab)).toEqual([`${world.origin}/${page_id}`]);
    await tab.clock.fastForward("00:09");
    await expect.poll(() => status.textContent()).toBe("");
  });

  test("shows the address where copying is refused", async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world, DESKTOP);
    const { tab } = someone;
    await giveWays(tab, { share: false, clipboard: "refuses" });
    await tab.goto(`/${page_id}`);
    await tab.click(".share-page");
    await tab
      .getByRole("status")
      .filter({ hasText: `${world.origin}/${page_id}` })
      .waitFor();
    expect(await someone.complaints()).toEqual([]);
  });

  test("is not offered without a script or a way to share, and moves nothing when it is", async () => {
    const { page_id } = await freshPage(world);
    const profileTop = (tab: Tab) =>
      tab.locator(".profile").evaluate((profile) => profile.getBoundingClientRect().top);
    const tops: number[] = [];
    for (const [device, clipboard, is_offered] of [
      [{ ...PHONE, javaScriptEnabled: false }, null, false],
      [PHONE, null, false],
      [PHONE, "works", true],
    ] as const) {
      await using someone = await visitor(world, device);
      const { tab } = someone;
      await giveWays(tab, { share: false, clipboard });
      await tab.goto(`/${page_id}`, { waitUntil: "load" });
      await expect.poll(() => tab.getByRole("button").count()).toBe(is_offered ? 1 : 0);
      tops.push(await profileTop(tab));
    }
    expect(new Set(tops).size).toBe(1);
  });

  test("a long text opens and closes, without a script too, and is whole for screen readers", async () => {
    const text = "كلام طويل عن الطين والملح. ".repeat(30).trim();
    const page = plainPage({
      page_id: `long-${crypto.randomUUID().slice(0, 8)}`,
      name: "ليان",
      bio: "قصيرة",
      links: [{ link_id: "t", kind: "text", label: text }],
    });
    await storePage(await world.server.db(), page);
    await using someone = await visitor(world, { ...PHONE, javaScriptEnabled: false });
    const { tab } = someone;
    await tab.goto(`/${page.slug}`);
    const paragraph = tab.locator(".text");
    const height = async () => (await paragraph.boundingBox())?.height ?? 0;
    const closed = await height();
    await expect.poll(() => paragraph.textContent()).toBe(text);
    await tab.getByText("المزيد").click();
    const open = await height();
    expect(open).toBeGreaterThan(closed * 1.5);
    await tab.getByText("أقل").click();
    expect(await height()).toBe(closed);
  });

  test.for(LOOK_VALUES.type)(
    "the picture has names just as the browser lays them out, in %s",
    async (type) => {
      await using someone = await visitor(world, DESKTOP);
      const { tab } = someone;
      for (const name of NAMES) {
        const page = plainPage({
          page_id: `share-${crypto.randomUUID().slice(0, 8)}`,
          name,
          look: { type, background: "plain", scheme: "light" },
        });
        await storePage(await world.server.db(), page);
        await tab.setViewportSize({ ...PREVIEW_PICTURE_PX });
        await tab.goto(`/${page.slug}`);
        await tab.evaluate(
          async ({ size, columns: [from, to] }) => {
            await document.fonts.ready;
            const heading = document.querySelector("h1");
            if (heading === null) throw new Error("no name");
            document.body.replaceChildren(heading);
            // Without geometricPrecision the browser rounds the width of each letter to a whole pixel.
            document.body.style.cssText = "display:block;padding:0;background:none";
            heading.style.cssText = `font-size:${size}px;line-height:1.45;text-rendering:geometricPrecision;position:absolute;inset:100px auto auto ${from + 12}px;inline-size:${to - from - 24}px;max-inline-size:none;text-wrap:wrap`;
          },
          { size: NAME_PX, columns: NAME_COLUMNS },
        );
        await tab.evaluate(() => document.fonts.ready);
        const screenshot = (await tab.screenshot()).toString("base64");
        const drawn = await (
          await fetch(new URL(`/${page.slug}/share.png`, world.origin))
        ).arrayBuffer();
        const [ours, theirs] = await tab.evaluate(
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
          {
            pictures: [Buffer.from(drawn).toString("base64"), screenshot],
            columns: NAME_COLUMNS,
            rows: NAME_ROWS,
          },
        );
        expect([name, likeness(ours ?? [], theirs ?? []) > LIKENESS_MIN]).toEqual([name, true]);
      }
    },
  );
});

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
