/** The page of a tip: forms without a script, from the block to what became of the tip. */

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { KEY_KEPT_MS } from "../../../objects/blocks/tips/tip-book.ts";
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { newKey } from "../../../src/blocks/tips/tip-draft.ts";
import { TIP_TEXTS } from "../../../src/blocks/tips/tip-texts.ts";
import { RETURN_TO_CHARS_MAX } from "../../../src/http/limits.ts";
import { TIP_MESSAGE_CHARS_MAX, TIP_POINTS_MAX } from "../../../src/pages/document/limits.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { breakReads } from "../kit/faults.ts";
import { hubBooks, hubFault, mendHub, revoke, signIn } from "../kit/hub-kit.ts";
import { call, ORIGIN } from "../kit/kit.ts";

type Creator = Awaited<ReturnType<typeof creator>>;
let owner: Creator;
let cookie: string;
/** An open jar, for tests that do not change it. */
let jar: { page_id: string; link_id: string };

beforeAll(async () => {
  owner = await creator("demo-business");
  jar = await jarPage();
});
beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  cookie = await signIn("demo-pro");
});

const JAR = { kind: "tip", label: {}, block: { amounts: [5, 10] } };
const FORM = "application/x-www-form-urlencoded";

function publish(link: object = {}) {
  return owner.make({
    slug: owner.slug(),
    status: "published",
    locales: ["en"],
    name: { en: "Layan" },
    links: [{ ...JAR, ...link }],
  });
}

async function jarPage(link: object = {}) {
  const page = await publish(link);
  return { page_id: page.page_id, link_id: page.links[0]?.link_id ?? "" };
}

const HTML = { Accept: "text/html" };

function get(address: string, by: string | null): Promise<Response> {
  return call(address, { headers: { ...HTML, ...(by === null ? {} : { Cookie: by }) } });
}

/** The page, and the confirmation to which it redirects. */
async function open(fields: Record<string, string>, by: string | null = cookie): Promise<Response> {
  const response = await get(`/tip?${new URLSearchParams({ lang: "en", ...fields })}`, by);
  return response.status === 303 ? get(response.headers.get("Location") ?? "", by) : response;
}

/** What the form sends: the fields of its address, and the token. */
async function formOf(response: Response): Promise<Record<string, string>> {
  const html = await response.text();
  const [, query = "", csrf_token = ""] =
    /action="\/tip\?([^"#]*)#send"><input type="hidden" name="csrf_token" value="([^"]*)"/.exec(
      html,
    ) ?? [];
  return { ...Object.fromEntries(new URLSearchParams(query.replaceAll("&amp;", "&"))), csrf_token };
}

function post(
  { csrf_token = "", ...fields }: Record<string, string>,
  { by = cookie, headers = {} }: { by?: string | null; headers?: Record<string, string> } = {},
): Promise<Response> {
  return call(`/tip?${new URLSearchParams(fields)}`, {
    method: "POST",
    headers: {
      ...HTML,
      "Content-Type": FORM,
      Origin: ORIGIN,
      "Sec-Fetch-Site": "same-origin",
      ...(by === null ? {} : { Cookie: by }),
      ...headers,
    },
    body: new URLSearchParams({ csrf_token }).toString(),
  });
}

async function stepOf(response: Response): Promise<[number, string | undefined]> {
  return [response.status, /data-step="(\w+)"/.exec(await response.text())?.[1]];
}

/** The page to which the way through sign-in leads back. */
function signedInAgain(html: string, by: string): Promise<Response> {
  const [, address = ""] = /href="\/api\/auth\/login\?return_to=([^"]+)"/.exec(html) ?? [];
  return get(decodeURIComponent(address), by);
}

/** The hub keeps its books from one test file to the next. */
let before: ReadonlySet<string> = new Set();
beforeEach(async () => {
  before = new Set((await hubBooks()).map(({ id }) => id));
});

