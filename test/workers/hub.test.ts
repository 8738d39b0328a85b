/** The demo hub keeps docs/contract.md section 8, on which other tests rely. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askHub, revoke, signIn } from "./hub-kit.ts";

async function walletOf(user_id: string): Promise<{ points: number; lifetime: number }> {
  const response = await askHub("/api/wallet", { Cookie: await signIn(user_id) });
  return response.json();
}

async function transfer(cookie: string, key: string, body: unknown): Promise<[number, unknown]> {
  const response = await askHub(
    "/api/wallet/transfers",
    { Cookie: cookie, ...(key === "" ? {} : { "Idempotency-Key": key }) },
    { method: "POST", body: JSON.stringify(body) },
  );
  return [response.status, await response.json()];
}

function submit(path: string, fields: Record<string, string>, headers: Record<string, string>) {
  return askHub(path, headers, { method: "POST", body: new URLSearchParams(fields) });
}

describe("a session", () => {
  test("begins with the form, and is carried in a cookie that scripts cannot read", async () => {
    const fields = { account: "demo-pro", return_to: "https://sila.example/demo" };
    const response = await submit("/sign-in", fields, { "Sec-Fetch-Site": "same-origin" });
    expect(response.status).toBe(303);
    expect(response.headers.get("Location")).toBe("https://sila.example/demo");
    expect(response.headers.get("Set-Cookie")).toMatch(
      /^hub_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test("cannot be started by another site's form, and returns to no other site", async () => {
    const fields = { account: "demo-pro", return_to: "https://sila.example/" };
    const others = [{}, { Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }];
    for (const headers of others as Record<string, string>[]) {
      const response = await submit("/sign-in", fields, headers);
      expect(response.status).toBe(403);
      expect(response.headers.has("Set-Cookie")).toBe(false);
    }
    const same_site = { "Sec-Fetch-Site": "same-origin" };
    for (const return_to of ["https://evil.example/", "/demo", "blob:https://sila.example/x"]) {
      const form = await submit("/sign-in", { ...fields, return_to }, same_site);
      const page = await askHub(`/sign-in?return_to=${encodeURIComponent(return_to)}`);
      expect([return_to, form.status, page.status]).toEqual([return_to, 400, 400]);
      expect(form.headers.has("Set-Cookie")).toBe(false);
    }
  });

  test("ends by signing out, by revocation, and by its time", async () => {
    const status = async (Cookie: string) => (await askHub("/api/session", { Cookie })).status;
    const [one, other, short] = [
      await signIn("demo-free"),
      await signIn("demo-free"),
      await signIn("demo-free", 1),
    ];
    expect(await status(one)).toBe(200);
    const out = await askHub("/api/logout", { Cookie: one }, { method: "POST" });
    expect(out.status).toBe(204);
    expect([await status(one), await status(other)]).toEqual([401, 200]);
    await expect.poll(() => status(short), { timeout: 3_000 }).toBe(401);
    await revoke("demo-free");
    expect(await status(other)).toBe(401);
    expect(await status("hub_session=nobody")).toBe(401);
  });
});

describe("a transfer", () => {
  test("moves points once for each key, and never more than there are", async () => {
    const cookie = await signIn("demo-business");
    const before = await walletOf("demo-business");
    const body = { to: "demo-pro", points: 10 };
    const [status, made] = await transfer(cookie, "k1", body);
    expect([status, made]).toEqual([201, { id: expect.any(String), status: "completed" }]);
    expect(await transfer(cookie, "k1", body)).toEqual([201, made]);
    expect((await transfer(cookie, "k1", { ...body, points: 11 }))[0]).toBe(409);
    expect((await transfer(cookie, "", body))[0]).toBe(400);
    expect((await transfer(cookie, "k2", { ...body, points: 0 }))[0]).toBe(400);
    expect((await transfer(cookie, "k2", { ...body, to: "nobody" }))[0]).toBe(404);
    expect((await transfer(cookie, "k2", { ...body, points: 1e9 }))[0]).toBe(402);
    expect((await walletOf("demo-business")).points).toBe(before.points - 10);
  });

  test("never creates or loses a point", async () => {
    const ids = ["demo-free", "demo-pro", "demo-business"];
    const sum = async () =>
      (await Promise.all(ids.map(walletOf))).reduce((total, { points }) => total + points, 0);
    const before = await sum();
    const id = fc.constantFrom(...ids);
    const moves = fc.array(fc.tuple(id, id, fc.integer({ min: 1, max: 3_000 })), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        for (const [from, to, points] of all) {
          const [status] = await transfer(await signIn(from), crypto.randomUUID(), { to, points });
          expect([201, 402]).toContain(status);
        }
        expect(await sum()).toBe(before);
      }),
      { numRuns: 10 },
    );
  });
});

test("the controls are closed to browsers, and unaffected by the faults", async () => {
  for (const path of ["/control/sign-in", "/control/revoke", "/control/delete"]) {
    const response = await askHub(path, {}, { method: "POST", body: '{"user_id":"demo-pro"}' });
    expect(response.status).toBe(403);
  }
  const asking = { "X-Hub-Control": "1" };
  const preflight = await askHub("/control/sign-in", asking, { method: "OPTIONS" });
  expect(preflight.headers.has("Access-Control-Allow-Origin")).toBe(false);
  expect((await env.HUB.fetch(`${env.HUB_URL}/health`)).status).toBe(200);
});
