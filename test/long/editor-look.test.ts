/** The editor's panel for looks in a real browser: tiles of one's own page, axes, and an own accent. */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { contrast, TEXT_CONTRAST_MIN } from "../../src/views/colour.ts";
import { LOOK_VALUES, USUAL_LOOK } from "../../src/views/look-values.ts";
import { PALETTES } from "../../src/views/palette.ts";
import { PRESETS } from "../../src/views/presets.ts";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, PHONE } from "../browser/browser-kit.ts";
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

const LOOK = { panel: "look" } as const;
/** Too light for text on a light ground. */
const YELLOW = "#ffd500";

const tile = (tab: Tab, name: string) => tab.getByRole("radio", { name, exact: true });
const frames = (tab: Tab) => tab.locator(".tile .tile-shot iframe");
const undo = (tab: Tab) => tab.getByRole("button", { name: "تراجع", exact: true });
const hex = (tab: Tab) => tab.getByLabel("رمز اللون");

/** Waits until the preview's page has this attribute. */
async function previewHas(tab: Tab, attribute: string, value: string): Promise<void> {
  await previewOf(tab).locator(`html[${attribute}="${value}"]`).waitFor({ state: "attached" });
}

/** A custom property of the preview's page. */
function previewColour(tab: Tab, name: string): Promise<string> {
  return previewOf(tab)
    .locator("html")
    .evaluate((html, name) => getComputedStyle(html).getPropertyValue(name), name);
}