/** The transfers of so many points that the test has made. */
async function booked(points: number) {
  const made = (await hubBooks()).filter(({ id }) => !before.has(id));
  return made.filter((transfer) => transfer.points === points);
}

test("opening the page sends nothing; its form sends one tip, however often it is sent", async () => {
  const form = await formOf(await open({ ...jar, points: "31" }));
  expect(form).toMatchObject({ ...jar, points: "31" });
  expect(await booked(31)).toEqual([]);
  const answers = [await post(form), await post(form)];
  for (const answer of answers) expect(await stepOf(answer)).toEqual([200, "sent"]);
  expect(await booked(31)).toHaveLength(1);
});

test("the key is the confirmation's: going back and reloading show what became of its tip", async () => {
  const block = `/tip?${new URLSearchParams({ ...jar, points: "own", own: "٤٥" })}`;
  const { status, headers } = await get(block, cookie);
  expect([status, headers.get("Cache-Control")]).toEqual([303, "no-store"]);
  const confirmation = headers.get("Location") ?? "";
  const form = await formOf(await get(confirmation, cookie));
  expect(await formOf(await get(confirmation, cookie))).toEqual(form);
  expect(form).toMatchObject(Object.fromEntries(new URL(confirmation, ORIGIN).searchParams));
  await hubFault("/api/wallet/transfers", "lost");
  await post(form);
  expect(await stepOf(await get(confirmation, cookie))).toEqual([502, "again"]);
  await mendHub();
  await post(form);
  expect(await stepOf(await get(confirmation, cookie))).toEqual([200, "sent"]);
  expect(await booked(45)).toHaveLength(1);
  // Pressed in the block again, it is another tip.
  expect((await get(block, cookie)).headers.get("Location")).not.toBe(confirmation);
});

test("while the sender's object does not answer, a confirmation can be sent all the same", async () => {
  const form = await formOf(await open({ ...jar, points: "46" }));
  const { getByName } = env.TIPS;
  vi.spyOn(Object.getPrototypeOf(env.TIPS), "getByName").mockImplementation(function (
    this: DurableObjectNamespace,
    name,
  ) {
    if (name === "demo-pro") throw new Error("the object fails");
    return getByName.call(this, String(name));
  });
  const { csrf_token, ...fields } = form;
  expect(await formOf(await open(fields))).toEqual(form);
});

test("a confirmation of an hour before its key is forgotten sends nothing, and leads to a new one", async () => {
  const form = await formOf(await open({ ...jar, points: "47" }));
  expect(await stepOf(await post(form))).toEqual([200, "sent"]);
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + KEY_KEPT_MS - HOUR_MS + 2_000);
  const { csrf_token, ...fields } = form;
  for (const answer of [await post(form), await open(fields)]) {
    const [, anew = ""] =
      /class="other-way" href="([^"]+)"/.exec(await answer.clone().text()) ?? [];
    expect(await stepOf(answer)).toEqual([409, "over"]);
    expect((await get(anew.replaceAll("&amp;", "&"), cookie)).status).toBe(303);
  }
  expect(await booked(47)).toHaveLength(1);
});

test("a key with another amount sends nothing, and leads to a new confirmation", async () => {
  const { csrf_token = "", ...fields } = await formOf(await open({ ...jar, points: "48" }));
  await post({ ...fields, csrf_token });
  const other = { ...fields, points: "49" };
  expect(await stepOf(await post({ ...other, csrf_token }))).toEqual([409, "over"]);
  expect(await stepOf(await open(other))).toEqual([409, "over"]);
  expect(await booked(49)).toEqual([]);
});

