/** The check of hubs (`test/hub-check`) names the rules that a wrong hub breaks, and no others. */

import { setTimeout as pause } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DemoHub } from "../hub-check/demo-hub.ts";
import { judgeHub, type Verdict } from "../hub-check/judge.ts";
import { DIRECT, newKey, PROMPT, SMALL, TRANSFERS } from "../hub-check/trial.ts";

const CLOSE = `${TRANSFERS}/close`;
/** Milliseconds for which a slow hub works at a transfer. */
const SLOW_MS = 50;
/** A Cookie header with a session of the demo. */
const COOKIE_CHARS = "hub_session=".length + 43;

const RULE = {
  health: "a hub that is up says so",
  session: "a session tells its user, and until when it lasts",
  strangers: "no cookie, and an empty, unknown or overlong one sign nobody in",
  wallet: "a wallet tells its points as integers",
  wallets: "nobody's wallet is told to those who are not signed in",
  moves: "a transfer moves its points from the one wallet to the other",
  repeated: "a transfer that is repeated with its key moves points once",
  crowd: "20 transfers at once with one key move points once",
  used: "a key that was used is refused for another amount or recipient",
  apart: "the keys of two users are apart",
  tooMany: "more points than the user has are refused, and none moves",
  signedOut: "those who are not signed in move nothing",
  malformed: "a malformed transfer is refused and moves nothing",
  completed: "the close of a transfer that was made is completed, with its id",
  void: "a key without a transfer is closed as void, and refused from then on",
  meeting: "a close that meets its transfer is completed, or void and the transfer refused",
  signed: "a close that is not signed with the secret, now, closes nothing",
  overspent: "transfers at once never spend more than there is",
  all: "a user can send all that they have",
  back: "what has arrived can be sent on",
  logout: "a session that was logged out is over for good, and no other one",
  over: "a session that is over reads no wallet and moves nothing",
  prompt: PROMPT,
  small: SMALL,
  direct: DIRECT,
};
type Names = (keyof typeof RULE)[];

let demo: DemoHub;
beforeAll(async () => {
  demo = await DemoHub.start();
});
afterAll(() => demo.stop());

const broken = (verdicts: readonly Verdict[]) =>
  verdicts.filter(({ outcome }) => outcome === "broken").map(({ rule }) => rule);

test.each<[fault: string, path: string, breaks: Names]>([
  ["wrong", "/api/session", ["session", "strangers"]],
  ["huge", "/api/session", ["small"]],
  ["redirect", "/api/session", ["direct"]],
  ["down", "/health", ["health"]],
  ["wrong", "/api/wallet", ["wallet", "wallets"]],
  ["lost", TRANSFERS, ["moves"]],
  ["wrong", CLOSE, ["apart", "completed", "void", "signed"]],
])("the fault %s at %s is named", async (fault, path, breaks) => {
  await demo.hub.control("PUT", "/fault", { path, fault });
  try {
    const verdicts = await judgeHub(await demo.underTest());
    expect(broken(verdicts)).toEqual(breaks.map((name) => RULE[name]));
  } finally {
    await demo.hub.control("PUT", "/fault", { path: "*", fault: null });
  }
});

/** A request of the check. */
interface Heard {
  path: string;
  key: string;
  cookie: string;
  body: string;
  headers: Headers;
}

interface Front {
  /** Asks the demo hub, with what is changed. */
  ask(changed?: Partial<Heard>): Promise<Response>;
  /** The headers of a close, by default of one that is signed now. */
  sign(body: string, id?: string, time_s?: number): Headers;
}

/** A hub that is wrong in one thing, made of the right one. */
type Wrong = (heard: Heard, front: Front) => Promise<Response>;

const json = (status: number, body: unknown) => Response.json(body, { status });

/** Changes how transfers are made. */
const atTransfers =
  (wrong: Wrong): Wrong =>
  (heard, front) =>
    heard.path === TRANSFERS ? wrong(heard, front) : front.ask();

const atClose =
  (wrong: Wrong): Wrong =>
  (heard, front) =>
    heard.path === CLOSE ? wrong(heard, front) : front.ask();

/** Changes the JSON of answers with status 200. */
const telling =
  (path: string, change: (answer: Record<string, unknown>) => unknown): Wrong =>
  async (heard, front) => {
    const answer = await front.ask();
    if (heard.path !== path || answer.status !== 200) return answer;
    return json(200, change((await answer.json()) as Record<string, unknown>));
  };

/** Counts by a name while something goes on. */
class Underway {
  readonly #names: string[] = [];

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  get others(): number {
    return new Set(this.#names).size;
  }

  async during<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#names.push(name);
    try {
      return await work();
    } finally {
      this.#names.splice(this.#names.indexOf(name), 1);
    }
  }
}

