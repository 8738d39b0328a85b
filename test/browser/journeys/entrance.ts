/** The way in: from the landing page to a visitor's counted click, and signing in and out at the demo hub. */
import type { BrowserContextOptions, Page as Tab } from "playwright-core";
import { type ExpectStatic, test } from "vitest";
import { START_TEXTS } from "../../../src/authoring/editor/texts.ts";
import { LOCALES, type Locale } from "../../../src/views/locale.ts";
import { PRESETS } from "../../../src/views/presets.ts";
import { DESKTOP, PHONE, settledCounts, visitor, type World } from "../browser-kit.ts";
import { creator, signIn } from "../creators.ts";
import { EDITOR } from "../editor-texts.ts";
import { landingJourneys } from "./landing.ts";
import { pasteLinks } from "./paste.ts";

const INTERACTIONS_MAX = 8;
const PRESET = "rosewater";

interface Beginner {
  device: BrowserContextOptions;
  name: string;
  pasted: string;
  labels: readonly string[];
}

const BEGINNERS: Record<Locale, Beginner> = {
  ar: {
    device: { ...PHONE, locale: "ar-EG" },
    name: "سلمى العطار",
    pasted: "متجري https://shop.example.com/salma\nدروسي: https://video.example.com/salma",
    labels: ["متجري", "دروسي"],
  },
  en: {
    device: { ...DESKTOP, locale: "en-GB" },
    name: "Mara Quill",
    pasted: "Tape shop https://shop.example.com/mara\nWalks: https://video.example.com/mara",
    labels: ["Tape shop", "Walks"],
  },
};

interface Session {
  authenticated: boolean;
  user: { id: string; plan: string } | null;
  csrf_token: string | null;
}

interface Notifications {
  notifications: { kind: string; text: string; text_en: string }[];
  unread: number;
}

function ask<T>(tab: Tab, path: string): Promise<T> {
  return tab.evaluate(async (path) => (await fetch(path)).json(), path) as Promise<T>;
}

const isSignedIn = async (tab: Tab) => (await ask<Session>(tab, "/api/auth/session")).authenticated;

const accountAt = (tab: Tab, user_id: string) =>
  tab.locator(`button[name="account"][value="${user_id}"]`);

async function signInAtHub(tab: Tab, user_id: string): Promise<void> {
  await tab.goto("/api/auth/login?return_to=/demo");
  await accountAt(tab, user_id).click();
  await tab.waitForURL("**/demo");
}

const signOut = (tab: Tab, token: string) =>
  tab.evaluate(async (token) => {
    const headers: HeadersInit = token === "" ? {} : { "X-CSRF-Token": token };
    return (await fetch("/api/auth/logout", { method: "POST", headers })).status;
  }, token);