test("a new confirmation names the tip to the page of some minutes ago, whose answer may have been lost", async () => {
  const here = await jarPage();
  const elsewhere = await jarPage();
  const said = async (at: typeof jar) => {
    const html = await (await open({ ...at, points: "7" })).text();
    return [TIP_TEXTS.en.sent_before, TIP_TEXTS.en.asked_before].map((words) =>
      html.includes(words("51 points")),
    );
  };
  await hubFault("/api/wallet/transfers", "lost");
  await post(await formOf(await open({ ...here, points: "51" })));
  expect(await said(here)).toEqual([false, true]);
  await mendHub();
  await runDurableObjectAlarm(env.TIPS.getByName("demo-pro"));
  expect(await said(elsewhere)).toEqual([false, false]);
});

test("without a session the page leads through sign-in with all of the longest message", async () => {
  const message = "🌸".repeat(TIP_MESSAGE_CHARS_MAX);
  const key = newKey(Date.now());
  const response = await open({ ...jar, points: String(TIP_POINTS_MAX), message, key }, null);
  const html = await response.text();
  expect(html).toContain('data-step="sign_in"');
  const [, address = ""] = /return_to=([^"]+)"/.exec(html) ?? [];
  const return_to = ORIGIN + decodeURIComponent(address);
  expect(return_to.length).toBeLessThanOrEqual(RETURN_TO_CHARS_MAX);
  const back = await signedInAgain(html, cookie);
  expect(await back.clone().text()).toContain(`>${message}</blockquote>`);
  expect(await formOf(back)).toMatchObject({ ...jar, points: String(TIP_POINTS_MAX), key });
});

test("a session that ended while the page was open keeps the tip and sends nothing", async () => {
  const form = await formOf(await open({ ...jar, points: "32", message: "hello" }));
  expect(await stepOf(await post(form, { by: null }))).toEqual([401, "sign_in"]);
  await revoke("demo-pro");
  expect(await stepOf(await post(form))).toEqual([401, "sign_in"]);
  expect(await booked(32)).toEqual([]);
});

test.each([
  ["from another site", {}, { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }],
  ["without the session's token", { csrf_token: "0".repeat(64) }, {}],
  ["without a token", { csrf_token: "" }, {}],
])("S5: a form %s is refused", async (_, fields, headers) => {
  const form = await formOf(await open({ ...jar, points: "33" }));
  expect((await post({ ...form, ...fields }, { headers })).status).toBe(403);
  expect(await booked(33)).toEqual([]);
});

test("without a key, and as another type, nothing is sent", async () => {
  const form = await formOf(await open({ ...jar, points: "34" }));
  expect((await post({ ...form, key: "" })).status).toBe(400);
  const text = { headers: { "Content-Type": "text/plain" } };
  expect((await post(form, text)).status).toBe(403);
  expect((await post(form, { ...text, by: null })).status).toBe(415);
  expect(await booked(34)).toEqual([]);
});

test.each([
  [{ points: "own", own: "١٬٢٣٤" }, "1234"],
  [{ points: "own", own: " 1 234 " }, "1234"],
  [{ points: String(TIP_POINTS_MAX) }, String(TIP_POINTS_MAX)],
  // The field of one's own amount is hidden then.
  [{ points: "10", own: "99" }, "10"],
])("an amount is read as people write it: %j", async (fields, points) => {
  expect((await formOf(await open({ ...jar, ...fields }))).points).toBe(points);
});

test.each([
  [{ points: String(TIP_POINTS_MAX + 1) }],
  [{ points: "0" }],
  [{ points: "1.5" }],
  [{ points: "own", own: "" }],
  [{ points: "5", message: "x".repeat(TIP_MESSAGE_CHARS_MAX + 1) }],
])("what cannot be sent is asked for again: %j", async (fields) => {
  expect(await stepOf(await open({ ...jar, ...fields }))).toEqual([200, "correct"]);
});

test("an unknown outcome is learnt after signing in again, by the same key", async () => {
  const form = await formOf(await open({ ...jar, points: "36" }));
  await hubFault("/api/wallet/transfers", "lost");
  expect((await post(form)).status).toBe(502);
  await mendHub();
  const over = await post(form, { by: null });
  expect(over.status).toBe(401);
  cookie = await signIn("demo-pro");
  const again = await formOf(await signedInAgain(await over.text(), cookie));
  expect(again.key).toBe(form.key);
  expect(await stepOf(await post(again))).toEqual([200, "sent"]);
  expect(await booked(36)).toHaveLength(1);
});

test("a form of a session before this one is shown again with its key and the new token, and sends nothing", async () => {
  const form = await formOf(await open({ ...jar, points: "37" }));
  cookie = await signIn("demo-pro");
  const shown = await post(form);
  const again = await formOf(shown.clone());
  expect(await stepOf(shown)).toEqual([403, "confirm"]);
  expect(again).toEqual({ ...form, csrf_token: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(again.csrf_token).not.toBe(form.csrf_token);
  expect(await booked(37)).toEqual([]);
  expect(await stepOf(await post(again))).toEqual([200, "sent"]);
});

test.each<[string, string, number, () => unknown]>([
  // The hub makes the transfer then.
  ["the hub's answer is lost", "35", 502, () => hubFault("/api/wallet/transfers", "lost")],
  ["D1 fails", "41", 503, breakReads],
  ["D1 and the hub fail", "42", 502, () => [breakReads(), hubFault("*", "down")]],
  ["the limiter fails", "43", 503, breakLimiter],
])("while %s the page is a form with the same key", async (_, points, status, breakIt) => {
  const form = await formOf(await open({ ...jar, points }));
  await breakIt();
  const response = await post(form);
  expect(await formOf(response.clone())).toEqual(form);
  expect(await stepOf(response)).toEqual([status, "again"]);
  vi.restoreAllMocks();
  await mendHub();
  expect(await stepOf(await post(form))).toEqual([200, "sent"]);
  expect(await booked(Number(points))).toHaveLength(1);
});

test("a form that has sent its tip says so also once its page is a draft", async () => {
  const page = await publish();
  const { page_id } = page;
  const form = await formOf(await open({ page_id, points: "44" }));
  expect(await stepOf(await post(form))).toEqual([200, "sent"]);
  await owner.patch(page, { status: "draft" });
  expect((await open({ page_id, points: "44" })).status).toBe(404);
  const { csrf_token, ...fields } = form;
  for (const answer of [await post(form), await open(fields)])
    expect(await stepOf(answer)).toEqual([200, "sent"]);
  expect((await post({ ...form, key: newKey(Date.now()) })).status).toBe(404);
});

function breakLimiter(): void {
  vi.spyOn(Object.getPrototypeOf(env.LIMITER), "getByName").mockImplementation(() => {
    throw new Error("the limiter fails");
  });
}

test("a key in the address that no form made is not used", async () => {
  for (const key of ["", "short", "<script>alert(1)</scr"]) {
    const form = await formOf(await open({ ...jar, points: "5", key }));
    expect(form.key).toMatch(/^\w+\.[\w-]{22}$/);
  }
});

test("too few points and one's own page are said in words", async () => {
  const form = await formOf(await open({ ...jar, points: String(TIP_POINTS_MAX) }));
  expect(await stepOf(await post(form))).toEqual([402, "not_enough"]);
  const own = await open({ ...jar, points: "5" }, await signIn("demo-business"));
  expect(await stepOf(own)).toEqual([200, "own_page"]);
});

test("a jar that is switched off, and one that is not there, have no page", async () => {
  const { page_id } = await jarPage({ enabled: false });
  expect((await open({ page_id, points: "5" })).status).toBe(410);
  expect((await open({ page_id, link_id: "other", points: "5" })).status).toBe(404);
  expect((await open({ page_id: "none", points: "5" })).status).toBe(404);
});

test("names and messages are text", async () => {
  const message = '<script>alert(1)</script>"';
  const html = await (await open({ ...jar, points: "5", message })).text();
  expect(html).not.toContain("<script>alert");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;");
});
