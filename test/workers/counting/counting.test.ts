import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { classify } from "../../../src/counting/classify.ts";
import { addLinkSql, editLinkSql } from "../../plain-page.ts";
import { cases } from "../kit/cases.ts";
import { breakAlarm, breakD1, breakStorage, stopClock } from "../kit/faults.ts";
import {
  beacon,
  call,
  errorOf,
  eventOf,
  freshPage,
  ORIGIN,
  pageObject,
  recordAll,
  recordTogether,
  sums,
  tallyRows,
} from "../kit/kit.ts";

const HOUR_MS = 3_600_000;
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

/** Accepted events of a page by link and class, `view/human` for views. */
async function accepted(page_id: string): Promise<Record<string, number>> {
  const totals = await pageObject(page_id).totals();
  return Object.fromEntries(totals.map((t) => [`${t.link_id || "view"}/${t.class}`, t.accepted]));
}

/** What a beacon with this id is answered. */
async function outcomeOf(page_id: string, event_id: string): Promise<string | null> {
  return (await beacon({ page_id, event_id })).headers.get("X-Beacon-Outcome");
}

describe("an event", () => {
  test("is a view without a link, and a click with one, and counts each time without an id", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await beacon({ page_id });
    await beacon({ page_id, link_id: "mail" });
    await beacon({ page_id, link_id: "contact" });
    await beacon({ page_id }, { headers: { "User-Agent": "Googlebot/2.1" } });
    expect(await accepted(page_id)).toEqual({
      "view/human": 2,
      "view/bot": 1,
      "mail/human": 1,
      "contact/human": 1,
    });
  });

  test("F11: sent twice with one id counts once, from another address and after an eviction too", async () => {
    const { page_id } = await freshPage();
    for (const outcome of ["counted", "duplicate", "duplicate"]) {
      expect(await outcomeOf(page_id, "same")).toBe(outcome);
      await evictDurableObject(pageObject(page_id));
    }
    expect(await accepted(page_id)).toEqual({ "view/human": 1 });
  });

  test("sent 64 times at once with one id counts once", async () => {
    const { page_id } = await freshPage();
    const receipts = await recordAll(page_id, Array(64).fill(eventOf("burst")));
    const outcomes = receipts.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "counted")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(63);
    expect((await sums(page_id)).accepted).toBe(1);
  });

  test("is forgotten after that, so that ids take bounded room", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await beacon({ page_id, event_id: "old" });
    await pageObject(page_id).flush();
    clock.advance(1.5 * HOUR_MS);
    await beacon({ page_id, event_id: "new" });
    await pageObject(page_id).flush();
    const keys = ["old", "new"].map((event_id) => eventOf(event_id).key);
    expect(await pageObject(page_id).remembers(keys)).toEqual([false, true]);
    await evictDurableObject(pageObject(page_id));
    expect(await pageObject(page_id).remembers(keys)).toEqual([false, true]);
  });

  test("belongs to the hour of the server's clock in which it arrives", async () => {
    const clock = stopClock();
    const hour_ms = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
    const { page_id } = await freshPage();
    clock.set(hour_ms - 1);
    await beacon({ page_id });
    clock.set(hour_ms);
    await beacon({ page_id });
    await pageObject(page_id).flush();
    expect((await tallyRows(page_id)).map(({ hour, n }) => [hour, n])).toEqual([
      [hour_ms / 1_000 - 3_600, 1],
      [hour_ms / 1_000, 1],
    ]);
  });

  test("on a new link counts as soon as its object is notified", async () => {
    const { page_id } = await freshPage();
    expect((await beacon({ page_id, link_id: "new" })).status).toBe(404);
    await env.DB.prepare(addLinkSql("new", "https://n.example/")).bind(page_id).run();
    await pageObject(page_id).changed();
    expect((await beacon({ page_id, link_id: "new" })).status).toBe(202);
    expect(await accepted(page_id)).toEqual({ "new/human": 1 });
  });

  test("is keyed by the immutable ids: renaming the page and editing its links lose nothing", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id, link_id: "shop" });
    await pageObject(page_id).flush();
    await env.DB.batch([
      env.DB.prepare("UPDATE pages SET slug = ?1 || '-renamed' WHERE page_id = ?1").bind(page_id),
      env.DB.prepare(editLinkSql("shop", { label: { ar: "x" }, url: "https://x.example/" })).bind(
        page_id,
      ),
    ]);
    await beacon({ page_id, link_id: "shop" });
    await pageObject(page_id).flush();
    expect((await tallyRows(page_id)).reduce((sum, { n }) => sum + n, 0)).toBe(2);
    expect(await accepted(page_id)).toEqual({ "shop/human": 2 });
  });

  test("on unknown links costs D1 one look-up at a time, at any number of requests", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await beacon({ page_id });
    // A page that did not exist at the first event is looked up again later.
    clock.advance(6_000);
    const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    const { all } = statement;
    let under_way = 0;
    let at_most = 0;
    let lookUps = 0;
    vi.spyOn(statement, "all").mockImplementation(async function (this: D1PreparedStatement) {
      lookUps += 1;
      under_way += 1;
      at_most = Math.max(at_most, under_way);
      const result = await all.call(this);
      under_way -= 1;
      return result;
    } as typeof all);
    const unknown = Array.from({ length: 50 }, (_, i) => eventOf("e", { link_id: `no-${i}` }));
    for (const { outcome } of await recordAll(page_id, unknown))
      expect(outcome).toBe("unknown_link");
    expect(at_most).toBe(1);
    expect(lookUps).toBeGreaterThan(0);
    expect(lookUps).toBeLessThan(50);
    expect((await sums(page_id)).accepted).toBe(1);
  });
});

