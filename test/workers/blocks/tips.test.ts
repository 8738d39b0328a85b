/** Tips: from one user to a page's owner, each exactly once (docs/contract.md section 11). */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CLOSE_AFTER_MS } from "../../../objects/blocks/tips/tips.ts";
import { TIPS_PER_PAGE_MAX } from "../../../src/blocks/tips/limits.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "../../../src/http/limits.ts";
import { TIP_MESSAGE_CHARS_MAX, TIP_POINTS_MAX } from "../../../src/pages/document/limits.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { stopClock } from "../kit/faults.ts";
import { hubBooks, hubCalls, hubFault, mendHub } from "../kit/hub-kit.ts";
import { errorOf, eventually, pageObject, sums } from "../kit/kit.ts";

const TRANSFERS = "/api/wallet/transfers";
const CLOSE = "/api/wallet/transfers/close";

type Creator = Awaited<ReturnType<typeof creator>>;
let tipper: Creator;
let owner: Creator;

beforeAll(async () => {
  tipper = await creator("demo-pro");
  owner = await creator("demo-business");
});
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

const JAR = { kind: "tip", label: { ar: "إكرامية" }, block: { amounts: [5, 10] } };

/** A published page of `demo-business` with a tip jar. */
async function jarPage(links: object[] = [JAR]) {
  const page = await owner.make({ slug: owner.slug(), status: "published", links });
  const link_id = page.links[0]?.link_id;
  if (link_id === undefined) throw new Error("the page has no link");
  return { ...page, link_id };
}

function newKey(): string {
  return `key-${crypto.randomUUID()}`;
}

function send(body: object, key: string | null = newKey(), by = tipper): Promise<Response> {
  return by.send("POST", "/api/tip", body, key === null ? {} : { "Idempotency-Key": key });
}

interface TipAnswer {
  tip: { id: string; points: number };
}

async function transfersOf(tip_id: string) {
  return (await hubBooks()).filter(({ key }) => key.startsWith(tip_id));
}

/** Tips with these points, which no other test uses, in the hub's books. */
async function booked(points: number) {
  return (await hubBooks()).filter((transfer) => transfer.points === points);
}

function sender() {
  return env.TIPS.getByName("demo-pro");
}

/** Runs the tipper's alarm until the outcome of everything is known. */
async function settled(): Promise<void> {
  const clock = stopClock();
  clock.advance(CLOSE_AFTER_MS + 1);
  await runDurableObjectAlarm(sender());
  clock.restart();
}

