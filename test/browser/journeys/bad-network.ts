/**
 * What people are told on a bad network is true (docs/faults.md F34). The breaking proxy does each of its faults once
 * to what saves, pays or counts.
 *
 * The editor's clock is moved on where its script would wait.
 */
import type { Page as Tab } from "playwright-core";
import { test } from "vitest";
import { EDITOR_PAGE_TEXTS, START_TEXTS } from "../../../src/authoring/editor/texts.ts";
import { NEWSLETTER_TEXTS } from "../../../src/blocks/newsletter/newsletter-texts.ts";
import { TIP_TEXTS } from "../../../src/blocks/tips/tip-texts.ts";
import { FRAME_SCRIPT_TEXTS } from "../../../src/dashboard/script-texts.ts";
import { LOGOUT_PATH } from "../../../src/http/endpoints.ts";
import { PAGES_PER_PLAN } from "../../../src/pages/document/limits.ts";
import { TIP_PATH } from "../../../src/pages/document/tip-address.ts";
import { counted } from "../../../src/views/numbers.ts";
import { DEMO_OWNER } from "../../demo/data.ts";
import {
  type BadNetwork,
  badNetwork,
  isSave,
  pageInD1,
  takeStates,
  watchStates,
} from "../bad-network.ts";
import type { Fault, Foreign, Request } from "../breaking-proxy.ts";
import {
  BEACON_PATH,
  countsInD1,
  freshAddress,
  PHONE,
  poll,
  settledCounts,
  sum,
  visitor,
  type World,
} from "../browser-kit.ts";
import { creator, editing, openEditor, pageOf, signIn } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { FAULTS, FOREIGN } from "../network-faults.ts";
import { eventually } from "./eventually.ts";

const { EDITOR_TEXTS } = EDITOR.ar;

/** Readers of Arabic who have chosen no digits see Arabic ones. */
const ARABIC = "ar-u-nu-arab";
const PROFILE = { panel: "profile" } as const;
/** Longer than any pause of the editor before it saves. */
const PAUSE_MS = 61_000;
/** Longer than what an editor waits for other tabs, and shorter than for an answer. */
const STEP_MS = 6_000;
/** Longer than the editor waits for an answer. */
const TIMEOUT_MS = 21_000;
/** By then a person is told that the editor does not come; a busy machine may be late. */
const TOLD_WITHIN_MS = 5_000;
const LATE_MS = 5_000;

const name = (tab: Tab) => tab.locator("#profile-name-ar");
const saving = (tab: Tab) => tab.locator(".save-state").getByRole("status");
const isIn = (tab: Tab, state: string) => tab.locator(`[data-saving="${state}"]`).waitFor();
const isPost = (path: string) => (request: Request) =>
  request.method === "POST" && request.path.split("?")[0] === path;

async function areAnswered(
  { proxy }: BadNetwork,
  isMeant: (request: Request) => boolean,
  fault: Fault,
) {
  const isOver = ({ status, is_open }: Request) =>
    fault.end === "stall" ? !fault.is_processed || status !== null : !is_open;
  await eventually(() => {
    const meant = proxy.requests.filter(isMeant);
    return meant.length > 0 && meant.every(isOver);
  }, true);
}

async function each<T>(
  table: readonly (readonly [what: string, row: T])[],
  run: (what: string, row: T) => Promise<void>,
): Promise<void> {
  for (const [what, row] of table) {
    await run(what, row).catch((cause: unknown) => {
      throw new Error(`failed with ${what}`, { cause });
    });
  }
}

async function inEditor({ world }: BadNetwork) {
  const owner = await editing(world, PROFILE);
  await owner.tab.clock.install();
  await owner.tab.reload();
  await name(owner.tab).waitFor();
  await watchStates(owner.tab);
  return owner;
}

async function typeUnder(
  network: BadNetwork,
  tab: Tab,
  words: string,
  fault: Fault,
): Promise<void> {
  network.proxy.requests = [];
  network.break(isSave, fault);
  await name(tab).fill(words);
  // The short time before it is sent may have passed already.
  await tab.locator('[data-saving]:not([data-saving="saved"])').waitFor();
  await tab.clock.fastForward(PAUSE_MS);
  await areAnswered(network, isSave, fault);
  if (fault.end === "stall") await tab.clock.fastForward(TIMEOUT_MS);
}

async function repeatWell(network: BadNetwork, tab: Tab): Promise<void> {
  await isIn(tab, "retrying");
  network.mend();
  await tab.clock.fastForward(PAUSE_MS);
  await isIn(tab, "saved");
}