describe("accepted = flushed + pending", () => {
  test("for every link, before, during and after a flush", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await beacon({ page_id, link_id: "shop" });
    expect(await sums(page_id)).toEqual({ accepted: 2, flushed: 0, pending: 2 });
    await pageObject(page_id).flush();
    expect(await sums(page_id)).toEqual({ accepted: 2, flushed: 2, pending: 0 });
    await beacon({ page_id, link_id: "shop" });
    const { mend } = breakD1("after");
    await expect(Promise.resolve(pageObject(page_id).flush())).rejects.toThrow("D1 refuses");
    mend();
    for (const total of await pageObject(page_id).totals()) {
      expect(total.accepted).toBe(total.flushed + total.pending);
    }
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 2, pending: 1 });
    await pageObject(page_id).flush();
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 3, pending: 0 });
  });
});

describe("the class of an event", () => {
  const IPHONE =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148";
  const ANDROID =
    "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36";
  const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
  const HEADLESS =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/147.0.0.0 Safari/537.36";

  test.each<[string, string, string, Record<string, string>?]>([
    ["a phone is human", PHONE, "human"],
    ["a crawler is a bot", CRAWLER, "bot"],
    ["a headless browser is a bot", HEADLESS, "bot"],
    ["WhatsApp's link preview is a bot", "WhatsApp/2.23.20.0 A", "bot"],
    [
      "Facebook's link preview is a bot",
      "facebookexternalhit/1.1 (+http://www.facebook.com/)",
      "bot",
    ],
    ["a prefetch is a bot", PHONE, "bot", { "Sec-Purpose": "prefetch;prerender" }],
    ["an old prefetch is a bot", PHONE, "bot", { Purpose: "prefetch" }],
    ["a preview of Safari is a bot", PHONE, "bot", { "X-Purpose": "preview" }],
    ["an old Firefox's prefetch is a bot", PHONE, "bot", { "X-Moz": "prefetch" }],
    [
      "a signed agent in a browser is a bot",
      PHONE,
      "bot",
      {
        "Signature-Agent": '"https://chatgpt.com"',
        "Signature-Input":
          'sig1=("@authority" "@method" "@path" "signature-agent");created=1764000000;keyid="otMqcjr17mGyruktGvJU8oojQTSMHlVm7uO-lrcqbdg";expires=1764003600;nonce="cGxhY2Vob2xkZXI";tag="web-bot-auth";alg="ed25519"',
        Signature: "sig1=:cGxhY2Vob2xkZXI=:",
      },
    ],
    [
      "a signed agent that names no directory is a bot",
      PHONE,
      "bot",
      { "Signature-Input": 'sig2=("@authority");created=1764000000;keyid="k";tag="web-bot-auth"' },
    ],
    [
      "a request that something else signed is a person's",
      PHONE,
      "human",
      { "Signature-Input": 'proxy=("@authority");created=1764000000;keyid="k";tag="gateway"' },
    ],
    ["Instagram's browser is human", `${IPHONE} Instagram 340.0.3.27.96 (iPhone14,5)`, "human"],
    ["Facebook's browser is human", `${ANDROID} [FB_IAB/FB4A;FBAV/470.0.0.50.89;]`, "human"],
    [
      "TikTok's browser is human",
      `${ANDROID} musical_ly_2023405030 BytedanceWebview/d8a21c6`,
      "human",
    ],
    ["Snapchat's browser is human", `${IPHONE} Snapchat/12.80.0.40 (like Safari/8617)`, "human"],
    ["X's browser is human", `${IPHONE} Twitter for iPhone/10.40`, "human"],
    ["LINE's browser is human", `${IPHONE} Safari Line/14.7.0`, "human"],
    ["WhatsApp's browser is human", `${ANDROID} WhatsApp/2.24.13.77`, "human"],
  ])("%s", (_, agent, expected, headers = {}) => {
    const request = new Request(ORIGIN, { headers: { "User-Agent": agent, ...headers } });
    expect(classify(env, request, "page", "192.0.2.1", {}).class).toBe(expected);
  });
});

