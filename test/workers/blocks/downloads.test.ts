/** Downloads: who may have a file, how often, and which bytes of it. */
import {
  createExecutionContext,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";
import { rangeOf } from "../../../src/blocks/files/byte-range.ts";
import { attachment, servedType } from "../../../src/blocks/files/disposition.ts";
import { fileKey } from "../../../src/blocks/files/files-store.ts";
import { DOWNLOAD_LINK_DAYS_MAX, DOWNLOAD_TOKEN_HOURS } from "../../../src/blocks/files/limits.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { securityHeaders } from "../../../src/http/security-headers.ts";
import { readDownloads } from "../../../src/stats/downloads-store.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { stopClock } from "../kit/faults.ts";
import {
  errorOf,
  eventually,
  expectErrors,
  ownerCookie,
  pageObject,
  spelledOtherwise,
  sums,
} from "../kit/kit.ts";
import { bytesOf, follow, offer, upload, uses, visit } from "./files-kit.ts";

const CONTENT = bytesOf(10_000);
const HOUR_MS = 3_600_000;
const BOT = { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" };

const me = await creator();
const file = await upload(me, CONTENT, { type: "application/pdf" });

const bytes = async (response: Response) => new Uint8Array(await response.arrayBuffer());
/** The bytes that a person gets who follows this address. */
const download = async (path: string, headers: Record<string, string> = {}) =>
  bytes(await visit(await follow(path, { headers }), { headers }));
const code = async (response: Response) => [response.status, (await errorOf(response)).code];
const statusesOf = (addresses: string[]) =>
  Promise.all(
    addresses.map(async (address) => {
      const response = await visit(address);
      await response.arrayBuffer();
      return response.status;
    }),
  );
const REFUSED = [403, "DOWNLOAD_REFUSED"];
const EXPIRED = [410, "LINK_EXPIRED"];

async function linkOf(
  { page, link_id }: Awaited<ReturnType<typeof offer>>,
  body: Record<string, unknown> = {},
): Promise<string> {
  const path = `/api/me/pages/${page.page_id}/links/${link_id}/download-link`;
  const made = await me.send("POST", path, { expires_in_s: 3_600, ...body });
  expect(made.status).toBe(201);
  return (await made.json<{ url: string }>()).url;
}

describe("a free download", () => {
  test("is the file as an attachment, with both names, for nobody else's cache", async () => {
    const { path } = await offer(me, file.file_id);
    const address = await follow(path);
    const response = await visit(address);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": "10000",
      "content-disposition": `attachment; filename="_.pdf"; filename*=UTF-8''%D9%83%D8%AA%D8%A7%D8%A8.pdf`,
      "accept-ranges": "bytes",
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "x-robots-tag": "noindex, nofollow",
    });
    expect(response.headers.get("ETag")).toMatch(/^"[^"]+"$/);
    expect(await bytes(response)).toEqual(CONTENT);
  });

  test("that its creator says to be HTML acts nowhere", async () => {
    const active = await upload(me, bytesOf(10), { type: "text/html" });
    const response = await visit(await follow((await offer(me, active.file_id)).path));
    await bytes(response);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": expect.stringMatching(/^attachment;/),
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    });
  });

  test("is one use for each tap: two requests of one tap are the same use, from other addresses too", async () => {
    const offered = await offer(me, file.file_id, { uses_max: 2 });
    const { page_id } = offered.page;
    for (const tap of ["one", "one", "two"]) {
      expect(await download(`${offered.path}&t=${tap}`)).toEqual(CONTENT);
    }
    await eventually(async () => {
      expect(await uses(page_id).totals()).toMatchObject([{ uses: 2 }]);
    });
    const third = await visit(await follow(`${offered.path}&t=three`));
    expect(await code(third)).toEqual(EXPIRED);
    // What is no id gives a token of its own, as without one.
    expect(await follow(`${offered.path}&t=%20`)).not.toBe(await follow(`${offered.path}&t=%20`));
  });

  test("S24: a bot that follows the address of a tap first does not take the person's use", async () => {
    const offered = await offer(me, file.file_id);
    const { page_id } = offered.page;
    const tap = `${offered.path}&t=tap`;
    await download(tap, BOT);
    await download(tap);
    await eventually(async () => {
      expect(await uses(page_id).totals()).toMatchObject([{ uses: 1, bytes: 20_000 }]);
    });
    await eventually(async () => {
      expect((await pageObject(page_id).totals()).map(({ class: by }) => by).sort()).toEqual([
        "bot",
        "human",
      ]);
    });
  });

  test("counts as one click of the block with its bytes, however often it is resumed", async () => {
    const offered = await offer(me, file.file_id);
    const { page_id } = offered.page;
    const address = await follow(offered.path);
    for (const Range of ["bytes=0-99", "bytes=100-199", "bytes=200-"]) {
      await bytes(await visit(address, { headers: { Range } }));
    }
    const total = { link_id: offered.link_id, uses: 1, bytes: 10_000 };
    await eventually(async () => expect(await uses(page_id).totals()).toEqual([total]));
    await eventually(async () => expect((await sums(page_id)).accepted).toBe(1));
    expect(await pageObject(page_id).totals()).toMatchObject([
      { kind: "click", link_id: offered.link_id, class: "human", accepted: 1 },
    ]);
    await uses(page_id).flush();
    await uses(page_id).flush();
    const rows = await env.DB.prepare("SELECT * FROM downloads WHERE page_id = ?1").bind(page_id);
    expect((await rows.all()).results).toEqual([{ page_id, ...total }]);
  });

  test("by its owner or a bot is counted as that", async () => {
    const offered = await offer(me, file.file_id);
    const { page_id } = offered.page;
    for (const headers of [BOT, { Cookie: await ownerCookie(page_id) }]) {
      await download(offered.path, headers);
    }
    await eventually(async () => expect((await sums(page_id)).accepted).toBe(2));
    const classes = (await pageObject(page_id).totals()).map((total) => total.class).sort();
    expect(classes).toEqual(["bot", "owner"]);
    expect(await uses(page_id).totals()).toMatchObject([{ uses: 1 }]);
  });
});

