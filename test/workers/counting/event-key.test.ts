/** Event keys: no client can choose one, and a redirect's key depends on its sender (F27). */
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { clickKey, eventKey } from "../../../src/counting/event-key.ts";
import { hex, utf8 } from "../../../src/http/bytes.ts";
import { randomSecret, secretOf } from "../../secret.ts";
import { beacon, freshPage, pageObject, SENDER_KEY } from "../kit/kit.ts";

const ID = "an-id-that-a-client-chose";
const SHARED = { event_id: ID, tap_id: undefined };
const TAP = { event_id: undefined, tap_id: ID };

test("F27: the key of an event is keyed by the deployment's secret, in the object's table too", async () => {
  const { page_id } = await freshPage();
  await beacon({ page_id, event_id: ID });
  const [row] = await runInDurableObject(pageObject(page_id), (_, { storage }) =>
    storage.sql.exec<{ events: ArrayBuffer }>("SELECT events FROM journal").toArray(),
  );
  const stored = hex(new Uint8Array(row?.events ?? new ArrayBuffer(0)));
  const unkeyed = await crypto.subtle.digest("SHA-256", utf8(`${ID}\n`));
  expect(stored).not.toContain(hex(new Uint8Array(unkeyed, 0, 8)));
  expect(stored).toContain(eventKey(SENDER_KEY, ID, ""));
  expect(eventKey(secretOf(randomSecret()), ID, "")).not.toBe(eventKey(SENDER_KEY, ID, ""));
});

test("keys of other links, senders, kinds of visitor and ways to send are other keys", async () => {
  const human = { sender: "192.0.2.1", is_bot: false };
  const keys = await Promise.all([
    eventKey(SENDER_KEY, ID, ""),
    eventKey(SENDER_KEY, ID, "shop"),
    clickKey(SENDER_KEY, human, SHARED, "shop"),
    clickKey(SENDER_KEY, { ...human, is_bot: true }, SHARED, "shop"),
    clickKey(SENDER_KEY, { ...human, sender: "192.0.2.2" }, SHARED, "shop"),
    clickKey(SENDER_KEY, human, SHARED, "video"),
    clickKey(SENDER_KEY, human, TAP, "shop"),
    clickKey(SENDER_KEY, { ...human, is_bot: true }, TAP, "shop"),
    clickKey(SENDER_KEY, human, TAP, "video"),
  ]);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((key) => /^[0-9a-f]{16}$/.test(key ?? ""))).toBe(true);
});

test("the key of a tap is the same from every address, with whatever else its address says", () => {
  const key = clickKey(SENDER_KEY, { sender: "192.0.2.1", is_bot: false }, TAP, "shop");
  const elsewhere = { sender: "2001:db8::", is_bot: false };
  expect(clickKey(SENDER_KEY, elsewhere, TAP, "shop")).toBe(key);
  expect(clickKey(SENDER_KEY, elsewhere, { ...TAP, event_id: "promo" }, "shop")).toBe(key);
});

test("a click without an id has no key of its own", () => {
  const ids = { event_id: undefined, tap_id: undefined };
  expect(clickKey(SENDER_KEY, { sender: "192.0.2.1", is_bot: false }, ids, "shop")).toBeNull();
});
