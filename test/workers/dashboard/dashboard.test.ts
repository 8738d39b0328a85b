/** The dashboard over HTTP: who may see which page, and which headers and cookies come with it. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { listOwnedPages } from "../../../src/stats/owned-pages-store.ts";
import { signIn } from "../kit/hub-kit.ts";
import {
  beacon,
  call,
  expectErrors,
  freshPage,
  loseWorkshop,
  ORIGIN,
  ownerCookie,
  pageObject,
} from "../kit/kit.ts";

async function open(path: string, user_id: string | null) {
  const session = user_id === null ? {} : { Cookie: await signIn(user_id) };
  const response = await call(path, { headers: { Accept: "text/html", ...session } });
  return { response, html: await response.text() };
}

describe("the dashboard", () => {
  test("asks visitors to sign in, and returns them to the page they wanted", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-free" });
    const path = `/dashboard/${page_id}?range=30d&lang=en`;
    const { response, html } = await open(path, null);
    expect(response.status).toBe(401);
    const login = `/api/auth/login?return_to=${encodeURIComponent(path)}`;
    expect(html).toContain(`href="${login.replaceAll("&", "&amp;")}"`);
    const way = await call(login);
    const sign_in = new URL(way.headers.get("Location") ?? "");
    expect(sign_in.searchParams.get("return_to")).toBe(ORIGIN + path);
  });

  test("shows what was counted a moment ago", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    for (let i = 0; i < 7; i += 1) await beacon({ page_id });
    const { html } = await open(`/dashboard/${page_id}?range=today&lang=en`, "demo-pro");
    expect(html).toMatch(/data-live="views"[^>]*>\s*7\s*</);
  });

  test("lists pages with what people saw, without bots and their owner", async () => {
    const owner_id = `user-${crypto.randomUUID()}`;
    const { page_id } = await freshPage({ owner_id });
    await beacon({ page_id });
    await beacon({ page_id }, { headers: { "User-Agent": "Googlebot/2.1" } });
    await beacon({ page_id }, { headers: { Cookie: await ownerCookie(page_id) } });
    await pageObject(page_id).flush();
    const today = { views: 1, clicks: 0 };
    expect(
      await listOwnedPages(env, owner_id, Date.now(), 10, async () => new Map()),
    ).toMatchObject([{ page_id, today, month: today }]);
  });

  test.each(["range=year", "lang=fr", "filter=country:SA&link=shop"])(
    "answers ?%s with a page that says 400",
    async (query) => {
      const { page_id } = await freshPage({ owner_id: "demo-pro" });
      const { response, html } = await open(`/dashboard/${page_id}?${query}`, "demo-pro");
      expect(response.status).toBe(400);
      expect(html).toContain("<html");
    },
  );

  test("swaps days in the wrong order, and of too many shows the last eleven years", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    const unreal = "One of these days does not exist";
    for (const [query, days, words] of [
      ["from=2026-02-03&to=2026-02-01", ["2026-02-01", "2026-02-03"], null],
      ["from=2001-01-01&to=2026-02-03", ["2015-02-04", "2026-02-03"], "more days than fit here"],
      ["from=2026-02-30&to=2026-03-02", expect.any(Array), unreal],
      ["from=1926-02-01&to=2026-03-02", expect.any(Array), unreal],
    ] as const) {
      const path = `/dashboard/${page_id}?lang=en&range=custom&${query}`;
      const { response, html } = await open(path, "demo-pro");
      expect([query, response.status]).toEqual([query, 200]);
      const fields = html.matchAll(/type="date" name="(?:from|to)" value="([^"]+)"/g);
      expect([...fields].map(([, day]) => day)).toEqual(days);
      // It says in place that these are other days.
      const [, said = null] = /notice-of-days">([^<]+)/.exec(html) ?? [];
      expect(said).toEqual(words === null ? null : expect.stringContaining(words));
    }
  });

  test("of one link or value is this link's or value's; of a link that never was, 404", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    const show = (query: string) => open(`/dashboard/${page_id}?lang=en&${query}`, "demo-pro");
    for (let i = 0; i < 3; i += 1) await beacon({ page_id, link_id: "shop" });
    const shop = await show("range=today&link=shop");
    expect(shop.html).toMatch(/data-live="clicks" data-shown="3"/);
    const device = await show("range=today&interval=hour&filter=device:desktop");
    expect(device.response.status).toBe(200);
    expect(device.html).toContain("Devices: <bdi>Computer</bdi>");
    const none = await show("link=never");
    expect(none.response.status).toBe(404);
  });

  test("has the audit in the page, and is complete while that fails", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    await beacon({ page_id });
    const { html } = await open(`/dashboard/${page_id}?lang=en`, "demo-pro");
    expect(html).toContain('data-exact="exact"');
    const batch = env.DB.batch.bind(env.DB);
    const AUDIT_STATEMENTS = 4;
    vi.spyOn(env.DB, "batch").mockImplementation((asked) =>
      asked.length === AUDIT_STATEMENTS ? Promise.reject(new Error("made up")) : batch(asked),
    );
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { response, html: without } = await open(`/dashboard/${page_id}?lang=en`, "demo-pro");
    expect(response.status).toBe(200);
    expect(without).toContain('data-exact="unknown"');
    expect(without).toMatch(/data-live="views"[^>]*>\s*1\s*</);
  });

  test("is complete without its code while the workshop fails, and the code itself is 503", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    const codes = async () => {
      const { response, html } = await open(`/dashboard/${page_id}?lang=en`, "demo-pro");
      expect([response.status, html.includes("Share")]).toEqual([200, true]);
      return html.includes('shape-rendering="crispEdges"');
    };
    expect(await codes()).toBe(true);
    loseWorkshop();
    const events = expectErrors();
    expect(await codes()).toBe(false);
    const { response } = await open(`/dashboard/${page_id}/qr.svg`, "demo-pro");
    expect(response.status).toBe(503);
    expect(events()).toEqual(["qr_code_failed", "qr_code_failed"]);
  });

  test("shows days if there are too many hours, and ignores an empty date", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    const rows = async (query: string) => {
      const { response, html } = await open(`/dashboard/${page_id}?lang=en&${query}`, "demo-pro");
      expect([query, response.status]).toEqual([query, 200]);
      return [...html.matchAll(/<time[^>]* datetime="(\d{4}-\d\d-\d\dT[^"]+)"/g)].length;
    };
    expect(await rows("range=90d&interval=hour")).toBeLessThan(100);
    expect(await rows("range=7d&interval=hour")).toBeGreaterThan(6 * 24);
    expect(await rows("range=custom&from=&to=&interval=day")).toBeGreaterThanOrEqual(30);
  });

  test("is a 503 page while D1 is down", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    vi.spyOn(env.DB, "batch").mockRejectedValue(new Error("made up"));
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { response, html } = await open(`/dashboard/${page_id}`, "demo-pro");
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(html).toContain("الخدمة غير متاحة مؤقتًا");
  });
});
