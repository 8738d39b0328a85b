import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { contrast, TEXT_CONTRAST_MIN } from "../../../src/views/colour.ts";
import { LOOK_VALUES, USUAL_LOOK } from "../../../src/views/look-values.ts";
import { PALETTES } from "../../../src/views/palette.ts";
import { PRESETS, type Preset } from "../../../src/views/presets.ts";
import { PHONE, type World } from "../browser-kit.ts";
import { editing, expectNoComplaints, isSaved, previewOf, savedPage } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { pressNotice } from "./editor-parts.ts";
import { pictureJourneys } from "./editor-pictures.ts";
import { eventually } from "./eventually.ts";

const { LOOK_TEXTS, EDITOR_TEXTS, ltr } = EDITOR.ar;

const LOOK = { panel: "look" } as const;
/** Too light for text on a light ground. */
const YELLOW = "#ffd500";

const frames = (tab: Tab) => tab.locator(".tile .tile-shot iframe");
const hex = (tab: Tab) => tab.getByLabel(LOOK_TEXTS.hex);
const chosenPreset = (tab: Tab) => tab.locator('[name="look-preset"]:checked');
const undo = (tab: Tab) => tab.getByRole("button", { name: EDITOR_TEXTS.undo, exact: true });
const lookOf = async (tab: Tab, page_id: string) => (await savedPage(tab, page_id)).look;

function presetOf(isIt: (preset: Preset) => boolean): Preset {
  const preset = PRESETS.find(isIt);
  if (preset === undefined) throw new Error("no such preset");
  return preset;
}

/** The radio button itself is hidden below its tile. */
async function choosePreset(tab: Tab, { name }: Preset): Promise<void> {
  await tab.getByRole("radio", { name: name.ar, exact: true }).check({ force: true });
}

async function previewIs(tab: Tab, attributes: string): Promise<void> {
  await previewOf(tab).locator(`html${attributes}`).waitFor({ state: "attached" });
}

function previewColour(tab: Tab, name: string): Promise<string> {
  return previewOf(tab)
    .locator("html")
    .evaluate((html, name) => getComputedStyle(html).getPropertyValue(name), name);
}

async function passTiles(tab: Tab): Promise<void> {
  for (let i = 0; i < PRESETS.length; i += 1) {
    await tab.locator(".tile").nth(i).scrollIntoViewIfNeeded();
    await frames(tab).nth(i).contentFrame().locator("h1").waitFor();
  }
}

function shownInTiles(tab: Tab) {
  return frames(tab).evaluateAll((all) =>
    (all as HTMLIFrameElement[]).map((frame) => {
      const page = frame.contentDocument;
      if (page === null) throw new Error("no document");
      const style = getComputedStyle(page.documentElement);
      return {
        name: page.querySelector("h1")?.textContent,
        links: page.querySelectorAll(".link").length,
        accent: style.getPropertyValue("--accent"),
        face: style.fontFamily.split(",")[0],
        is_inert: frame.closest("[inert]") !== null && frame.tabIndex === -1,
      };
    }),
  );
}

async function expectTypefaces(tab: Tab): Promise<void> {
  await tab.locator(".axis-type").scrollIntoViewIfNeeded();
  const samples = tab.locator(".type-sample iframe");
  await samples.nth(LOOK_VALUES.type.length - 1).waitFor();
  for (const [i, type] of LOOK_VALUES.type.entries()) {
    const name = type === "plex" ? "Sila Arabic" : `Sila ${type} Arabic`;
    const heading = samples.nth(i).contentFrame().locator("h1");
    const loaded = () =>
      heading.evaluate(
        ({ ownerDocument }, name) =>
          [...ownerDocument.fonts].some(
            ({ family, status }) => family.includes(name) && status === "loaded",
          ),
        name,
      );
    await eventually(loaded, true);
  }
  const own = await tab.evaluate(() => [...document.fonts].map(({ family }) => family));
  expect(own.filter((family) => /readex|alexandria|kufi|naskh|messiri/.test(family))).toEqual([]);
}