export function entranceJourneys(world: World): void {
  test.for(LOCALES)(
    "the first minute leads from the landing page to a counted click in at most eight interactions, in %s",
    async (lang, { expect }) => {
      const { device, name, pasted, labels } = BEGINNERS[lang];
      const { START_TEXTS: steps } = EDITOR[lang];
      await using owner = await creator(world, device, { is_signed_in: false });
      const { tab } = owner;
      let interactions = 0;
      const interact = async (work: () => Promise<void>) => {
        interactions += 1;
        await work();
      };
      await tab.goto("/");
      await interact(() => tab.locator('form[action="/dashboard/new"] button').click());

      await interact(() => tab.getByRole("button", { name: owner.name }).click());
      await tab.locator("#start").waitFor();
      await interact(() => tab.locator("#name").fill(name));
      await expect.poll(() => tab.locator("#slug").inputValue()).not.toBe("");
      const to_links = tab.getByRole("button", { name: START_TEXTS[lang].next });
      await interact(() => to_links.click());
      await tab.locator(".add-links textarea").waitFor();
      await interact(() => pasteLinks(tab, pasted));
      await tab.locator("[data-row]").nth(1).waitFor();
      await interact(() => tab.getByRole("button", { name: steps.next }).click());
      const preset = PRESETS.find(({ id }) => id === PRESET)?.name[lang];
      await interact(() => tab.locator(".tile", { hasText: `${preset}` }).click());
      await interact(() => tab.getByRole("button", { name: steps.publish }).click());
      const address = tab.locator("dialog.share a.share-shown");
      await address.waitFor();
      expect(interactions).toBeLessThanOrEqual(INTERACTIONS_MAX);

      const shared = (await address.getAttribute("href")) ?? "";
      await expect.poll(async () => (await fetch(shared, { redirect: "manual" })).status).toBe(200);
      await using someone = await visitor(world, PHONE);
      const opened = await someone.tab.goto(shared);
      expect(opened?.status()).toBe(200);
      expect(await someone.tab.locator("a.link .label").allTextContents()).toEqual(
        expect.arrayContaining([...labels]),
      );
      const link = someone.tab.locator("a.link").first();
      const [, page_id = "", link_id = ""] =
        /^\/r\/([^/]+)\/([^/]+)$/.exec((await link.getAttribute("href")) ?? "") ?? [];
      await link.click({ noWaitAfter: true });
      expect(await settledCounts(world, page_id, 2)).toEqual({
        "view human": 1,
        [`click human ${link_id}`]: 1,
      });
    },
  );

  test("an address is made of any text, and others are proposed where it is not free", async ({
    expect,
  }) => {
    await using owner = await creator(world, PHONE);
    const { tab } = owner;
    // No other journey takes the same addresses.
    const word = crypto.randomUUID().slice(0, 8);
    await tab.goto(`/dashboard/new?lang=ar&slug=Noura%20${word}`);
    const [slug, state] = [tab.locator("#slug"), tab.locator("#slug-state")];
    const proposals = tab.locator("[data-suggestions] button");
    await expect.poll(() => slug.inputValue()).toBe(`noura-${word}`);
    await expect.poll(() => state.textContent()).toBe(START_TEXTS.ar.free);
    await expect.poll(() => proposals.count()).toBe(0);
    await slug.fill(`salma@${word}`);
    await expect.poll(() => proposals.first().textContent()).toBe(`salma-${word}`);
    await expect.poll(() => state.getAttribute("class")).toBe("error");
    await expect.poll(() => slug.inputValue()).toBe(`salma@${word}`);
    await slug.fill("");
    await tab.locator("#name").fill("صفحة خزّافة ثانية");
    await expect.poll(() => slug.inputValue()).toMatch(/^صفحة-/);
    await expect.poll(() => proposals.count()).toBe(0);
    await expect.poll(() => state.getAttribute("class")).toBe("hint");
  });

  const signInAndOut = async (expect: ExpectStatic) => {
    await using someone = await creator(world, PHONE, { is_signed_in: false });
    const { tab, user_id } = someone;
    await tab.goto("/demo-en");
    expect(await ask(tab, "/api/auth/session")).toMatchObject({ authenticated: false, user: null });
    await signInAtHub(tab, user_id);
    const { csrf_token, ...session } = await ask<Session>(tab, "/api/auth/session");
    expect(session).toMatchObject({ authenticated: true, user: { id: user_id, plan: "pro" } });
    expect(await ask(tab, "/api/me/wallet")).toMatchObject({ ok: true, wallet: { pending: 0 } });
    // Scripts cannot read it.
    expect(await tab.evaluate(() => document.cookie)).toBe("");

    expect([await signOut(tab, ""), await isSignedIn(tab)]).toEqual([403, true]);
    expect([await signOut(tab, csrf_token ?? ""), await isSignedIn(tab)]).toEqual([204, false]);
  };

  const beToldAndSignOutEverywhere = async (expect: ExpectStatic) => {
    await using phone = await creator(world, PHONE);
    await using sender = await creator(world);
    const cookies = await sender.context.cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const transfer = async () => {
      const response = await fetch(new URL("/api/wallet/transfers", world.hub.url), {
        method: "POST",
        headers: {
          Cookie: cookie,
          "Idempotency-Key": `thanks-${phone.user_id}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ to: phone.user_id, points: 3 }),
      });
      return response.status;
    };
    await phone.tab.goto("/demo");
    expect([await transfer(), await transfer()]).toEqual([201, 201]);
    const received = () => ask<Notifications>(phone.tab, "/api/me/notifications");
    await expect.poll(async () => (await received()).unread).toBe(1);
    expect((await received()).notifications).toMatchObject([
      {
        kind: "hub",
        text: `وصلتك ٣ نقاط من ${sender.name}`,
        text_en: `You received 3 points from ${sender.name}`,
      },
    ]);

    await using desk = await visitor(world);
    await signIn(world, desk, phone.user_id);
    await desk.tab.goto("/demo");
    for (const { tab } of [phone, desk]) expect(await isSignedIn(tab)).toBe(true);
    await desk.tab.goto("/api/auth/login");
    await desk.tab.locator('button[name="everywhere"]').click();
    await desk.tab.waitForURL("**/sign-in**");
    // By the hub's webhook, long before the minute for which a session is cached.
    await expect.poll(() => isSignedIn(phone.tab)).toBe(false);
  };

  test("somebody signs in with one click at the hub, is told of points once, and is signed out by our pages or everywhere at once", async ({
    expect,
  }) => {
    await Promise.all([signInAndOut(expect), beToldAndSignOutEverywhere(expect)]);
  });

  landingJourneys(world);
}
