/** A service without a hub of its own, before its operators have given any points: what is offered, and what is said. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { hasPoints } from "../../../src/accounts/has-points.ts";
import { EditorPage } from "../../../src/authoring/editor/editor-page.tsx";
import { pageJson } from "../../../src/authoring/page-json.ts";
import { WalletPage } from "../../../src/blocks/tips/wallet-page.tsx";
import { offeredKinds } from "../../../src/client/editor/blocks/new-block.ts";
import type { Frame } from "../../../src/dashboard/dashboard-frame.tsx";
import { giveGift } from "../../../src/identity/books-store.ts";
import { freshPage } from "../kit/kit.ts";

const FRAME: Frame = {
  locale: "en",
  user_name: "Mara",
  now_ms: 0,
  csrf_token: "a-token",
  has_own_accounts: false,
  unread: 0,
  tz: "UTC",
  url: new URL("https://sila.example/dashboard/wallet"),
};

test("there are points with an outside hub, and without one from the first gift on", async () => {
  expect(await hasPoints(env.DB, "https://hub.example")).toBe(true);
  expect(await hasPoints(env.DB, "")).toBe(false);
  await env.DB.prepare(
    `INSERT INTO auth_users (id, name, plan, locale, is_operator, created_at)
     VALUES ('mara', 'Mara', 'free', 'ar', 0, 0)`,
  ).run();
  await giveGift(env.DB, { key: "k", user_id: "mara", points: 1, note: "", by_id: "op" }, 0);
  expect(await hasPoints(env.DB, "")).toBe(true);
});

describe("without points", () => {
  test("the editor does not offer a tip jar, and knows it from its page", async () => {
    expect(offeredKinds(false)).toEqual(["download", "newsletter"]);
    expect(offeredKinds(true)).toEqual(["tip", "download", "newsletter"]);
    const page = pageJson(await freshPage());
    const editor = (has_points: boolean) =>
      `${<EditorPage {...{ frame: FRAME, user_id: "mara", page, has_suggestions: false, has_points }} />}`;
    expect(editor(true)).toContain(' data-points="on"');
    expect(editor(false)).not.toContain("data-points");
  });

  test.each([
    ["ar-u-nu-arab", "لا نقاط في هذه الخدمة بعد. يمنح مشغّلوها النقاط الأولى."],
    ["en", "This service has no points yet. Its operators give the first ones."],
  ] as const)("the wallet says why it is empty: %s", (locale, why) => {
    const wallet = { points: 0, pending: 0, lifetime: 0, updated_at: "2026-11-27T00:00:00Z" };
    const props = { ...FRAME, locale, wallet, tips: [], pages: new Map(), next_cursor: null };
    const page = (has_points: boolean) => `${<WalletPage {...props} has_points={has_points} />}`;
    expect(page(false)).toContain(why);
    expect(page(true)).not.toContain(why);
  });
});
