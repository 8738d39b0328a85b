/** The route that reads a page elsewhere, by the rules of docs/security.md S27. `outside.ts` is the Internet. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { errorOf, freshDay, useUpDay } from "../../kit/kit.ts";
import { creator } from "../authoring-kit.ts";
import { everything } from "./transfer-kit.ts";

interface ReadAnswer {
  ok: true;
  address: string;
  name: string;
  bio: string;
  picture: { type: string; data: string } | null;
  links: { label: string; url: string | null; kind?: string }[];
  left_out: number;
}

const USER = "demo-business";
const PATH = "/api/me/pages/read";

/** Asks for it on a fresh day. */
async function ask(address: unknown): Promise<Response> {
  const { send } = await creator(USER);
  await freshDay(USER);
  return send("POST", PATH, { address });
}

async function read(address: string): Promise<ReadAnswer> {
  const response = await ask(address);
  expect([address, response.status]).toEqual([address, 200]);
  return response.json();
}

async function reasonFor(address: string): Promise<unknown> {
  const response = await ask(address);
  const { code, details } = await errorOf(response);
  expect([address, response.status, code]).toEqual([address, 422, "PAGE_UNREADABLE"]);
  expect(details).toMatchObject({
    text: expect.stringMatching(/\p{L}/u),
    text_en: expect.any(String),
  });
  return details.reason;
}

test("a page elsewhere is read with its picture, and nothing is stored", async () => {
  const stored = await everything();
  const { picture, ...page } = await read("salma.example/page");
  expect(page).toEqual({
    ok: true,
    address: "https://salma.example/page",
    name: "سلمى",
    bio: "",
    links: [{ label: "متجر", url: "https://shop.example/" }],
    left_out: 0,
  });
  expect(picture?.type).toBe("image/jpeg");
  const bytes = Uint8Array.fromBase64(picture?.data ?? "");
  // Without the photograph's place.
  expect(new TextDecoder("latin1").decode(bytes)).not.toMatch(/Secret/);
  expect(await everything()).toBe(stored);
});

test("Linktree's page comes with headings, icons and its title", async () => {
  const page = await read("https://linktr.example/file/linktree-2025.html");
  expect(page.name).toBe("salma.attar");
  expect(page.links.map(({ label, kind }) => [label, kind])).toContainEqual(["Shops", "heading"]);
  expect(page.links.map(({ label, kind }) => [label, kind])).toContainEqual(["X", "social"]);
  // Its own picture is at a host that answers 404.
  expect(page.picture).toBeNull();
});

test.each([
  "  linktr.example/page ",
  "http://linktr.example/page",
  "HTTPS://LINKTR.example:443/page",
  "\u200elinktr.example/page\u200b",
  "//linktr.example/page",
])("the scheme of %j may be missing or http", async (address) => {
  expect((await read(address)).address).toBe("https://linktr.example/page");
});

test.each([
  ...[
    "",
    " ",
    "salma",
    "@salma.attar",
    "salma@example.com",
    "+966501234567",
    "javascript:alert(1)",
  ],
  ...[
    "ftp://a.example/",
    "https://u@a.example/",
    "https://u:p@a.example/",
    "https://a.example:8443/",
  ],
  ...["https://127.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://017700000001/"],
  ...[
    "https://1.1.1.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[2606:4700::1111]/",
  ],
  ...[
    "https://localhost/",
    "https://a.localhost/",
    "https://a.example./",
    "https://metadata.google.internal/",
  ],
  ...["https://①②⑦.⓪.⓪.①/", "https://intranet/", "http://169.254.169.254/latest/meta-data"],
  `https://a.example/${"a".repeat(2_048)}`,
])("%j is no address of a page", async (address) => {
  const response = await ask(address);
  const { code, details } = await errorOf(response);
  expect([response.status, code]).toEqual([400, "VALIDATION_FAILED"]);
  expect(details).toMatchObject({ issues: [{ path: "address" }] });
});

test("anything else in the body is refused, and a large body", async () => {
  const { send } = await creator(USER);
  const statusOf = async (body: unknown) => (await send("POST", PATH, body)).status;
  expect(await statusOf({})).toBe(400);
  expect(await statusOf({ address: 1 })).toBe(400);
  expect(await statusOf({ address: "a.example", store: true })).toBe(400);
  expect(await statusOf({ address: "a".repeat(8_192) })).toBe(413);
});

test("redirects are followed five times, each to where a first request might go", async () => {
  expect((await read("https://a.example/hops/5")).address).toBe("https://a.example/page");
  expect(await reasonFor("https://a.example/hops/6")).toBe("failed");
  expect(await reasonFor("https://a.example/to/%2Fto%2F%252Fto")).toBe("failed");
  const to = (address: string) => `https://a.example/to/${encodeURIComponent(address)}`;
  expect((await read(to("https://b.example/page"))).address).toBe("https://b.example/page");
  for (const address of [
    ...["http://b.example/page", "https://127.0.0.1/page", "https://[::ffff:7f00:1]/page"],
    ...["https://localhost/page", "https://b.example:444/page", "https://u@b.example/page"],
    ...[
      "https://169.254.169.254/",
      "data:text/html,x",
      "file:///etc/passwd",
      "https://2130706433/page",
    ],
  ]) {
    expect([address, await reasonFor(to(address))]).toEqual([address, "failed"]);
  }
  expect(await reasonFor(to(""))).toBe("failed");
  expect(await reasonFor(to("https://sila.example/demo"))).toBe("own_page");
});