/** On a busy machine a try may begin by itself before the test moves the clock on. */
const SAVED_IN_THE_END = /^waiting,sending(?:,retrying,sending)+,saved$/;

const WITHOUT_STORAGE = {
  forbidden: () => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("forbidden", "SecurityError");
    };
  },
  full: () => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  },
} satisfies Record<string, () => void>;

async function goBack(tab: Tab): Promise<void> {
  await tab.locator("form").waitFor({ state: "detached" });
  await tab.goBack();
}

interface Again {
  fault: Fault;
  again: (tab: Tab) => Promise<unknown>;
}

const { "a carrier's 502": bad_gateway, "a redirect to a portal": to_portal } = FOREIGN;

const AGAIN: readonly [what: string, row: Again][] = [
  ["a lost request", { fault: { end: "block" }, again: goBack }],
  ["a lost answer", { fault: { end: "lose" }, again: goBack }],
  ["an answer cut off", { fault: { end: "cut" }, again: goBackAndReload }],
  ["a carrier's 502", { fault: { foreign: bad_gateway, is_processed: true }, again: goBack }],
  // Browsers stay on the page: our policy forbids such a redirect, and a 204 has nothing to show.
  ["a redirect to a portal", { fault: { foreign: to_portal, is_processed: true }, again: stay }],
  ["a 204", { fault: { foreign: FOREIGN["a 204"], is_processed: true }, again: stay }],
];

async function stay(): Promise<void> {}

async function goBackAndReload(tab: Tab): Promise<void> {
  await goBack(tab);
  await tab.reload();
}