describe("a range", () => {
  const of = (range: string, if_range?: string) =>
    rangeOf({ range, if_range }, { size: 10_000, etag: '"a"' });

  test.each<[string, ReturnType<typeof rangeOf>]>([
    ["bytes=0-0", { offset: 0, length: 1 }],
    ["bytes=9999-", { offset: 9_999, length: 1 }],
    ["bytes=-20000", { offset: 0, length: 10_000 }],
    ["BYTES=5000-999999", { offset: 5_000, length: 5_000 }],
    ["bytes=10000-", "outside"],
    ["bytes=-0", "outside"],
    ["bytes=999999999999999-", "outside"],
    ["bytes=0-1,4-5", null],
    ["bytes=2-1", null],
    ["items=0-1", null],
    ["bytes=-", null],
  ])("%s of 10,000 bytes is %j, where null is the whole file", (range, expected) => {
    expect(of(range)).toEqual(expected);
  });

  test("holds only for the file that If-Range names", () => {
    expect(of("bytes=0-9", '"a"')).toEqual({ offset: 0, length: 10 });
    for (const if_range of ['"other"', 'W/"a"', "Sun, 22 Nov 2026 00:00:00 GMT"]) {
      expect(of("bytes=0-9", if_range)).toBeNull();
    }
  });

  test("is 206 with exactly these bytes, or 416, which uses nothing up like 304", async () => {
    const offered = await offer(me, file.file_id, { uses_max: 1 });
    const address = await follow(offered.path);
    const outside = await visit(address, { headers: { Range: "bytes=10000-" } });
    expect(outside.headers.get("Content-Range")).toBe("bytes */10000");
    expect(await code(outside)).toEqual([416, "RANGE_NOT_SATISFIABLE"]);
    const etag = (await visit(address, { method: "HEAD" })).headers.get("ETag") ?? "";
    const same = await visit(address, { headers: { "If-None-Match": `W/"x", ${etag}` } });
    expect([same.status, same.headers.get("ETag")]).toEqual([304, etag]);
    expect(await uses(offered.page.page_id).totals()).toEqual([]);

    const part = await visit(address, { headers: { Range: "bytes=5000-6999" } });
    expect([part.status, part.headers.get("Content-Range")]).toEqual([
      206,
      "bytes 5000-6999/10000",
    ]);
    expect(part.headers.get("Content-Length")).toBe("2000");
    expect(await bytes(part)).toEqual(CONTENT.slice(5_000, 7_000));
    const headers = { Range: "bytes=0-9", "If-Range": '"other"' };
    const whole = await visit(address, { headers });
    expect([whole.status, await bytes(whole)]).toEqual([200, CONTENT]);
  });
});