describe("F10: eviction and abort at any moment change nothing", () => {
  type Step =
    | { do: "send"; id: number; link: string }
    | { do: "evict" | "abort" | "flush" | "alarm" | "lose-reply" };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("send" as const),
        id: fc.nat(20),
        link: fc.constantFrom("", "shop", "mail"),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom("evict", "abort", "flush", "alarm", "lose-reply"),
      }),
    },
  );

  test("an acknowledged event is in every total exactly once, through any faults", {
    timeout: 30_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const { page_id } = await freshPage();
        const object = () => pageObject(page_id);
        const acknowledged = new Set<string>();
        let total_before = 0;
        for (const action of steps) {
          if (action.do === "send") {
            const response = await beacon({
              page_id,
              event_id: `e${action.id}`,
              ...(action.link && { link_id: action.link }),
            });
            expect(response.status).toBe(202);
            const id = `${action.id}/${action.link}`;
            expect(response.headers.get("X-Beacon-Outcome")).toBe(
              acknowledged.has(id) ? "duplicate" : "counted",
            );
            acknowledged.add(id);
          } else if (action.do === "evict") {
            await object().totals();
            await evictDurableObject(object());
          } else if (action.do === "abort") await abortAllDurableObjects();
          else if (action.do === "flush") await object().flush();
          else if (action.do === "alarm") await runDurableObjectAlarm(object());
          else {
            const { mend } = breakD1("after");
            await Promise.resolve(object().flush()).catch(() => {});
            mend();
          }
          const { accepted: now_accepted } = await sums(page_id);
          expect(now_accepted).toBe(acknowledged.size);
          const in_d1 = (await tallyRows(page_id)).reduce((sum, { n }) => sum + n, 0);
          expect(in_d1).toBeLessThanOrEqual(acknowledged.size);
          expect(in_d1).toBeGreaterThanOrEqual(total_before);
          total_before = in_d1;
        }
        await object().flush();
        const rows = await tallyRows(page_id);
        expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(acknowledged.size);
        expect(await sums(page_id)).toEqual({
          accepted: acknowledged.size,
          flushed: acknowledged.size,
          pending: 0,
        });
      }),
      // The model has the same faults: here, they meet the runtime.
      { numRuns: cases(100, 1 / 20) },
    );
  });
});

