import type { Page as Tab } from "playwright-core";
import { type ExpectStatic, test } from "vitest";
import { TEXTS } from "../../../src/views/texts.ts";
import { plainPage, storePage } from "../../plain-page.ts";
import { DESKTOP, freshPage, PHONE, settledCounts, visitor, type World } from "../browser-kit.ts";
import { eventually } from "./eventually.ts";

interface Ways {
  share: boolean;
  clipboard: "works" | "refuses" | null;
}

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
    await eventually(() => paragraph.textContent(), text);
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
