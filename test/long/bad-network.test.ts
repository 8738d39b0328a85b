/**
 * docs/faults.md F34. Random editing on a network on which every second request or answer goes wrong in a random
 * way: what is called saved is saved, a creator with one tab never has a conflict, and once the network is well the
 * page is what the screen shows.
 *
 * The seeds are pinned, and a failure names its own; `NETWORK_SEED` runs another one. A seed draws deeds and faults,
 * not when the browser sends what.
 */
import type { Page as Tab } from "playwright-core";
import { test } from "vitest";
import { badNetwork, pageInD1, takeStates, watchStates } from "../browser/bad-network.ts";
import type { Fault } from "../browser/breaking-proxy.ts";
import { freshAddress, type World } from "../browser/browser-kit.ts";
import { editing } from "../browser/creators.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { eventually } from "../browser/journeys/eventually.ts";
import { FAULTS } from "../browser/network-faults.ts";
import { rendered, written } from "../browser/preview-html.ts";
import { generator, integer, pick, type Random } from "../random.ts";

const SEEDS = process.env.NETWORK_SEED
  ? [Number(process.env.NETWORK_SEED)]
  : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const DEEDS = 40;
/** Milliseconds for one seed, of which several edit at once, on a machine of a quarter of the speed. */
const SEED_TIMEOUT_MS = 600_000;
const SHARE_OF_FAULTS = 0.5;
/** By how much the clock is moved on between two deeds: within a pause, past one, past the time of a request. */
const STEPS_MS = [0, 0, 300, 1_500, 4_000, 25_000] as const;
/** Longer than a repetition waits at most, and shorter than a request. */
const CALM_STEP_MS = 6_000;
const LATE: Fault = { delay_ms: 80 };
/** What a creator sees while nothing has to be decided. */
const CALM = /^(?:opening|saved|waiting|sending|retrying)$/;

type Deed = (tab: Tab, random: Random) => Promise<void>;

async function openPanel(tab: Tab, panel: string): Promise<void> {
  await tab.evaluate((hash) => location.assign(hash), `#${panel}`);
  await tab.locator(`.panels a[href="#${panel}"][aria-current]`).waitFor();
  await tab.locator(".panel:not(:has(.editor-loading))").waitFor();
}

const words = (random: Random) => `كلمة ${integer(10_000, random)}`;

/** One of the elements, if there are any. */
async function anyOf(tab: Tab, selector: string, random: Random) {
  const all = tab.locator(selector);
  const count = await all.count();
  return count === 0 ? null : all.nth(integer(count, random));
}

/** Clicks without the pointer, which the next deed's place would move. */
async function clickAny(tab: Tab, selector: string, random: Random): Promise<void> {
  const element = await anyOf(tab, selector, random);
  await element?.evaluate((each: HTMLElement) => each.click());
}

async function openAnyLink(tab: Tab, random: Random): Promise<void> {
  await openPanel(tab, "links");
  await clickAny(tab, '.row-open[aria-expanded="false"]', random);
}

const typeProfile: Deed = async (tab, random) => {
  await openPanel(tab, "profile");
  await tab.locator(pick(["#profile-name-ar", "#profile-bio-ar"], random)).fill(words(random));
};

const typeLink: Deed = async (tab, random) => {
  await openAnyLink(tab, random);
  const field = await anyOf(tab, ".row-form .row-names input, .row-form input[dir=ltr]", random);
  if (field === null) return;
  const isAddress = (await field.getAttribute("dir")) === "ltr";
  await field.fill(isAddress ? `https://n${integer(1_000, random)}.example.com/` : words(random));
  await field.blur();
};

const addLinks: Deed = async (tab, random) => {
  await openPanel(tab, "links");
  const n = integer(10_000, random);
  await tab.locator("#add-links").fill(`رابط ${n} https://add${n}.example.com/`);
  await tab.keyboard.press("Enter");
};

const moveLink: Deed = async (tab, random) => {
  await openAnyLink(tab, random);
  await clickAny(tab, ".row-order button", random);
};

const removeLink: Deed = async (tab, random) => {
  await openAnyLink(tab, random);
  await clickAny(tab, ".row-form .remove", random);
};

const switchLink: Deed = async (tab, random) => {
  await openPanel(tab, "links");
  await clickAny(tab, ".row-line [role=switch]", random);
};

const changeLook: Deed = async (tab, random) => {
  await openPanel(tab, "look");
  await clickAny(tab, '[name="look-preset"]', random);
};

const undoOrRedo: Deed = (tab, random) =>
  clickAny(tab, ".editor-tools button.icon-button:enabled", random);

const reload: Deed = async (tab) => {
  await tab.reload();
  await tab.locator(".panel:not(:has(.editor-loading))").waitFor();
  await watchStates(tab);
};

/** Often done deeds stand more than once. */
const ALL: readonly [Deed, ...Deed[]] = [
  ...([typeProfile, typeProfile, typeLink, typeLink, addLinks, moveLink, removeLink] as const),
  ...([switchLink, changeLook, undoOrRedo, undoOrRedo, reload] as const),
];

/** How the saving stands, and the page on the screen at the same moment. */
async function seen(tab: Tab): Promise<{ state: string | undefined; body: string }> {
  const { state, body } = await tab.evaluate(() => {
    const frame = document.querySelector<HTMLIFrameElement>(".preview iframe");
    return {
      state: document.querySelector<HTMLElement>("[data-saving]")?.dataset.saving,
      body: frame?.contentDocument?.body.innerHTML ?? "",
    };
  });
  return { state, body: await written(tab, body) };
}

/** The page in D1, as the preview would show it. */
async function savedBody(world: World, tab: Tab, page_id: string): Promise<string> {
  return written(tab, rendered(await pageInD1(world, page_id), page_id));
}

async function painted(tab: Tab): Promise<void> {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(null))));
}

const EDITING = { concurrent: true, timeout: SEED_TIMEOUT_MS };

inBrowser("a creator on a bad network", EDITING, (world) => {
  test.for(SEEDS)("edits at random, and all of it is saved: seed %i", async (seed, { expect }) => {
    const random = generator(seed);
    using network = await badNetwork(world);
    await using owner = await editing(network.world);
    const { tab, page_id } = owner;
    await tab.clock.install();
    await reload(tab, random);
    const faults = generator(-seed);
    network.proxy.rule = ({ path }) => {
      network.proxy.sender = freshAddress();
      if (!path.startsWith("/api/")) return undefined;
      return faults() < SHARE_OF_FAULTS ? FAULTS[integer(FAULTS.length, faults)]?.[1] : LATE;
    };
    const states: string[] = [];
    for (let n = 0; n < DEEDS; n += 1) {
      const deed = pick(ALL, random);
      // What the page showed until it was left.
      if (deed === reload) states.push(...(await takeStates(tab)));
      await deed(tab, random);
      await tab.clock.fastForward(pick(STEPS_MS, random));
      await painted(tab);
      const { state, body } = await seen(tab);
      if (state !== "saved") continue;
      expect(body, `deed ${n}`).toBe(await savedBody(world, tab, page_id));
    }
    network.mend();
    await eventually(async () => {
      await tab.clock.fastForward(CALM_STEP_MS);
      return (await seen(tab)).state;
    }, "saved");
    expect((await seen(tab)).body).toBe(await savedBody(world, tab, page_id));
    states.push(...(await takeStates(tab)));
    expect(states.filter((state) => !CALM.test(state))).toEqual([]);
    await reload(tab, random);
    expect((await seen(tab)).body).toBe(await savedBody(world, tab, page_id));
  });
});