test("a refusal is a page that a browser shows, not an attachment", async () => {
  const offered = await offer(me, file.file_id, { uses_max: 1 });
  await download(offered.path);
  const address = await follow(offered.path);
  const refused = await visit(address, { headers: { Accept: "text/html" } });
  expect(refused.status).toBe(410);
  expect(refused.headers.get("Content-Type")).toMatch(/^text\/html/);
  for (const name of ["Content-Disposition", "ETag", "Accept-Ranges", "Content-Length"]) {
    expect([name, refused.headers.get(name)]).toEqual([name, null]);
  }
  expect(await refused.text()).toContain(`href="/${offered.page.slug}"`);
});

describe("HEAD", () => {
  test("has every header of GET and uses nothing up, also not with a link", async () => {
    const offered = await offer(me, file.file_id, { uses_max: 1 });
    const address = await follow(offered.path, { method: "HEAD" });
    for (let i = 0; i < 3; i += 1) {
      const head = await visit(address, { method: "HEAD" });
      expect([head.status, head.headers.get("Content-Length")]).toEqual([200, "10000"]);
      expect((await bytes(head)).length).toBe(0);
    }
    expect(await uses(offered.page.page_id).totals()).toEqual([]);
    expect((await visit(address)).status).toBe(200);
    const other = await follow(offered.path);
    expect((await visit(other, { method: "HEAD" })).status).toBe(410);
  });
});

describe("a limit of uses", () => {
  test("admits exactly N of 4 N at once, and each again with its own token", async () => {
    const N = 5;
    const offered = await offer(me, file.file_id, { uses_max: N });
    const { page_id } = offered.page;
    const addresses = await Promise.all(Array.from({ length: 4 * N }, () => follow(offered.path)));
    const first = await statusesOf(addresses);
    expect(first.filter((status) => status === 200)).toHaveLength(N);
    expect(first.filter((status) => status === 410)).toHaveLength(3 * N);
    expect(await statusesOf(addresses)).toEqual(first);
    expect(await uses(page_id).totals()).toMatchObject([{ uses: N }]);
    await eventually(async () => expect((await sums(page_id)).accepted).toBe(N));
  });

  test("is not touched by bots and prefetches, which get 403, but go on with a person's use", async () => {
    const offered = await offer(me, file.file_id, { uses_max: 1 });
    const [address, fresh] = [await follow(offered.path), await follow(offered.path)];
    // The download managers of phones look like bots.
    const manager = { "User-Agent": "AndroidDownloadManager/14 (Linux; Android 14)" };
    for (const headers of [BOT, { "Sec-Purpose": "prefetch" }, manager]) {
      for (const path of [offered.path, address]) {
        expect(await code(await visit(path, { headers }))).toEqual(REFUSED);
      }
    }
    expect(await uses(offered.page.page_id).totals()).toEqual([]);
    const answers = [await visit(address), await visit(address, { headers: manager })];
    expect(await Promise.all(answers.map(bytes))).toEqual([CONTENT, CONTENT]);
    expect(await code(await visit(fresh, { headers: manager }))).toEqual(REFUSED);
    expect(await uses(offered.page.page_id).totals()).toMatchObject([{ uses: 1 }]);
  });

  test("that is raised admits the next, and one that is lowered nobody new", async () => {
    const offered = await offer(me, file.file_id, { uses_max: 1 });
    const [first, second] = [await follow(offered.path), await follow(offered.path)];
    expect((await visit(first)).status).toBe(200);
    expect(await code(await visit(second))).toEqual(EXPIRED);
    const [link] = offered.page.links;
    const block = { file_id: file.file_id, access: "free", uses_max: 2 };
    await me.patch(offered.page, { links: [{ ...link, block }] });
    expect((await visit(second)).status).toBe(200);
    expect((await visit(first)).status).toBe(200);
  });
});