test("a page of this service is already here; nothing is charged for it", async () => {
  const { send } = await creator(USER);
  await useUpDay(USER, "page_reads_day", 10);
  for (const address of [
    "sila.example/demo",
    "https://SILA.example:443/",
    "http://sila.example/demo",
  ]) {
    const response = await send("POST", PATH, { address });
    expect((await errorOf(response)).details).toMatchObject({ reason: "own_page" });
  }
});

test.each([
  ["status/404", "not_found"],
  ["status/410", "not_found"],
  ["status/403", "blocked"],
  ["status/429", "blocked"],
  ["status/503", "blocked"],
  ["status/500", "failed"],
  ["status/304", "failed"],
  ["status/204", "failed"],
  ["file/challenge.html", "blocked"],
  ["to/%2Faccounts%2Flogin%2F", "not_found"],
  ["type/application%2Fpdf", "not_html"],
  ["type/text%2Fplain", "not_html"],
  ["type/text%2Fhtml", "no_links"],
  ["bomb", "too_large"],
])("%s is refused: %s", async (path, reason) => {
  expect(await reasonFor(`https://a.example/${path}`)).toBe(reason);
});

test("1 MiB is read, and of more the first 1 MiB", async () => {
  expect(await reasonFor("https://a.example/bytes/0")).toBe("no_links");
  expect(await reasonFor("https://a.example/bytes/1")).toBe("too_large");
  const page = await read("https://a.example/bytes/1/Shop");
  expect(page.links).toEqual([{ label: "Shop", url: "https://x.example/" }]);
});

test("a page may name its encoding itself", async () => {
  expect((await read("https://a.example/windows")).name).toBe("مر");
});

test("a request names the service, and carries nothing else of anybody", async () => {
  const { links } = await read("https://a.example/headers");
  expect(links.map(({ label }) => label)).toEqual([
    expect.stringMatching(/^user-agent: Sila \(\+https:\/\/github\.com\//),
    ...["cookie: null", "referer: null", "authorization: null", "accept: text/html"],
  ]);
});

test("a picture follows the page's rules; without it the page is read all the same", async () => {
  const pictured = async (address: string) =>
    (await read(`https://a.example/pictured/${encodeURIComponent(address)}`)).picture;
  expect(await pictured("https://b.example/picture")).toMatchObject({ type: "image/jpeg" });
  expect(await pictured("https://b.example/hops/1")).toBeNull();
  for (const address of [
    ...["http://b.example/picture", "https://127.0.0.1/picture", "https://sila.example/picture"],
    ...["https://b.example/status/404", "https://b.example/drawing", "https://b.example/bytes/1"],
    ...["https://b.example/to/http%3A%2F%2Fb.example%2Fpicture"],
  ]) {
    expect([address, await pictured(address)]).toEqual([address, null]);
  }
});

test("ten fetches a day, of pages and pictures together", async () => {
  const { send } = await creator(USER);
  const picture = async () => {
    const response = await send("POST", PATH, { address: "a.example/page" });
    return (await response.json<ReadAnswer>()).picture;
  };
  await useUpDay(USER, "page_reads_day", 8);
  expect(await picture()).not.toBeNull();
  await useUpDay(USER, "page_reads_day", 9);
  expect(await picture()).toBeNull();
  const refused = await send("POST", PATH, { address: "a.example/page" });
  expect(refused.status).toBe(429);
  expect(await errorOf(refused)).toMatchObject({
    code: "DAY_LIMIT",
    details: { scope: "page_reads_day", limit: 10, window_s: 86_400 },
  });
});

const LIMITS = { own_hosts: [], allows_loopback: false };

test("a server that does not end its answer is left when the time is over", async () => {
  for (const path of ["drip", "silent"]) {
    const address = `https://a.example/${path}`;
    expect(await env.WORKSHOP.readPage(address, LIMITS, 200)).toEqual({
      page: null,
      fault: "late",
    });
    expect(await env.WORKSHOP.readPagePicture(address, LIMITS, 200)).toBeNull();
  }
});

test("a client that goes away leaves nothing behind, and the next one is answered", async () => {
  const { headers } = await creator(USER);
  await freshDay(USER);
  const stored = await everything();
  const gone = new AbortController();
  const { call } = await import("../../kit/kit.ts");
  const body = JSON.stringify({ address: "a.example/silent" });
  const asked = call(PATH, { method: "POST", headers, body, signal: gone.signal });
  gone.abort();
  await expect(asked).rejects.toThrow();
  expect(await everything()).toBe(stored);
  expect((await read("a.example/page")).ok).toBe(true);
});