export function lookJourneys(world: World): void {
  test("a creator sees the own page in every look, chooses one by pointer or keyboard, takes it back, and mixes an own one", async () => {
    await using owner = await editing(world, LOOK);
    const { tab, page_id } = owner;
    await passTiles(tab);
    // Their sheets may arrive later.
    await eventually(
      () => shownInTiles(tab),
      PRESETS.map(({ look: { palette, scheme, type } }) => ({
        name: "ليان الحوراني",
        links: 3,
        accent: PALETTES[palette][scheme === "dark" ? "dark" : "light"].accent,
        face: type === "plex" ? '"Sila Arabic"' : `"Sila ${type} Arabic"`,
        is_inert: true,
      })),
    );
    await expectTypefaces(tab);

    const lines = presetOf(({ look }) => look.button === "plain");
    await choosePreset(tab, lines);
    await previewIs(tab, '[data-button="plain"]');
    await eventually(() => lookOf(tab, page_id), lines.look);
    // A preset is one step, whatever it changes.
    await undo(tab).click();
    await previewIs(tab, ":not([data-button])");
    await eventually(() => lookOf(tab, page_id), USUAL_LOOK);

    // Arrows in each group, as in every group of radio buttons.
    await chosenPreset(tab).focus();
    await tab.keyboard.press("ArrowDown");
    await previewIs(tab, `[data-palette="${PRESETS[1]?.look.palette}"]`);
    await tab.locator('[name="look-density"]:checked').focus();
    await tab.keyboard.press("ArrowUp");
    await previewIs(tab, '[data-density="compact"]');

    for (const [axis, values] of Object.entries(LOOK_VALUES)) {
      const radios = tab.locator(`[name="look-${axis}"]`);
      await eventually(() => radios.count(), values.length);
      await radios.last().check({ force: true });
      await previewIs(tab, `[data-${axis.replace("_", "-")}="${values.at(-1)}"]`);
    }
    // No preset has this look.
    await eventually(() => chosenPreset(tab).count(), 0);
    const last = Object.entries(LOOK_VALUES).map(([axis, values]) => [axis, values.at(-1)]);
    await eventually(() => lookOf(tab, page_id), { ...USUAL_LOOK, ...Object.fromEntries(last) });
    await expectNoComplaints(owner);
  });

  test("an own accent is made readable and says so, what is no colour is not sent, and a preset replaces it unless it is kept", async () => {
    const look = { ...USUAL_LOOK, scheme: "light" } as const;
    await using owner = await editing(world, { ...LOOK, page: { look } });
    const { tab, page_id } = owner;
    // As creators type it: in upper case, without #.
    await hex(tab).fill(YELLOW.slice(1).toUpperCase());
    const verdict = tab.locator(".verdicts li");
    await verdict.waitFor();
    await eventually(() => previewColour(tab, "--fill"), YELLOW);
    const accent = await previewColour(tab, "--accent");
    const { ground, accent: usual } = PALETTES.sand.light;
    expect(contrast(YELLOW, ground)).toBeLessThan(TEXT_CONTRAST_MIN);
    expect(contrast(accent, ground)).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    await eventually(() => verdict.textContent(), expect.stringContaining(ltr(accent)));
    await eventually(async () => (await lookOf(tab, page_id)).accent, YELLOW);
    await tab.getByRole("button", { name: LOOK_TEXTS.back }).click();
    await eventually(() => verdict.count(), 0);
    await eventually(() => previewColour(tab, "--accent"), usual);
    await eventually(async () => (await lookOf(tab, page_id)).accent, null);

    await isSaved(tab);
    await hex(tab).fill("#12");
    await tab.locator('[aria-invalid="true"]').waitFor();
    expect(await tab.locator('[data-saving="saved"]').count()).toBe(1);
    await hex(tab).fill("#123");
    await eventually(async () => (await lookOf(tab, page_id)).accent, "#112233");

    const sea = presetOf((preset) => preset.look.palette === "sea");
    await choosePreset(tab, sea);
    await pressNotice(tab.locator(".notice", { hasText: LOOK_TEXTS.accent_lost(sea.name.ar) }));
    await previewIs(tab, '[data-palette="sea"]');
    const kept = { ...sea.look, accent: "#112233" };
    await eventually(() => lookOf(tab, page_id), kept);
    await undo(tab).click();
    await undo(tab).click();
    await eventually(() => lookOf(tab, page_id), { ...look, accent: "#112233" });
    await expectNoComplaints(owner);
  });

  test("on a phone the small preview opens the large one, and tiles are made when they come near", async () => {
    await using owner = await editing(world, { ...LOOK, device: PHONE });
    const { tab } = owner;
    await frames(tab).first().waitFor();
    expect(await frames(tab).count()).toBeLessThan(PRESETS.length);
    const small = tab.locator("button.look-now");
    await small.locator("iframe").waitFor();
    const large = tab.locator(".preview-toggle");
    await small.click();
    await tab.locator(".preview-side").waitFor();
    await large.click();
    await small.waitFor();
    await tab.locator(".tile").last().scrollIntoViewIfNeeded();
    await tab.locator(".tile").last().locator("iframe").waitFor();
    await expectNoComplaints(owner);
  });

  pictureJourneys(world);
}