describe("a token", () => {
  test("S28: is valid for an hour and no longer", async () => {
    const { path } = await offer(me, file.file_id);
    const clock = stopClock();
    clock.set(Math.ceil(Date.now() / 1_000) * 1_000);
    const address = await follow(path);
    clock.advance(DOWNLOAD_TOKEN_HOURS * HOUR_MS - 1);
    expect((await visit(address)).status).toBe(200);
    clock.advance(1);
    expect(await code(await visit(address))).toEqual(EXPIRED);
  });

  test("S28: cannot be changed, made up, or used for another file", async () => {
    const other = await upload(me, bytesOf(10));
    const address = new URL(await follow((await offer(me, file.file_id)).path));
    const token = address.searchParams.get("token") ?? "";
    const [payload = "", signature = ""] = token.slice(3).split(".");
    const json = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    const forged = btoa(JSON.stringify({ ...json, expires_s: json.expires_s + 1 }))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
    const flipped = `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`;
    for (const wrong of [
      "",
      "dl_",
      "x".repeat(2_000),
      spelledOtherwise(token),
      token.slice(0, -1),
      `${token}A`,
      `dl_${payload}.${flipped}`,
      `dl_${forged}.${signature}`,
      `xx_${payload}.${signature}`,
    ]) {
      const path = `/api/download/${file.file_id}?token=${encodeURIComponent(wrong)}`;
      expect(await code(await visit(path))).toEqual(REFUSED);
    }
    const path = `/api/download/${other.file_id}?token=${token}`;
    expect(await code(await visit(path))).toEqual(REFUSED);
    expect((await visit(address.href)).status).toBe(200);
  });

  test("S28: ends with its block: switched off, outside its times, for others only, removed, deleted", async () => {
    const offered = await offer(me, file.file_id);
    const { path, page } = offered;
    const address = await follow(path);
    const [link] = page.links;
    const now_s = Math.floor(Date.now() / 1_000);
    let { version } = page;
    const save = async (patch: unknown) => {
      ({ version } = await me.patch({ page_id: page.page_id, version }, patch));
      return [await visit(path), await visit(address)];
    };
    for (const members of [{ enabled: false }, { until: now_s }, { from: now_s + 3_600 }]) {
      const answers = await save({ links: [{ ...link, ...members }] });
      for (const answer of answers) expect(await code(answer)).toEqual(EXPIRED);
    }
    const block = { file_id: file.file_id, access: "link", uses_max: null };
    const [fresh, old] = await save({ links: [{ ...link, block }] });
    expect(await code(fresh as Response)).toEqual(REFUSED);
    expect(await code(old as Response)).toEqual(EXPIRED);
    for (const answer of await save({ links: [] })) {
      expect(await code(answer)).toEqual([404, "LINK_NOT_FOUND"]);
    }
    await save({ links: [link] });
    for (const answer of await save({ status: "draft" })) {
      expect(await code(answer)).toEqual([404, "PAGE_NOT_FOUND"]);
    }
  });
});

describe("a link of the creator", () => {
  test("gives everybody a token of their own, as many as it says, whatever the block asks for", async () => {
    const offered = await offer(me, file.file_id, { access: "link" });
    expect(await code(await visit(offered.path))).toEqual(REFUSED);
    const link = await linkOf(offered, { uses_max: 2 });
    expect(link).toContain("token=dl_");
    await visit(link, { method: "HEAD" });
    const tokens = await Promise.all([follow(link), follow(link), follow(link)]);
    expect(new Set(tokens).size).toBe(3);
    expect((await statusesOf(tokens)).sort()).toEqual([200, 200, 410]);
    const another = await follow(await linkOf(offered));
    expect((await visit(another)).status).toBe(200);
  });

  test("S28: ends when it says, to the second, with the tokens that were got by it", async () => {
    const offered = await offer(me, file.file_id, { access: "link" });
    const clock = stopClock();
    clock.set(Math.ceil(Date.now() / 1_000) * 1_000);
    const link = await linkOf(offered, { expires_in_s: 60 });
    const own = await follow(link);
    clock.advance(59_999);
    expect((await visit(own)).status).toBe(200);
    await follow(link);
    clock.advance(1);
    expect(await code(await visit(own))).toEqual(EXPIRED);
    expect(await code(await visit(link))).toEqual(EXPIRED);
  });

  test("is valid for 30 days at most, and for a download of one's own page", async () => {
    const { page, link_id } = await offer(me, file.file_id);
    const path = `/api/me/pages/${page.page_id}/links/${link_id}/download-link`;
    const max = DOWNLOAD_LINK_DAYS_MAX * 86_400;
    expect((await me.send("POST", path, { expires_in_s: max })).status).toBe(201);
    for (const body of [
      { expires_in_s: max + 1 },
      { expires_in_s: 59 },
      { expires_in_s: 60, uses_max: 1_000_001 },
    ]) {
      expect((await me.send("POST", path, body)).status).toBe(400);
    }
    const none = await me.send("POST", path.replace(link_id, "none"), { expires_in_s: 60 });
    expect(await code(none)).toEqual([404, "LINK_NOT_FOUND"]);
  });
});

