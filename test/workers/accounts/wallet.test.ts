/** The wallet: the hub's points, validated, and each way in which the hub may fail. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { speedUpTimers } from "../kit/faults.ts";
import { askHub, hubCalls, hubFault, revoke, signIn } from "../kit/hub-kit.ts";
import { call, errorOf } from "../kit/kit.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

function walletOf(cookie: string): Promise<Response> {
  return call("/api/me/wallet", { headers: { Cookie: cookie } });
}

describe("GET /api/me/wallet", () => {
  test("passes on the hub's current points, and nothing else of its answer", async () => {
    const cookie = await signIn("demo-pro");
    const response = await walletOf(cookie);
    expect(response.status).toBe(200);
    const { ok, wallet } = await response.json<{ ok: boolean; wallet: { points: number } }>();
    expect(ok).toBe(true);
    // Other files share the hub, and transfer points there.
    expect(wallet).toEqual(await (await askHub("/api/wallet", { Cookie: cookie })).json());
    expect(wallet).toEqual({
      points: expect.any(Number),
      pending: 0,
      lifetime: expect.any(Number),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const transfer = await askHub(
      "/api/wallet/transfers",
      { Cookie: cookie, "Idempotency-Key": crypto.randomUUID() },
      { method: "POST", body: JSON.stringify({ to: "demo-free", points: 50 }) },
    );
    expect(transfer.status).toBe(201);
    expect(await (await walletOf(cookie)).json()).toMatchObject({
      wallet: { points: wallet.points - 50 },
    });
  });

  test("is 401 if the hub ended the session without a webhook", async () => {
    const cookie = await signIn("demo-business");
    expect((await walletOf(cookie)).status).toBe(200);
    await revoke("demo-business");
    const response = await walletOf(cookie);
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toMatchObject({
      code: "AUTH_REQUIRED",
      details: { login_url: expect.stringMatching(/\/api\/auth\/login$/) },
    });
  });

  test.for([
    // `auth.test.ts` has the other faults of the same client.
    ["error", 502, "UPSTREAM_ERROR"],
    ["wrong", 502, "UPSTREAM_ERROR"],
    ["hang", 504, "UPSTREAM_TIMEOUT"],
  ] as const)(
    "S21: is an error while the hub's wallet is %s, also with a cached session: %i",
    async ([fault, status, code]) => {
      speedUpTimers();
      const cookie = await signIn("demo-pro");
      expect((await walletOf(cookie)).status).toBe(200);
      await hubFault("/api/wallet", fault);
      await hubCalls();
      const response = await walletOf(cookie);
      expect(response.status).toBe(status);
      const text = await response.clone().text();
      expect(text).not.toMatch(/stack|secrets|another service/);
      expect((await errorOf(response)).code).toBe(code);
      // One request to the hub: the client may retry.
      expect((await hubCalls()).map(({ path }) => path)).toEqual(["/api/wallet"]);
    },
  );
});