describe("a tip", () => {
  test("moves points once, counts as a click of its jar, and reaches owner and tipper", async () => {
    const { page_id, link_id } = await jarPage();
    const response = await send({ page_id, points: 7, message: "  شكرًا\u202e " });
    expect(response.status).toBe(201);
    const body = await response.json<TipAnswer>();
    const tip = {
      id: expect.stringMatching(/^tip_[0-9a-f]{32}$/),
      page_id,
      link_id,
      points: 7,
      message: "شكرًا",
      at: expect.stringMatching(/Z$/),
      status: "sent",
    };
    expect(body).toEqual({ ok: true, tip });
    expect(await transfersOf(body.tip.id)).toEqual([
      expect.objectContaining({ user_id: "demo-pro", recipient: "demo-business", points: 7 }),
    ]);
    await eventually(async () => expect(await sums(page_id)).toMatchObject({ accepted: 1 }));
    await pageObject(page_id).flush();
    const received = await owner.send("GET", `/api/me/pages/${page_id}/tips`);
    expect(await received.json()).toEqual({
      ok: true,
      tips: [
        {
          seq: 1,
          link_id,
          from_name: "ليان الحوراني",
          points: 7,
          message: "شكرًا",
          at: expect.any(String),
        },
      ],
      totals: { n: 1, points: 7 },
      next_cursor: null,
    });
    const sent = await (await tipper.send("GET", "/api/me/tips?limit=1")).json<{
      tips: object[];
    }>();
    expect(sent.tips).toEqual([tip]);
    const notices = await owner.send("GET", "/api/me/notifications");
    const { notifications } = await notices.json<{ notifications: { id: string }[] }>();
    expect(notifications.find(({ id }) => id === `tip-${page_id}-1`)).toMatchObject({
      kind: "tip",
      text: "وصل إلى صفحتك «\u2068ليان\u2069» من \u2068ليان الحوراني\u2069: ٧ نقاط: «\u2068شكرًا\u2069»",
      text_en:
        "\u2068ليان الحوراني\u2069 sent 7 points to your page “\u2068ليان\u2069”: “\u2068شكرًا\u2069”",
      url: `/dashboard/${page_id}`,
    });
    expect(await sender().hasTipped(page_id)).toBe(true);
    expect(await sender().hasTipped("another")).toBe(false);
  });

  test("sent twice with one key is one, with the same answer for a day, also without its page", async () => {
    const clock = stopClock();
    const page = await jarPage();
    const { page_id } = page;
    const key = newKey();
    const [one, other] = await Promise.all([
      send({ page_id, points: 3 }, key),
      send({ page_id, points: 3 }, key),
    ]);
    const { tip } = await one.json<TipAnswer>();
    expect([one.status, other.status]).toEqual([201, 201]);
    expect((await other.json<TipAnswer>()).tip).toEqual(tip);
    await owner.patch(page, { status: "draft" });
    clock.advance(86_000_000);
    const again = await send({ page_id, points: 3 }, key);
    expect(again.status).toBe(201);
    expect((await again.json<TipAnswer>()).tip).toEqual(tip);
    expect(await transfersOf(tip.id)).toHaveLength(1);
    clock.advance(500_000);
    await runDurableObjectAlarm(sender());
    expect((await errorOf(await send({ page_id, points: 3 }, key))).code).toBe("PAGE_NOT_FOUND");
  });

  test("is a conflict with a key that was used for another", async () => {
    const { page_id } = await jarPage();
    const key = newKey();
    expect((await send({ page_id, points: 2 }, key)).status).toBe(201);
    for (const other of [
      { points: 4 },
      { message: "another" },
      { page_id: "another" },
      { link_id: "x" },
    ]) {
      const response = await send({ page_id, points: 2, ...other }, key);
      const { code } = await errorOf(response);
      expect([other, response.status, code]).toEqual([other, 409, "IDEMPOTENCY_CONFLICT"]);
    }
  });

  test("needs a key of 1 to 255 visible characters", async () => {
    const { page_id } = await jarPage();
    for (const key of [null, "", "a b", "ü", "x".repeat(IDEMPOTENCY_KEY_CHARS_MAX + 1)]) {
      const response = await send({ page_id, points: 1 }, key).catch(() => null);
      if (response === null) continue;
      expect(response.status).toBe(400);
      expect((await errorOf(response)).code).toBe("IDEMPOTENCY_KEY_REQUIRED");
    }
    const longest = newKey().padEnd(IDEMPOTENCY_KEY_CHARS_MAX, "x");
    expect((await send({ page_id, points: 1 }, longest)).status).toBe(201);
  });

  test("has points and a message within their limits, and no unknown member", async () => {
    const { page_id } = await jarPage();
    for (const [body, status] of [
      [{ points: 0 }, 400],
      [{ points: 1.5 }, 400],
      [{ points: TIP_POINTS_MAX }, 402],
      [{ points: TIP_POINTS_MAX + 1 }, 400],
      [{ points: 1, message: "ص".repeat(TIP_MESSAGE_CHARS_MAX) }, 201],
      [{ points: 1, message: "ص".repeat(TIP_MESSAGE_CHARS_MAX + 1) }, 400],
      [{ points: 1, more: 1 }, 400],
    ] as const) {
      expect([body, (await send({ page_id, ...body })).status]).toEqual([body, status]);
    }
  });

  test("above the tipper's points is refused, with the same answer later", async () => {
    const { page_id } = await jarPage();
    const poor = await creator("demo-free");
    const key = newKey();
    for (let i = 0; i < 2; i += 1) {
      const response = await send({ page_id, points: 999_999 }, key, poor);
      expect(response.status).toBe(402);
      expect((await errorOf(response)).code).toBe("INSUFFICIENT_POINTS");
    }
    expect(await sums(page_id)).toMatchObject({ accepted: 0 });
  });

  test("to a page that is not there, has no open jar, or is one's own is refused", async () => {
    const codeOf = async (body: object, by = tipper) =>
      (await errorOf(await send({ points: 1, ...body }, newKey(), by))).code;
    const page = await jarPage([{ ...JAR, enabled: false }]);
    expect(await codeOf(page)).toBe("VALIDATION_FAILED");
    const { page_id } = page;
    expect(await codeOf({ page_id })).toBe("LINK_EXPIRED");
    expect(await codeOf({ page_id, link_id: "none" })).toBe("LINK_NOT_FOUND");
    expect(await codeOf({ page_id: "none" })).toBe("PAGE_NOT_FOUND");
    const open = await jarPage();
    expect(await codeOf({ page_id: open.page_id }, owner)).toBe("OWN_PAGE");
    await owner.patch(open, { status: "draft" });
    expect(await codeOf({ page_id: open.page_id })).toBe("PAGE_NOT_FOUND");
  });
});