describe("a download after a tip", () => {
  test("sends a stranger to sign-in and back, and one who has not tipped gets 403", async () => {
    const { path } = await offer(me, file.file_id, { access: "tip" });
    const login = new URL(await follow(path), "https://sila.example");
    expect(login.pathname).toBe("/api/auth/login");
    expect(login.searchParams.get("return_to")).toBe(path);
    const { headers } = await creator("demo-free");
    expect(await code(await visit(path, { headers }))).toEqual([403, "TIP_REQUIRED"]);
    // The page's owner may try it.
    const address = await follow(path, { headers: me.headers });
    expect((await visit(address)).status).toBe(200);
  });
});

describe("an address of no download", () => {
  test("is 404, and leaves nothing stored", async () => {
    const { page, link_id } = await offer(me, file.file_id);
    for (const path of [
      `/api/download/${file.file_id}`,
      `/api/download/${file.file_id}?page_id=${page.page_id}`,
      `/api/download/${file.file_id}?page_id=${page.page_id}&link_id=none`,
      `/api/download/${file.file_id}?page_id=none&link_id=${link_id}`,
      `/api/download/none?page_id=${page.page_id}&link_id=${link_id}`,
      `/api/download/%ff?page_id=${page.page_id}&link_id=${link_id}`,
    ]) {
      expect((await visit(path)).status).toBe(404);
    }
  });

  test("is 410 on a suspended page, and nobody makes a link to it", async () => {
    const { page, path, link_id } = await offer(me, file.file_id);
    const address = await follow(path);
    await env.DB.prepare("UPDATE pages SET status = 'suspended' WHERE page_id = ?1")
      .bind(page.page_id)
      .run();
    for (const address_ of [path, address]) {
      expect(await code(await visit(address_))).toEqual([410, "PAGE_SUSPENDED"]);
    }
    const link = `/api/me/pages/${page.page_id}/links/${link_id}/download-link`;
    const refused = await me.send("POST", link, { expires_in_s: 3_600 });
    expect(await code(refused)).toEqual([410, "PAGE_SUSPENDED"]);
  });
});

test("a download that R2 fails to send is the same use when it is tried again", async () => {
  const events = expectErrors();
  const offered = await offer(me, file.file_id, { uses_max: 1 });
  const address = await follow(offered.path);
  const bucket: R2Bucket = Object.getPrototypeOf(env.MEDIA);
  const failing = vi.spyOn(bucket, "get").mockRejectedValue(new Error("R2 refuses"));
  expect((await visit(address)).status).toBe(503);
  failing.mockRestore();
  expect((await visit(address)).status).toBe(200);
  expect(events()).toEqual(["download_failed"]);
  expect(await env.MEDIA.head(fileKey(file.file_id))).not.toBeNull();
});