export function badNetworkJourneys(world: World): void {
  test("whatever answers a save, or nothing, it is saved in the end, once, and not called saved before", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await inEditor(network);
    const { tab, page_id } = owner;
    await each(FAULTS, async (what, fault) => {
      const { version } = await pageInD1(world, page_id);
      await takeStates(tab);
      await typeUnder(network, tab, what, fault);
      await repeatWell(network, tab);
      expect((await takeStates(tab)).join()).toMatch(SAVED_IN_THE_END);
      const page = await pageInD1(world, page_id);
      expect([page.name.ar, page.version - version]).toEqual([what, 1]);
    });
  });

  test("what is typed offline is called kept, and not where the browser stores nothing", async () => {
    await using owner = await editing(world, PROFILE);
    const { context, tab, page_id } = owner;
    const { offline, kept, not_kept } = EDITOR_TEXTS.saving;
    const typeOffline = async (tab: Tab, words: string, told: string) => {
      await context.setOffline(true);
      await name(tab).fill(words);
      await isIn(tab, "retrying");
      await eventually(() => saving(tab).textContent(), `${offline} ${told}`);
      await context.setOffline(false);
      await eventually(async () => (await pageInD1(world, page_id)).name.ar, words);
    };
    await typeOffline(tab, "kept", kept);
    await each(Object.entries(WITHOUT_STORAGE), async (what, forbid) => {
      const other = await context.newPage();
      await other.addInitScript(forbid);
      await openEditor(other, page_id, PROFILE);
      await typeOffline(other, what, not_kept);
      await other.close();
    });
  });

  test("what is unsaved is there after a reload, also where the browser stores no drafts", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await inEditor(network);
    const { tab } = owner;
    await tab.addInitScript(WITHOUT_STORAGE.forbidden);
    await tab.reload();
    network.break(isSave, { end: "block" });
    await name(tab).fill("قبل إعادة التحميل");
    await tab.reload();
    await eventually(() => name(tab).inputValue(), "قبل إعادة التحميل");
    expect(await tab.locator('[data-saving="saved"]').count()).toBe(0);
  });

  test("what a closed tab left unsaved goes into a tab of the page that is open, or is opened later; an open tab keeps its own", async () => {
    using network = await badNetwork(world);
    await using owner = await inEditor(network);
    const { context, tab: first, page_id } = owner;
    const opened = async () => {
      const tab = await context.newPage();
      await tab.clock.install();
      await openEditor(tab, page_id, PROFILE);
      return tab;
    };
    const leaveTo = async (from: Tab, to: Tab, words: string) => {
      await from.close();
      network.mend();
      // The closed tab may have sent it last: then the page has it before the other tab does.
      await eventually(async () => {
        await to.clock.fastForward(STEP_MS);
        return [(await pageInD1(world, page_id)).name.ar, await name(to).inputValue()];
      }, [words, words]);
    };
    const second = await opened();
    await typeUnder(network, first, "من الأول", { end: "block" });
    await isIn(first, "retrying");
    await leaveTo(first, second, "من الأول");

    await typeUnder(network, second, "من الثاني", { end: "block" });
    await isIn(second, "retrying");
    const third = await opened();
    await third.clock.fastForward(STEP_MS);
    await eventually(() => name(third).inputValue(), "من الأول");
    await leaveTo(second, third, "من الثاني");
  });

  test("what is saved while a reload waits for its answer is on the page that is loaded", async () => {
    using network = await badNetwork(world);
    await using owner = await inEditor(network);
    const { tab, page_id } = owner;
    const isEditor = ({ path }: Request) => path.startsWith(`/dashboard/pages/${page_id}/edit`);
    const { proxy } = network;
    const asked = (isMeant: (request: Request) => boolean) => proxy.requests.find(isMeant);
    const body = await tab.evaluate(async () => (await fetch(location.href)).text());
    const foreign = { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body };
    const [saved, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    proxy.requests = [];
    proxy.rule = (request) => {
      if (isSave(request)) return { held_until: saved.promise };
      return isEditor(request) ? { foreign, held_until: loaded.promise } : undefined;
    };
    await name(tab).fill("بعد السؤال");
    await tab.clock.fastForward(PAUSE_MS);
    await eventually(async () => (await pageInD1(world, page_id)).name.ar, "بعد السؤال");
    const reloading = tab.reload();
    await eventually(() => asked(isEditor)?.is_open, true);
    saved.resolve();
    await eventually(() => asked(isSave)?.is_open, false);
    loaded.resolve();
    await reloading;
    await isIn(tab, "saved");
    await eventually(() => name(tab).inputValue(), "بعد السؤال");
  });

  test.for([
    ["stalls", { end: "stall" }],
    ["is lost", { end: "block" }],
    ["is a portal's page", { foreign: FOREIGN["a portal's page"] }],
  ] as const)(
    `whose editor's script %s is told within ${TOLD_WITHIN_MS} ms`,
    async ([, fault], { expect }) => {
      using network = await badNetwork(world);
      await using owner = await creator(network.world);
      const { page_id } = await pageOf(owner, world);
      network.break(({ path }) => /^\/assets\/editor-.*\.js/.test(path), fault);
      const path = `/dashboard/pages/${page_id}/edit?lang=ar`;
      await owner.tab.goto(path, { waitUntil: "commit" });
      const main = owner.tab.locator("#main");
      await main.getByText(EDITOR_PAGE_TEXTS.ar.loading).waitFor();
      const loading = await main.innerText();
      const isTold = (text: string) => text !== loading;
      const told = await poll(() => main.innerText(), isTold, TOLD_WITHIN_MS + LATE_MS);
      expect(told).not.toBe(loading);
    },
  );

  test("a page whose style stalls is shown without it, counts its view, and takes the style when it comes", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    const { tab } = owner;
    const { page_id } = await pageOf(owner, world, {
      links: [{ link_id: "tip", kind: "tip", block: { amounts: [5] } }],
    });
    const hasStyle = () =>
      tab.evaluate(() =>
        [...document.querySelectorAll<HTMLLinkElement>("[rel=stylesheet]")].every(
          ({ sheet, media }) => sheet !== null && media !== "not all",
        ),
      );
    const painted = () =>
      tab.evaluate(() => performance.getEntriesByName("first-contentful-paint").length);
    const pages = [
      `/${page_id}`,
      `/tip?page_id=${page_id}&link_id=tip&points=5`,
      "/dashboard",
      `/dashboard/${page_id}`,
      `/dashboard/pages/${page_id}/edit`,
    ];
    for (const path of pages) {
      const comes = Promise.withResolvers<void>();
      network.break(({ path }) => path.endsWith(".css"), { held_until: comes.promise });
      await tab.goto(path, { waitUntil: "commit" });
      await eventually(painted, 1);
      expect([path, await hasStyle()]).toEqual([path, false]);
      comes.resolve();
      await eventually(hasStyle, true);
    }
    const beacons = network.proxy.requests.filter(isPost(BEACON_PATH));
    expect(beacons.map(({ status }) => status)).toEqual([202]);
  });

  test("a page whose answer was not the service's is made once, and found", async ({ expect }) => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world, PHONE);
    const { tab } = owner;
    const next = tab.getByRole("button", { name: START_TEXTS.ar.next });
    const isMade = isPost("/api/me/pages");
    /** It is found by the same button, or after a reload, when nothing is asked for again. */
    let is_reloaded = false;
    await each(FAULTS.filter(isLateAnswer).slice(0, PAGES_PER_PLAN.pro), async (what, fault) => {
      const slug = `made-${crypto.randomUUID().slice(0, 8)}`;
      await tab.goto(`/dashboard/new?lang=ar&slug=${slug}`);
      await eventually(() => tab.locator("#slug-state").textContent(), START_TEXTS.ar.free);
      await tab.locator("#name").fill(what);
      network.break(isMade, fault);
      await next.click();
      await eventually(() => tab.locator("[data-problem]").textContent(), START_TEXTS.ar.no_answer);
      network.mend();
      network.proxy.requests = [];
      is_reloaded = !is_reloaded;
      await (is_reloaded ? tab.reload() : next.click());
      await tab.waitForURL("**/edit?**");
      expect(network.proxy.requests.filter(isMade)).toHaveLength(is_reloaded ? 0 : 1);
      const [, page_id = ""] = /pages\/([^/]+)\/edit/.exec(tab.url()) ?? [];
      expect((await pageInD1(world, page_id)).slug).toBe(slug);
    });
  });

  test("a tip is sent once, and shown as sent, however a person sends it again whose answer did not come", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await creator(world);
    await using sender = await creator(network.world, PHONE);
    const { tab } = sender;
    const { page_id } = await pageOf(owner, world, {
      links: [{ link_id: "tip", kind: "tip", block: { amounts: [5] } }],
    });
    const isTip = isPost(TIP_PATH);
    const send = tab.locator('[data-step="confirm"] form [type=submit]');
    const said = tab.locator("[data-unanswered]");
    const sent = tab.locator('[data-step="sent"]');
    const sent_before = tab.getByText(TIP_TEXTS.ar.sent_before(counted(ARABIC, "point", 5)));
    let tips = 0;
    await each(AGAIN, async (_, { fault, again }) => {
      await tab.goto(`/${page_id}`);
      await tab.locator("form.block [type=submit]").click();
      await send.waitFor();
      expect(await said.isVisible()).toBe(false);
      expect(await sent_before.count()).toBe(Math.min(tips, 1));
      network.proxy.requests = [];
      network.break(isTip, fault);
      await send.click({ noWaitAfter: true });
      await areAnswered(network, isTip, fault);
      network.mend();
      await again(tab);
      // A confirmation that is loaded again shows what became of its tip.
      await send.or(sent).waitFor();
      if (await send.isVisible()) {
        await said.waitFor();
        await send.click();
      }
      await sent.waitFor();
      tips += 1;
      expect(await paid(world, sender.user_id)).toEqual(Array(tips).fill(5));
    });
  });

  test("what answers in the place of the service is believed nothing: no sign-out, no address, no deletion, no undone one, no takedown, no exact numbers", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    await using operator = await visitor(network.world);
    const { tab } = owner;
    const texts = FRAME_SCRIPT_TEXTS.ar;
    const { address, deletion, no_answer } = EDITOR.ar.SETTINGS_TEXTS;
    const { page_id } = await pageOf(owner, world);
    const page = () => pageInD1(world, page_id);
    /** What is done is tried under each answer, and says that it failed; then the network is well. */
    const tryInVain = async (
      isMeant: (request: Request) => boolean,
      act: () => Promise<void>,
      saysFailed: () => Promise<void>,
    ) => {
      await each(Object.entries(FOREIGN), async (_, foreign) => {
        network.mend();
        network.proxy.requests = [];
        network.break(isMeant, { foreign });
        await act();
        await areAnswered(network, isMeant, {});
        await saysFailed();
      });
      network.mend();
    };

    await signIn(network.world, operator, DEMO_OWNER);
    await operator.tab.goto(`/admin/pages/${page_id}?lang=en`);
    await operator.tab.locator("#reason").fill("Phishing");
    await tryInVain(
      isPost(`/api/admin/pages/${page_id}/takedown`),
      () => operator.tab.locator("form[data-action] button").click(),
      () => operator.tab.getByRole("alert").evaluate((alert) => alert.remove()),
    );
    expect((await page()).status).toBe("published");

    const mark = tab.locator(".exact > summary");
    const hasExact = (state: string) => tab.locator(`[data-exact="${state}"]`).waitFor();
    await tab.goto(`/dashboard/${page_id}?range=today&lang=ar`);
    await tryInVain(
      ({ path }) => path.endsWith("/audit"),
      () => mark.click(),
      async () => {
        await hasExact("unknown");
        network.mend();
        await mark.click();
        await mark.click();
        await hasExact("exact");
        await mark.click();
      },
    );

    const session = async () =>
      (await tab.request.get("/api/auth/session")).json() as Promise<{ authenticated: boolean }>;
    const account = tab.locator(".account > summary");
    const sign_out = tab.locator("[data-sign-out]");
    await account.click();
    await tryInVain(
      isPost(LOGOUT_PATH),
      () => sign_out.click(),
      async () => {
        await eventually(() => sign_out.textContent(), texts.sign_out_failed);
        await sign_out.blur();
      },
    );
    expect(await session()).toMatchObject({ authenticated: true });

    const slug = `moved-${page_id}`;
    const press = (name: string) => tab.getByRole("button", { name, exact: true }).click();
    const saysNoAnswer = () => tab.getByText(no_answer).waitFor();
    await openEditor(tab, page_id, { panel: "settings" });
    await tab.getByLabel(address.label, { exact: true }).fill(slug);
    await tab.locator(".is-free").waitFor();
    await tryInVain(
      ({ method }) => method === "PATCH",
      () => press(address.change),
      saysNoAnswer,
    );
    await press(address.change);
    await tab.locator(".notice", { hasText: address.changed(slug) }).waitFor();

    await press(deletion.start);
    await tryInVain(
      ({ method }) => method === "DELETE",
      () => press(deletion.confirm),
      saysNoAnswer,
    );
    expect(await page()).toMatchObject({ slug, ends_at: null });
    await press(deletion.confirm);
    await tab.locator("dialog.deleted").waitFor();

    const undo = tab.locator("[data-undelete]");
    await tab.goto("/dashboard?lang=ar");
    await tryInVain(
      ({ path }) => path.endsWith("/undelete"),
      () => undo.click(),
      () => eventually(() => undo.locator("[data-words]").textContent(), texts.undo_failed),
    );
    expect((await page()).ends_at).not.toBeNull();
    await undo.click();
    // The page is loaded again, which closes its menus.
    await undo.waitFor({ state: "detached" });
    expect((await page()).ends_at).toBeNull();

    await account.click();
    await sign_out.click();
    await tab.waitForURL(`${network.world.origin}/`);
    expect(await session()).toMatchObject({ authenticated: false });
  });

  test("the list of tips stays until the service answers with another, which is asked for again until then", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    await using sender = await creator(world);
    const { tab } = owner;
    const { page_id } = await pageOf(owner, world, {
      links: [{ link_id: "tip", kind: "tip", block: { amounts: [5] } }],
    });
    const none = tab.locator("[data-no-tips]");
    await tab.clock.install();
    await tab.goto(`/dashboard/${page_id}/tips?lang=en`);
    await none.waitFor();
    const answers: Foreign[] = Object.values(FOREIGN);
    const shown: Promise<number>[] = [];
    const isList = ({ path }: Request) => path.includes("/tips?");
    network.proxy.requests = [];
    network.proxy.rule = (request) => {
      if (!isList(request)) return undefined;
      shown.push(none.count());
      const foreign = answers.shift();
      return foreign && { foreign };
    };
    await sender.tab.goto(`/tip?page_id=${page_id}&link_id=tip&points=5`);
    await sender.tab.locator('[data-step="confirm"] form [type=submit]').click();
    await sender.tab.locator('[data-step="sent"]').waitFor();
    // Moved on earlier, the clock would end the socket that tells of the tip.
    await eventually(() => network.proxy.requests.some(isList), true);
    const isQuiet = () => !network.proxy.requests.some((each) => isList(each) && each.is_open);
    await eventually(async () => {
      if (isQuiet()) await tab.clock.fastForward(PAUSE_MS);
      return none.count();
    }, 0);
    expect(answers).toEqual([]);
    expect(new Set(await Promise.all(shown))).toEqual(new Set([1]));
  });

  test("live numbers are right again after a socket that was never opened, and after one that went silent", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    await using someone = await visitor(world);
    const { tab } = owner;
    const { page_id } = await pageOf(owner, world);
    const silence = Promise.withResolvers<void>();
    const faults: Fault[] = [{ end: "stall" }, { silent_after: silence.promise }];
    network.proxy.rule = ({ path }) => (path.endsWith("/live") ? faults.shift() : undefined);
    const views = tab.locator('[data-live="views"]');
    const sees = (shown: string) =>
      eventually(async () => {
        await tab.clock.fastForward(STEP_MS);
        return (await views.textContent())?.trim();
      }, shown);
    const view = async () => {
      const counted = someone.tab.waitForResponse(`**${BEACON_PATH}`);
      await someone.tab.goto(`/${page_id}`);
      await counted;
    };
    await tab.clock.install();
    await tab.goto(`/dashboard/${page_id}?range=today&lang=en`);
    await view();
    await sees("1");
    silence.resolve();
    await view();
    await sees("2");
    expect(faults).toEqual([]);
  });

  test("a reader whose answer did not come is told so, subscribes again, and gets one mail", async ({
    expect,
  }) => {
    using network = await badNetwork(world);
    await using owner = await creator(world);
    await using reader = await visitor(network.world, PHONE);
    const { tab } = reader;
    const { page_id } = await pageOf(owner, world, {
      links: [{ link_id: "news", kind: "newsletter", block: {} }],
    });
    const said = tab.locator(".block [data-unanswered]");
    const isSignUp = isPost("/api/newsletter");
    const title = NEWSLETTER_TEXTS.ar.asked.title(null);
    await each(AGAIN, async (what, { fault, again }) => {
      const email = `${what.replace(/\W/g, "-")}@${page_id}.example.com`;
      const subscribe = async () => {
        await tab.getByRole("textbox").fill(email);
        await tab.locator("form.block [type=submit]").click({ noWaitAfter: true });
      };
      await tab.goto(`/${page_id}?${email}`);
      expect(await said.isVisible()).toBe(false);
      network.proxy.requests = [];
      network.break(isSignUp, fault);
      await subscribe();
      await areAnswered(network, isSignUp, fault);
      network.mend();
      await again(tab);
      await said.waitFor();
      await subscribe();
      await tab.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      const mails = async () => {
        const answer = await world.hub.control("POST", "/mails", { to: email });
        return (answer as { mails: unknown[] }).mails.length;
      };
      await eventually(mails, 1);
      expect(await mails()).toBe(1);
    });
  });

  test("whatever answers the beacon of a tap, the tap is counted once", async ({ expect }) => {
    using network = await badNetwork(world);
    await using owner = await creator(world);
    await using someone = await visitor(network.world);
    const { tab } = someone;
    const links = FAULTS.map(([label], n) => ({ link_id: `n${n}`, label, url: `tel:+447700${n}` }));
    const broken = new Map(links.map(({ link_id }, n) => [link_id, FAULTS[n]?.[1]]));
    const stalled = new Set<Request>();
    const { page_id } = await pageOf(owner, world, {
      ...{ locales: ["en"], name: { en: "Layan" }, links },
    });
    network.proxy.rule = (request) => {
      network.proxy.sender = freshAddress();
      if (request.path !== BEACON_PATH) return undefined;
      const { link_id = "" } = JSON.parse(request.body) as { link_id?: string };
      const fault = broken.get(link_id);
      broken.delete(link_id);
      if (fault?.end === "stall") stalled.add(request);
      return fault;
    };
    await tab.clock.install();
    await tab.goto(`/${page_id}`);
    for (const { link_id } of links) await tab.locator(`[data-link="${link_id}"]`).click();
    const clicks = Object.fromEntries(links.map(({ link_id }) => [`click human ${link_id}`, 1]));
    // What is on its way would be given up as the clock is moved on.
    const isQuiet = () =>
      !network.proxy.requests.some((request) => request.is_open && !stalled.has(request));
    await eventually(async () => {
      if (isQuiet()) await tab.clock.fastForward(PAUSE_MS);
      return sum(await countsInD1(world, page_id));
    }, links.length + 1);
    const counts = await settledCounts(world, page_id, links.length + 1);
    expect(counts).toEqual({ "view human": 1, ...clicks });
  });
}

function isLateAnswer([, { end, foreign, is_processed }]: (typeof FAULTS)[number]): boolean {
  if (foreign !== undefined) return is_processed === true;
  return end !== "stall" && end !== "block";
}

async function paid({ hub }: World, sender: string): Promise<number[]> {
  const { transfers } = (await hub.control("GET", "/books")) as {
    transfers: { user_id: string; points: number }[];
  };
  return transfers.filter(({ user_id }) => user_id === sender).map(({ points }) => points);
}