describe("while the hub fails", () => {
  test.for([
    ["wrong", 502, 32],
    ["lost", 502, 35],
    ["hang", 504, 36],
  ] as const)(
    "%s, the outcome is not known, and the same key learns it: %i",
    async ([fault, status, points]) => {
      const { page_id } = await jarPage();
      const key = newKey();
      await hubFault(TRANSFERS, fault);
      // So long the hub is waited for; all else takes its time.
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(ms / 10));
      expect((await send({ page_id, points }, key)).status).toBe(status);
      vi.restoreAllMocks();
      await mendHub();
      const response = await send({ page_id, points }, key);
      expect(response.status).toBe(201);
      expect(await booked(points)).toHaveLength(1);
      await eventually(async () => expect(await sums(page_id)).toMatchObject({ accepted: 1 }));
    },
  );

  test("a lost answer is found by the alarm, without a request and without a cookie", async () => {
    const { page_id } = await jarPage();
    const key = newKey();
    await hubFault(TRANSFERS, "lost");
    expect((await send({ page_id, points: 11 }, key)).status).toBe(502);
    await hubCalls();
    await settled();
    expect((await hubCalls()).map(({ path, headers }) => [path, headers.cookie])).toEqual([
      [CLOSE, undefined],
    ]);
    await eventually(async () => expect(await sums(page_id)).toMatchObject({ accepted: 1 }));
    const response = await send({ page_id, points: 11 }, key);
    expect(response.status).toBe(201);
    expect(await transfersOf((await response.json<TipAnswer>()).tip.id)).toHaveLength(1);
  });

  test("a tip that the hub never got is void, a late request with its key is refused, and a retry is a new attempt", async () => {
    const { page_id } = await jarPage();
    const key = newKey();
    await hubFault(TRANSFERS, "down");
    expect((await send({ page_id, points: 12 }, key)).status).toBe(502);
    const [call] = (await hubCalls()).filter(({ path }) => path === TRANSFERS);
    await settled();
    await mendHub();
    expect(await sums(page_id)).toMatchObject({ accepted: 0 });
    const late = await env.HUB.fetch(env.HUB_URL + TRANSFERS, {
      method: "POST",
      headers: {
        Cookie: tipper.headers.Cookie,
        "Idempotency-Key": call?.headers["idempotency-key"] ?? "",
      },
      body: JSON.stringify({ to: "demo-business", points: 12 }),
    });
    expect(late.status).toBe(410);
    const response = await send({ page_id, points: 12 }, key);
    expect(response.status).toBe(201);
    const { tip } = await response.json<TipAnswer>();
    expect((await transfersOf(tip.id)).map((transfer) => transfer.key)).toEqual([`${tip.id}.2`]);
  });
});

describe("the lists", () => {
  test("continue at their cursors, without a gap, in parts of a bounded length", async () => {
    const { page_id } = await jarPage();
    for (const points of [21, 22, 23]) await send({ page_id, points });
    await eventually(async () => expect(await sums(page_id)).toMatchObject({ accepted: 3 }));
    await pageObject(page_id).flush();
    const pointsOf = async (by: Creator, path: string) => {
      const seen: number[] = [];
      let cursor = "";
      do {
        const response = await by.send("GET", `${path}?limit=2${cursor}`);
        const { tips, next_cursor } = await response.json<{
          tips: { points: number }[];
          next_cursor: string | null;
        }>();
        seen.push(...tips.map(({ points }) => points));
        cursor = next_cursor === null ? "" : `&cursor=${next_cursor}`;
      } while (cursor !== "" && seen.length < 20);
      return seen;
    };
    expect(await pointsOf(owner, `/api/me/pages/${page_id}/tips`)).toEqual([23, 22, 21]);
    expect((await pointsOf(tipper, "/api/me/tips")).slice(0, 3)).toEqual([23, 22, 21]);
    for (const [query, status] of [
      [`limit=${TIPS_PER_PAGE_MAX}`, 200],
      [`limit=${TIPS_PER_PAGE_MAX + 1}`, 400],
      ["cursor=x", 400],
    ] as const) {
      const sent = await tipper.send("GET", `/api/me/tips?${query}`);
      const received = await owner.send("GET", `/api/me/pages/${page_id}/tips?${query}`);
      expect([query, sent.status, received.status]).toEqual([query, status, status]);
    }
  });
});

test("nothing is left of a deleted user's tips, after the last one is settled", async () => {
  const { page_id } = await jarPage();
  await hubFault(TRANSFERS, "lost");
  await send({ page_id, points: 14 });
  await sender().end();
  await mendHub();
  await settled();
  await runDurableObjectAlarm(sender());
  await eventually(async () => expect(await sums(page_id)).toMatchObject({ accepted: 1 }));
  expect(
    await runInDurableObject(sender(), (_, { storage }) => [
      ...storage.kv.list(),
      ...storage.sql.exec("SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_%' ESCAPE '\\'"),
    ]),
  ).toEqual([]);
});