const WRONG: [is: string, breaks: Names, wrong: () => Wrong][] = [
  [
    "moves points each time that a transfer is repeated, and tells the first id",
    ["repeated"],
    () => {
      const made = new Map<string, string>();
      return atTransfers(async ({ key, body }, { ask }) => {
        const first = made.get(key + body);
        if (first !== undefined) {
          await ask({ key: newKey() });
          return new Response(first, { status: 201 });
        }
        const answer = await ask();
        if (answer.status === 201) made.set(key + body, await answer.clone().text());
        return answer;
      });
    },
  ],
  [
    "looks at a key before it notes the transfer, so that those at once all move points",
    ["crowd"],
    () => {
      const underway = new Underway();
      return atTransfers(({ key }, { ask }) => {
        const changed = underway.has(key) ? { key: newKey() } : {};
        return underway.during(key, () => ask(changed));
      });
    },
  ],
  [
    "answers a used key as before, whatever is ordered with it",
    ["used"],
    () => {
      const made = new Map<string, string>();
      return atTransfers(async ({ key, cookie }, { ask }) => {
        const first = made.get(key + cookie);
        if (first !== undefined) return new Response(first, { status: 201 });
        const answer = await ask();
        if (answer.status === 201) made.set(key + cookie, await answer.clone().text());
        return answer;
      });
    },
  ],
  [
    "closes a key for all users",
    ["apart"],
    () => {
      const closed = new Set<string>();
      return async ({ path, key, body }, { ask }) => {
        if (path === TRANSFERS && closed.has(key)) return json(410, {});
        const answer = await ask();
        if (path === CLOSE && answer.status === 200) closed.add(JSON.parse(body).key);
        return answer;
      };
    },
  ],
  [
    "sends one point where there are too few",
    ["tooMany", "overspent"],
    () =>
      atTransfers(async ({ body }, { ask }) => {
        const answer = await ask();
        if (answer.status !== 402) return answer;
        await ask({ key: newKey(), body: JSON.stringify({ ...JSON.parse(body), points: 1 }) });
        return answer;
      }),
  ],
  [
    "takes the last session where it knows none",
    ["signedOut", "over"],
    () => {
      let last = "";
      return atTransfers(async ({ cookie }, { ask }) => {
        const answer = await ask();
        if (answer.status === 401) return ask({ cookie: last });
        last = cookie;
        return answer;
      });
    },
  ],
  [
    "takes a transfer without a key",
    ["malformed"],
    () => atTransfers(({ key }, { ask }) => ask({ key: key || newKey() })),
  ],
  [
    "says yes to all transfers at once",
    ["overspent"],
    () => {
      const underway = new Underway();
      return atTransfers(({ key }, { ask }) =>
        underway.during(key, async () => {
          const answer = await ask();
          const is_crowded = underway.others > 1 && answer.status === 402;
          return is_crowded ? json(201, { id: newKey(), status: "completed" }) : answer;
        }),
      );
    },
  ],
  [
    "says that there are too few points while another transfer is under way",
    ["overspent"],
    () => {
      const underway = new Underway();
      return atTransfers(({ key }, { ask }) => {
        if (underway.others > 0 && !underway.has(key)) return Promise.resolve(json(402, {}));
        return underway.during(key, () => ask());
      });
    },
  ],
  [
    "keeps one point back",
    ["all"],
    () =>
      atTransfers(async ({ body }, { ask }) => {
        const wallet = await ask({ path: "/api/wallet", body: "", key: "" });
        const { points } = (await wallet.json()) as { points?: number };
        return points && body.includes(`"points":${points},`) ? json(402, {}) : ask();
      }),
  ],
  [
    "forgets which keys were closed",
    ["void", "meeting"],
    () => {
      const closing = new Map<string, Promise<unknown>>();
      return async ({ path, key, body }, { ask }) => {
        if (path === CLOSE) {
          const answer = ask();
          closing.set(JSON.parse(body).key, answer);
          return answer;
        }
        await closing.get(key);
        const answer = await ask();
        return answer.status === 410 ? ask({ key: newKey() }) : answer;
      };
    },
  ],
  [
    "closes a key as void while its transfer is under way",
    ["meeting"],
    () => {
      const underway = new Underway();
      return async ({ path, key, body }, { ask }) => {
        if (path === CLOSE && underway.has(JSON.parse(body).key))
          return json(200, { status: "void" });
        if (path !== TRANSFERS || key === "") return ask();
        return underway.during(key, async () => {
          await pause(SLOW_MS);
          return ask();
        });
      };
    },
  ],
  [
    "acknowledges transfers and moves nothing",
    ["moves"],
    () => atTransfers(async () => json(201, { id: newKey(), status: "completed" })),
  ],
  [
    "tells another id when it closes",
    ["completed"],
    () => telling(CLOSE, (answer) => ("id" in answer ? { ...answer, id: newKey() } : answer)),
  ],
  [
    "closes keys for everybody who sends a signature",
    ["signed"],
    () =>
      atClose(({ body, headers }, { ask, sign }) =>
        ask(headers.has("webhook-signature") ? { headers: sign(body) } : {}),
      ),
  ],
  [
    "does not look when a close was signed",
    ["signed"],
    () =>
      atClose(({ body, headers }, { ask, sign }) => {
        const [id, time] = [
          headers.get("webhook-id") ?? "",
          Number(headers.get("webhook-timestamp")),
        ];
        const right = sign(body, id, time).get("webhook-signature");
        return headers.get("webhook-signature") === right ? ask({ headers: sign(body) }) : ask();
      }),
  ],
  [
    "cuts a long cookie off",
    ["strangers", "wallets", "signedOut"],
    () =>
      ({ cookie }, { ask }) =>
        ask({ cookie: cookie.slice(0, COOKIE_CHARS) }),
  ],
  [
    "forgets to end a session",
    ["logout"],
    () =>
      async ({ path }, { ask }) =>
        path === "/api/logout" ? new Response(null, { status: 204 }) : ask(),
  ],
  [
    "never says that it is up",
    ["prompt"],
    () =>
      ({ path }, { ask }) =>
        path === "/health" ? Promise.withResolvers<Response>().promise : ask(),
  ],
];