describe("faults of the counting path", () => {
  test("F1: an event committed but never answered is a duplicate when sent again", async () => {
    const { page_id } = await freshPage();
    // The object commits, and its answer is lost with the connection.
    await pageObject(page_id).record(eventOf("lost-answer"));
    await abortAllDurableObjects();
    expect(await outcomeOf(page_id, "lost-answer")).toBe("duplicate");
    expect((await sums(page_id)).accepted).toBe(1);
  });

  test("F2: an event whose commit never happened was not acknowledged, and counts when sent again", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { mend } = await breakStorage(page_id, "INSERT INTO journal");
    const failed = await beacon({ page_id, event_id: "e" });
    mend();
    await abortAllDurableObjects();
    expect([failed.status, failed.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect((await errorOf(failed)).code).toBe("DEPENDENCY_DOWN");
    expect(failed.headers.has("X-Beacon-Outcome")).toBe(false);
    expect(await outcomeOf(page_id, "e")).toBe("counted");
    expect((await sums(page_id)).accepted).toBe(2);
  });

  test("F17: a storage error acknowledges nothing of a whole group, which counts when it is sent again", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    vi.spyOn(console, "error").mockImplementation(() => {});
    const group = Array.from({ length: 20 }, (_, i) => eventOf(`g${i}`));
    const { mend } = await breakStorage(page_id, "INSERT INTO journal");
    await expect(recordTogether(page_id, group)).rejects.toThrow("full");
    mend();
    expect((await sums(page_id)).accepted).toBe(1);
    for (const { outcome } of await recordTogether(page_id, group)) expect(outcome).toBe("counted");
    expect((await sums(page_id)).accepted).toBe(21);
  });

  test("F17: a checkpoint that fails halfway loses nothing and counts nothing twice", async () => {
    const { page_id } = await freshPage();
    for (let i = 0; i < 5; i += 1) await beacon({ page_id, event_id: `e${i}` });
    const { mend } = await breakStorage(page_id, "INSERT INTO checkpoints");
    await expect(Promise.resolve(pageObject(page_id).flush())).rejects.toThrow("full");
    mend();
    expect((await sums(page_id)).accepted).toBe(5);
    await evictDurableObject(pageObject(page_id));
    expect((await sums(page_id)).accepted).toBe(5);
    await pageObject(page_id).flush();
    expect(await sums(page_id)).toEqual({ accepted: 5, flushed: 5, pending: 0 });
  });

  test("F17: a failure after the write starts the object anew from the disk: counted once", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id, link_id: "shop" }, { headers: { DNT: "1" } });
    await runDurableObjectAlarm(pageObject(page_id));
    vi.spyOn(console, "error").mockImplementation(() => {});
    // The next alarm is set after the events are in the journal.
    const { mend } = await breakAlarm(page_id);
    const group = ["a", "b", "c"].map((event_id) => eventOf(event_id));
    await expect(recordTogether(page_id, group)).rejects.toThrow();
    mend();
    for (const event_id of ["a", "b", "c"]) {
      expect((await beacon({ page_id, event_id })).status).toBe(202);
    }
    expect((await sums(page_id)).accepted).toBe(4);
    await pageObject(page_id).flush();
    expect(await sums(page_id)).toEqual({ accepted: 4, flushed: 4, pending: 0 });
  });

  test("F12: one id for a view and for clicks on several links counts each once", async () => {
    const { page_id } = await freshPage();
    for (let round = 0; round < 2; round += 1) {
      for (const link_id of [undefined, "shop", "video", "mail"]) {
        await beacon({ page_id, event_id: "one-id", ...(link_id && { link_id }) });
      }
    }
    expect(await accepted(page_id)).toEqual({
      "view/human": 1,
      "shop/human": 1,
      "video/human": 1,
      "mail/human": 1,
    });
  });

  test("F13: poison is refused at the router or stored as harmless data; the object never throws", async () => {
    const { page_id } = await freshPage();
    const bad: [unknown, number][] = [
      [{ page_id, link_id: "__proto__" }, 404],
      [{ page_id: "__proto__" }, 404],
      [{ page_id, link_id: "constructor" }, 404],
      [{ page_id, event_id: "\ud800" }, 400],
      [{ page_id, utm_source: "\ud800 __proto__" }, 202],
      [{ page_id, utm_source: "__proto__" }, 202],
      [{ page_id, utm_source: "\u202e\u0000x" }, 202],
      [{ page_id, referrer: "__proto__" }, 202],
      [{ page_id, referrer: "https://\ud800.example/" }, 202],
      [JSON.parse(`{"page_id":"${page_id}","__proto__":{"polluted":true}}`), 202],
      [{ page_id: [page_id] }, 400],
      [[], 400],
      [null, 400],
      ["text", 400],
      [{ page_id, link_id: "" }, 400],
    ];
    for (const [body, status] of bad) {
      const response = await call("/api/analytics/view", {
        method: "POST",
        body: JSON.stringify(body),
      });
      expect([body, response.status]).toEqual([body, status]);
    }
    const latin1 = await call("/api/analytics/view", {
      method: "POST",
      body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    });
    expect((await errorOf(latin1)).code).toBe("INVALID_JSON");
    await pageObject(page_id).flush();
    await evictDurableObject(pageObject(page_id));
    expect((await sums(page_id)).flushed).toBe(6);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("F14: the clock 30 s back and forward: no event is lost or doubled, ids stay remembered", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    for (const [i, step_ms] of [0, -30_000, 30_000, 30_000, -30_000].entries()) {
      clock.advance(step_ms);
      for (const id of ["constant", `own-${i}`]) await beacon({ page_id, event_id: id });
      await pageObject(page_id).flush();
      await evictDurableObject(pageObject(page_id));
    }
    expect(await sums(page_id)).toEqual({ accepted: 6, flushed: 6, pending: 0 });
  });

  test("F14: an id is remembered for an hour of true time although the clock jumps ahead 30 s", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await beacon({ page_id, event_id: "e" });
    await pageObject(page_id).flush();
    clock.advance(HOUR_MS + 30_000 - 1);
    await evictDurableObject(pageObject(page_id));
    expect(await outcomeOf(page_id, "e")).toBe("duplicate");
  });
});