describe("the numbers that the creator sees", () => {
  test("are in the page's object after the alarm, and an older version replaces nothing", async () => {
    const offered = await offer(me, file.file_id);
    const { page_id } = offered.page;
    await download(offered.path);
    const total = { link_id: offered.link_id, uses: 1, bytes: 10_000 };
    const shown = () =>
      runInDurableObject(pageObject(page_id), (_, { storage }) => storage.kv.get("downloads"));
    const expected = { version: 10_001, links: [total] };
    await eventually(async () => expect(await uses(page_id).totals()).toEqual([total]));
    await runDurableObjectAlarm(uses(page_id));
    // The platform may have fired it first.
    await eventually(async () => expect(await shown()).toEqual(expected));
    await evictDurableObject(pageObject(page_id));
    await pageObject(page_id).downloadsAre([], 10_000);
    await pageObject(page_id).downloadsAre([], 10_001);
    expect(await shown()).toEqual(expected);
    await pageObject(page_id).downloadsAre([{ ...total, bytes: 10_001 }], 10_002);
    expect(await shown()).toMatchObject({ links: [{ bytes: 10_001 }] });
    await pageObject(page_id).end();
    await pageObject(page_id).downloadsAre([total], 10_003);
    expect(await shown()).toBeUndefined();
  });

  test("F20: are right after a restore of D1, which gets them again, and have unused blocks", async () => {
    const offered = await offer(me, file.file_id);
    const { page_id } = offered.page;
    const unused = { link_id: offered.link_id, uses: 0, bytes: 0 };
    const read = (owner_id = "demo-business") => readDownloads(env, owner_id, page_id);
    expect(await read()).toEqual([unused]);
    expect(await read("demo-free")).toEqual([]);
    await download(offered.path);
    const total = { ...unused, uses: 1, bytes: 10_000 };
    await eventually(async () => expect(await read()).toEqual([total]));
    await uses(page_id).flush();
    await env.DB.prepare("DELETE FROM downloads WHERE page_id = ?1").bind(page_id).run();
    await uses(page_id).flush();
    const in_d1 = () =>
      env.DB.prepare("SELECT uses, bytes FROM downloads WHERE page_id = ?1").bind(page_id).first();
    expect(await in_d1()).toBeNull();
    expect(await read()).toEqual([total]);
    await uses(page_id).flush();
    expect(await in_d1()).toEqual({ uses: 1, bytes: 10_000 });
  });
});

test("a download that the client stops counts the bytes that were sent", async () => {
  const size = 3_000_000;
  const large = await upload(me, new Uint8Array(size));
  const offered = await offer(me, large.file_id);
  const response = await visit(await follow(offered.path));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  await eventually(async () => {
    const [total] = await uses(offered.page.page_id).totals();
    expect(total?.bytes).toBeGreaterThan(0);
    expect(total?.bytes).toBeLessThan(size);
  });
});

test.each([
  ["تقرير 2026.pdf", "_ 2026.pdf", "%D8%AA%D9%82%D8%B1%D9%8A%D8%B1%202026.pdf"],
  ['a"b\\c%.txt', "a_b_c_.txt", "a%22b%5Cc%25.txt"],
  ["Café (1)'*!.zip", "Cafe (1)'*!.zip", "Caf%C3%A9%20%281%29%27%2A!.zip"],
])("the name %s is saved as %s by old clients", (name, ascii, encoded) => {
  expect(attachment(name)).toBe(`attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`);
});

test("a file of a type that could act is served as bytes, and any other as its type", () => {
  for (const type of [
    ...["text/html", "text/html-x", "text/css", "image/svg+xml", "application/xhtml+xml"],
    ...["text/xsl", "text/javascript1.5", "application/ecmascript", "application/rss+xml"],
  ]) {
    expect([type, servedType(type)]).toEqual([type, "application/octet-stream"]);
  }
  const document = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  for (const type of ["application/pdf", document]) expect(servedType(type)).toBe(type);
});

test("an attachment has the CSP of files, whatever type it has", async () => {
  const app = new Hono<AppEnv>();
  app.use(securityHeaders);
  app.get("/page", (c) => c.html("x"));
  app.get("/file", (c) => c.html("x", 200, { "Content-Disposition": attachment("a.html") }));
  const policies = ["/page", "/file"].map(async (path) => {
    // The counts of the isolate are reported now and then, behind an answer.
    const response = await app.request(path, {}, env, createExecutionContext());
    return response.headers.get("Content-Security-Policy")?.includes("sandbox");
  });
  expect(await Promise.all(policies)).toEqual([false, true]);
});