/** Judges a hub that answers so. */
async function judge(wrong: Wrong): Promise<{ verdicts: Verdict[]; values: string[] }> {
  const right = await demo.underTest();
  const signer = new Webhook(right.secret);
  const sign = (body: string, id = "msg_1", time_s = Math.floor(Date.now() / 1_000)) =>
    new Headers({
      "webhook-id": id,
      "webhook-timestamp": String(time_s),
      "webhook-signature": signer.sign(id, new Date(time_s * 1_000), body),
    });
  const verdicts = await judgeHub({
    ...right,
    async fetch(request) {
      const { headers } = request;
      const heard: Heard = {
        path: new URL(request.url).pathname,
        key: headers.get("Idempotency-Key") ?? "",
        cookie: headers.get("Cookie") ?? "",
        body: await request.text(),
        headers,
      };
      const ask = (changed: Partial<Heard> = {}) => {
        const asked = { ...heard, ...changed };
        const sent = new Headers(asked.headers);
        for (const [name, value] of [
          ["Cookie", asked.cookie],
          ["Idempotency-Key", asked.key],
        ] as const) {
          if (value === "") sent.delete(name);
          else sent.set(name, value);
        }
        const is_read = ["/health", "/api/session", "/api/wallet"].includes(asked.path);
        const what = is_read ? {} : { method: "POST", body: asked.body };
        return fetch(right.url + asked.path, { ...what, headers: sent });
      };
      return wrong(heard, { ask, sign });
    },
  });
  return { verdicts, values: [right.session, right.otherSession, right.secret] };
}

describe("a hub that", () => {
  test.each(WRONG)("%s is named", async (_is, breaks, wrong) => {
    const { verdicts } = await judge(wrong());
    expect(broken(verdicts)).toEqual(breaks.map((name) => RULE[name]));
  });
});

test("what cannot be judged names a rule that is broken", async () => {
  const { verdicts } = await judge(telling("/api/session", () => ({})));
  const open = verdicts.filter(({ outcome }) => outcome === "open");
  expect(new Set(open.map(({ reason }) => reason))).toEqual(new Set([RULE.session]));
  expect(open.length).toBeGreaterThan(10);
});

test("where nothing answers, that alone is named, at once", async () => {
  const verdicts = await judgeHub({ ...(await demo.underTest()), url: "http://127.0.0.1:9" });
  expect(broken(verdicts)).toEqual([PROMPT]);
});

test("what a hub repeats of sessions and the secret is not shown", async () => {
  const { verdicts, values } = await judge(({ path, cookie }, { ask, sign }) =>
    path === "/api/wallet"
      ? Promise.resolve(new Response(cookie + [...sign("")].join(), { status: 500 }))
      : ask(),
  );
  const wallet = verdicts.find(({ rule }) => rule === RULE.wallet);
  expect(wallet?.reason).toContain('500 "hub_session=[secret]');
  for (const value of values) expect(JSON.stringify(verdicts)).not.toContain(value);
});