inBrowser("the panel for looks", (world) => {
  test("a preset that is chosen reaches the preview and the saved page, and is one step to undo", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    const newsprint = PRESETS.find(({ id }) => id === "newsprint");
    await tile(tab, "صحيفة").check({ force: true });
    await previewHas(tab, "data-button", "plain");
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).look).toEqual(newsprint?.look);
    await undo(tab).click();
    await tab.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[name="look-preset"]')?.checked,
    );
    await expect.poll(() => previewOf(tab).locator("html").getAttribute("data-button")).toBeNull();
    await expectNoComplaints(owner);
  });

  test("every value of every axis can be chosen, and a look that no preset has checks none", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    for (const [axis, values] of Object.entries(LOOK_VALUES)) {
      const radios = tab.locator(`[name="look-${axis}"]`);
      await expect.poll(() => radios.count()).toBe(values.length);
      await radios.last().check({ force: true });
      await previewHas(tab, `data-${axis.replace("_", "-")}`, String(values.at(-1)));
    }
    await expect.poll(() => tab.locator('[name="look-preset"]:checked').count()).toBe(0);
    await isSaved(tab);
    const last = Object.entries(LOOK_VALUES).map(([axis, values]) => [axis, values.at(-1)]);
    expect((await savedPage(tab, page_id)).look).toEqual({
      ...USUAL_LOOK,
      ...Object.fromEntries(last),
    });
  });

  test("tiles are the creator's own page in the page's own styles, and take no focus", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    for (let i = 0; i < PRESETS.length; i += 1) {
      await tab.locator(".tile").nth(i).scrollIntoViewIfNeeded();
      await frames(tab).nth(i).contentFrame().locator("h1").waitFor();
    }
    // After the last sheet has arrived.
    await tab.waitForLoadState("networkidle");
    const shown = await frames(tab).evaluateAll((all) =>
      (all as HTMLIFrameElement[]).map((frame) => {
        const page = frame.contentDocument;
        if (page === null) throw new Error("no document");
        const { fontFamily } = getComputedStyle(page.documentElement);
        const style = getComputedStyle(page.documentElement);
        return {
          name: page.querySelector("h1")?.textContent,
          links: page.querySelectorAll(".link").length,
          accent: style.getPropertyValue("--accent"),
          face: fontFamily.split(",")[0],
          is_inert: frame.closest("[inert]") !== null && frame.tabIndex === -1,
        };
      }),
    );
    expect(shown).toEqual(
      PRESETS.map(({ look: { palette, scheme, type } }) => ({
        name: "ليان الحوراني",
        links: 3,
        accent: PALETTES[palette][scheme === "dark" ? "dark" : "light"].accent,
        face: type === "plex" ? '"Sila Arabic"' : `"Sila ${type} Arabic"`,
        is_inert: true,
      })),
    );
    await expectNoComplaints(owner);
  });

  test("a tile is made when it comes near to the window", async () => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    await frames(tab).first().waitFor();
    await expect.poll(() => frames(tab).count()).toBeLessThan(PRESETS.length);
    await tab.locator(".tile").last().scrollIntoViewIfNeeded();
    await tab.locator(".tile").last().locator("iframe").waitFor();
  });

  test("on a phone the small preview is the only one in the corner, and opens the large one", async () => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    const small = tab.locator("button.look-now");
    await small.locator("iframe").waitFor();
    const large = tab.locator(".preview-toggle");
    await expect.poll(() => large.isVisible()).toBe(false);
    await small.click();
    await tab.locator(".preview-side").waitFor();
    // This one closes it.
    await large.click();
    await small.waitFor();
    await tab.locator('a[href="#profile"]').click();
    await large.waitFor();
    await expectNoComplaints(owner);
  });

  test("samples of typefaces are in their own faces, which the editor itself does not load", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    await tab.locator(".axis-type").scrollIntoViewIfNeeded();
    const samples = tab.locator(".type-sample iframe");
    await samples.nth(LOOK_VALUES.type.length - 1).waitFor();
    for (const [i, type] of LOOK_VALUES.type.entries()) {
      const heading = samples.nth(i).contentFrame().locator("h1");
      await heading.waitFor();
      await expect.poll(() => heading.textContent()).toBe("صلة Sila ١٢٣ 123");
      const name = type === "plex" ? "Sila Arabic" : `Sila ${type} Arabic`;
      await heading.evaluate(async (element, name) => {
        const { fonts } = element.ownerDocument;
        while (![...fonts].some((face) => face.family.includes(name) && face.status === "loaded")) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      }, name);
    }
    const own = await tab.evaluate(() => [...document.fonts].map(({ family }) => family));
    expect(own.filter((family) => /readex|alexandria|kufi|naskh|messiri/.test(family))).toEqual([]);
  });

  test("an own accent is solved for contrast, and the panel says what was asked and what is shown", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { look: { scheme: "light" } });
    await openEditor(tab, page_id, LOOK);
    // As creators type it: an upper case, or no #.
    await hex(tab).fill(YELLOW.slice(1).toUpperCase());
    await tab.locator(".verdicts li").waitFor();
    const { ground } = PALETTES.sand.light;
    const accent = await previewColour(tab, "--accent");
    expect(contrast(YELLOW, ground)).toBeLessThan(TEXT_CONTRAST_MIN);
    expect(contrast(accent, ground)).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    expect(await previewColour(tab, "--fill")).toBe(YELLOW);
    const words = (await tab.locator(".verdicts li").textContent()) ?? "";
    expect(words).toContain(accent);
    const [text, asked, button] = [...words.matchAll(/([\d.٠-٩٫]+)\s:\s[1١]/g)].map(
      ([, ratio = ""]) =>
        Number(ratio.replace("٫", ".").replace(/[٠-٩]/g, (d) => String("٠١٢٣٤٥٦٧٨٩".indexOf(d)))),
    );
    expect(text).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    expect(asked).toBeLessThan(TEXT_CONTRAST_MIN);
    expect(button).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).look.accent).toBe(YELLOW);
    await tab.getByRole("button", { name: "عد إلى لون المجموعة" }).click();
    await expect.poll(() => tab.locator(".verdicts").count()).toBe(0);
    expect(await previewColour(tab, "--accent")).toBe(PALETTES.sand.light.accent);
    await expectNoComplaints(owner);
  });

  test("what is no colour is said beside its field, and is not sent", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    await hex(tab).fill("#12");
    await tab.locator('[aria-invalid="true"]').waitFor();
    await expect.poll(() => tab.locator("[data-saving]").getAttribute("data-saving")).toBe("saved");
    await hex(tab).fill("#123");
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).look.accent).toBe("#112233");
  });

  test("a preset that replaces an own accent says so, and the accent can be kept", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world, { look: { accent: YELLOW } });
    await openEditor(tab, page_id, LOOK);
    await tile(tab, "شاطئ").check({ force: true });
    await previewHas(tab, "data-palette", "sea");
    await expect.poll(() => tab.locator(".notice").textContent()).toContain("شاطئ");
    await tab.locator(".notice-action").click();
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).look).toMatchObject({ palette: "sea", accent: YELLOW });
    await undo(tab).click();
    await undo(tab).click();
    await isSaved(tab);
    expect((await savedPage(tab, page_id)).look).toMatchObject({ palette: "sand", accent: YELLOW });
  });

  test("the keyboard alone chooses: arrows in each group, as in every group of radio buttons", async () => {
    await using owner = await creator(world);
    const { tab } = owner;
    const { page_id } = await ownPage(world);
    await openEditor(tab, page_id, LOOK);
    await tab.locator('[name="look-preset"]:checked').focus();
    await tab.keyboard.press("ArrowDown");
    await previewHas(tab, "data-palette", "sea");
    await tab.locator('[name="look-density"]:checked').focus();
    await tab.keyboard.press("ArrowUp");
    await previewHas(tab, "data-density", "compact");
  });

  for (const lang of ["ar", "en"] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`axe finds nothing in ${lang}, ${colorScheme}`, async () => {
        await using owner = await creator(world, { ...DESKTOP, bypassCSP: true, colorScheme });
        const { tab } = owner;
        const { page_id } = await ownPage(world, { look: { accent: YELLOW } });
        await openEditor(tab, page_id, { panel: "look", lang });
        await frames(tab).first().contentFrame().locator("h1").waitFor();
        expect(await breaches(tab)).toEqual([]);
      });
    }
  }
});
