/** Signing in and out with a real browser at the demo hub, which sends its webhooks. */
import type { Page as Tab } from "playwright-core";
import { describe, expect, test } from "vitest";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, PHONE, poll, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { TARGET_PX_MIN } from "../browser/screens.ts";
import { DEMO_OWNER } from "../demo/data.ts";

interface Session {
  authenticated: boolean;
  user: { id: string; plan: string } | null;
  csrf_token: string | null;
}

interface Notifications {
  notifications: { id: string; kind: string; text: string; text_en: string }[];
  unread: number;
}

/** The JSON answer to a fetch in the page. */
function ask<T>(tab: Tab, path: string): Promise<T> {
  return tab.evaluate(async (path) => (await fetch(path)).json(), path) as Promise<T>;
}

async function signIn(tab: Tab, account = "ليان الحوراني"): Promise<void> {
  await tab.goto("/api/auth/login?return_to=/demo");
  await tab.getByRole("button", { name: account }).click();
  await tab.waitForURL("**/demo");
}

inBrowser("somebody with an account", (world) => {
  test("signs in with one click at the hub, and returns to the page they wanted", async () => {
    await using someone = await visitor(world, PHONE);
    const { tab } = someone;
    await tab.goto("/demo-en");
    expect(await ask(tab, "/api/auth/session")).toMatchObject({ authenticated: false, user: null });
    await signIn(tab);
    expect(await tab.title()).toBe("ليان الحوراني");
    expect(await ask(tab, "/api/auth/session")).toMatchObject({
      authenticated: true,
      user: { id: DEMO_OWNER, plan: "pro" },
    });
    expect(await ask(tab, "/api/me/wallet")).toMatchObject({ ok: true, wallet: { pending: 0 } });
    // Scripts cannot read it.
    expect(await tab.evaluate(() => document.cookie)).toBe("");
  });

  test("is signed out by a page of ours, and not by another site's", async () => {
    await using someone = await visitor(world);
    const { tab } = someone;
    await signIn(tab);
    const { csrf_token } = await ask<Session>(tab, "/api/auth/session");
    // A page without scripts of its own can only send a form.
    await tab.goto(`http://shop.example.com/evil`);
    const [refused] = await Promise.all([
      tab.waitForResponse("**/api/auth/logout"),
      tab.evaluate((origin) => {
        const form = document.createElement("form");
        form.method = "post";
        form.action = `${origin}/api/auth/logout`;
        document.body.append(form);
        form.submit();
      }, world.origin),
    ]);
    // The SameSite=Lax cookie is not sent, so nobody is signed out.
    expect([204, 403]).toContain(refused.status());
    await tab.goto("/demo");
    expect(await ask(tab, "/api/auth/session")).toMatchObject({ authenticated: true });

    const logOut = (token: string) =>
      tab.evaluate(
        async (token) =>
          (
            await fetch("/api/auth/logout", {
              method: "POST",
              headers: token === "" ? {} : { "X-CSRF-Token": token },
            })
          ).status,
        token,
      );
    expect(await logOut("")).toBe(403);
    expect(await logOut(csrf_token ?? "")).toBe(204);
    expect(await ask(tab, "/api/auth/session")).toMatchObject({ authenticated: false });
  });

  test("signs out everywhere at the hub, and the hub's webhook ends it here at once", async () => {
    await using phone = await visitor(world, PHONE);
    await using desk = await visitor(world);
    for (const { tab } of [phone, desk]) {
      await signIn(tab, "سلمى العطار");
      expect(await ask(tab, "/api/auth/session")).toMatchObject({ authenticated: true });
    }
    await desk.tab.goto("/api/auth/login");
    await desk.tab.getByRole("button", { name: "الخروج من كل الأجهزة" }).click();
    await desk.tab.waitForURL("**/sign-in**");
    // Long before the minute for which a session is cached.
    const session = await poll(
      () => ask<Session>(phone.tab, "/api/auth/session"),
      ({ authenticated }) => !authenticated,
    );
    expect(session.authenticated).toBe(false);
  });

  test("gets a notification for received points, in both languages, once", async () => {
    await using sender = await visitor(world);
    await using receiver = await visitor(world);
    await signIn(sender.tab);
    await signIn(receiver.tab, "Mara Quill");
    const cookies = await sender.context.cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const transfer = () =>
      fetch(new URL("/api/wallet/transfers", world.hub.url), {
        method: "POST",
        headers: {
          Cookie: cookie,
          "Idempotency-Key": "thanks",
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ to: "demo-business", points: 3 }),
      });
    expect([(await transfer()).status, (await transfer()).status]).toEqual([201, 201]);
    const received = await poll(
      () => ask<Notifications>(receiver.tab, "/api/me/notifications"),
      ({ unread }) => unread > 0,
    );
    expect(received).toMatchObject({
      unread: 1,
      notifications: [
        {
          kind: "hub",
          text: "وصلتك ٣ نقاط من ليان الحوراني",
          text_en: "You received 3 points from ليان الحوراني",
        },
      ],
    });
  });

  describe.for(["light", "dark"] as const)("meets at the hub, in %s,", (colorScheme) => {
    test.for([360, 768, 1280])("a page that fits %i px and breaks no rule", async (width) => {
      await using someone = await visitor(world, {
        ...DESKTOP,
        colorScheme,
        viewport: { width, height: 800 },
        bypassCSP: true,
      });
      const { tab } = someone;
      await signIn(tab);
      await tab.goto("/api/auth/login");
      expect(await tab.locator("html").evaluate((html) => html.scrollWidth)).toBe(width);
      for (const target of await tab.locator("button, a").all()) {
        expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(TARGET_PX_MIN);
      }
      expect(await breaches(tab)).toEqual([]);
    });
  });
});
