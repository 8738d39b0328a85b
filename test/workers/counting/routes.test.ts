import { describe, expect, test, vi } from "vitest";
import { PageObject } from "../../../objects/page/page-object.ts";
import { toLine } from "../../../objects/platform/log.ts";
import { version } from "../../../package.json";
import { COUNT_RETRY_PAUSES_MS } from "../../../src/counting/limits.ts";
import { breakReads } from "../kit/faults.ts";
import {
  beacon,
  call,
  errorOf,
  eventually,
  expectErrors,
  freshAddress,
  freshPage,
  pageObject,
  sums,
  useUp,
} from "../kit/kit.ts";

const BEACON = "/api/analytics/view";

function post(body: BodyInit | null, headers: Record<string, string> = {}): Promise<Response> {
  return call(BEACON, { method: "POST", body, headers });
}

describe("the beacon", () => {
  test("answers 202 with its outcome, and is cached nowhere", async () => {
    const { page_id } = await freshPage();
    const response = await beacon({ page_id, unknown_key: { any: "thing" } });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ ok: true });
    expect(response.headers.get("X-Beacon-Outcome")).toBe("counted");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  test("reads application/json, text/plain and no type as JSON, and refuses others with 415", async () => {
    const { page_id } = await freshPage();
    const body = JSON.stringify({ page_id });
    for (const type of ["Application/JSON; charset=utf-8", "text/plain"]) {
      expect((await post(body, { "Content-Type": type })).status).toBe(202);
    }
    expect((await post(new TextEncoder().encode(body))).status).toBe(202);
    for (const type of ["application/x-www-form-urlencoded", "application/jsonp"]) {
      const refused = await post(body, { "Content-Type": type });
      expect(refused.status).toBe(415);
      expect((await errorOf(refused)).code).toBe("UNSUPPORTED_MEDIA_TYPE");
    }
  });

  test("S6: takes 8,192 bytes and refuses 8,193, whatever length it claims, streamed too", async () => {
    const { page_id } = await freshPage();
    const sized = (bytes: number) => JSON.stringify({ page_id }).padEnd(bytes);
    const streamed = (text: string) => new Blob([text]).stream();
    expect((await post(sized(8_192))).status).toBe(202);
    expect((await post(streamed(sized(8_192)))).status).toBe(202);
    for (const body of [sized(8_193), streamed(sized(8_193)), streamed(sized(1_000_000))]) {
      const refused = await post(body, { "Content-Length": "10" });
      expect([refused.status, (await errorOf(refused)).code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    }
    expect((await sums(page_id)).accepted).toBe(2);
  });

  test("says which field is wrong", async () => {
    const response = await beacon({ page_id: "a b", utm_source: "x".repeat(101) });
    const { code, details } = await errorOf(response);
    expect(code).toBe("VALIDATION_FAILED");
    expect((details.issues as { path: string }[]).map(({ path }) => path)).toEqual([
      "page_id",
      "utm_source",
    ]);
  });

  // Characters are what readers take for one: an emoji is.
  test.each([
    ["referrer", 2_048, "x"],
    ["utm_source", 100, "😀"],
    ["utm_medium", 100, "x"],
    ["utm_campaign", 100, "x"],
    ["event_id", 64, "x"],
  ])("takes a %s of %i characters and refuses one more", async (field, max, character) => {
    const { page_id } = await freshPage();
    const status = async (n: number) =>
      (await beacon({ page_id, [field]: character.repeat(n) })).status;
    expect([await status(max), await status(max + 1)]).toEqual([202, 400]);
  });

  test("answers 404 for an unknown page and for a link of another page", async () => {
    const [one, two] = [await freshPage(), await freshPage({ links: [] })];
    expect((await errorOf(await beacon({ page_id: "nobody" }))).code).toBe("PAGE_NOT_FOUND");
    const foreign = await beacon({ page_id: two.page_id, link_id: "shop" });
    expect(foreign.status).toBe(404);
    expect((await errorOf(foreign)).code).toBe("LINK_NOT_FOUND");
    expect((await beacon({ page_id: one.page_id, link_id: "shop" })).status).toBe(202);
    expect((await sums(two.page_id)).accepted).toBe(0);
  });

  test("may be called from any origin without credentials, with a preflight for a day", async () => {
    const { page_id } = await freshPage();
    const Origin = "https://elsewhere.example";
    const preflight = await call(BEACON, {
      method: "OPTIONS",
      headers: {
        Origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("Access-Control-Max-Age")).toBe("86400");
    for (const response of [
      preflight,
      await beacon({ page_id }, { headers: { Origin } }),
      await beacon({}, { headers: { Origin } }),
    ]) {
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
      if (response === preflight) continue;
      const exposed = response.headers.get("Access-Control-Expose-Headers")?.split(",");
      expect(exposed).toEqual(expect.arrayContaining(["X-Beacon-Outcome", "Retry-After"]));
    }
  });

  test("F15: an overloaded or failing object is a 503 with Retry-After, without a retry of ours", async () => {
    const { page_id } = await freshPage();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const record = vi.spyOn(PageObject.prototype, "recordBatch").mockImplementation(() => {
      throw Object.assign(new Error("overloaded"), { overloaded: true });
    });
    const response = await beacon({ page_id, event_id: "kept" });
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(await response.text()).not.toContain("overloaded");
    expect(record).toHaveBeenCalledTimes(1);
    record.mockRestore();
    const again = await beacon({ page_id, event_id: "kept" });
    expect(again.headers.get("X-Beacon-Outcome")).toBe("counted");
  });
});

describe("the pixel", () => {
  test("is a 43-byte GIF that counts a view each time it is fetched, and never by HEAD", async () => {
    const { page_id } = await freshPage();
    const pixel = await call(`/p/${page_id}.gif`);
    expect(pixel.status).toBe(200);
    expect(pixel.headers.get("Content-Type")).toBe("image/gif");
    expect(pixel.headers.get("Cache-Control")).toBe("no-store");
    expect(pixel.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
    expect(pixel.headers.get("X-Beacon-Outcome")).toBe("counted");
    const bytes = new Uint8Array(await pixel.arrayBuffer());
    expect(bytes.length).toBe(43);
    expect(new TextDecoder().decode(bytes.subarray(0, 6))).toBe("GIF89a");
    await call(`/p/${page_id}.gif`);
    expect((await call(`/p/${page_id}.gif`, { method: "HEAD" })).status).toBe(200);
    expect((await sums(page_id)).accepted).toBe(2);
  });

  test("of an unknown page is 404", async () => {
    expect((await call("/p/nobody.gif")).status).toBe(404);
    expect((await call("/p/a%20b.gif")).status).toBe(404);
  });
});

describe("the redirect", () => {
  test("answers 302 to the link's address, indexed and cached nowhere", async () => {
    const { page_id } = await freshPage();
    const response = await call(`/r/${page_id}/shop`);
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toBe("https://shop.example/");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Robots-Tag")).toBe("noindex, nofollow");
    expect(response.headers.get("X-Beacon-Outcome")).toBe("counted");
    expect((await call(`/r/${page_id}/mail`)).headers.get("Location")).toBe(
      "mailto:layla@example.com",
    );
    expect((await sums(page_id)).accepted).toBe(2);
  });

  test("counts one click of a sender per ?e=, each sender's own, and ignores what is no event id", async () => {
    const { page_id } = await freshPage();
    const ip = freshAddress();
    const outcomes: (string | null)[] = [];
    for (const [e, sender] of [
      ...[["one", ip] as const, ["one", ip] as const, ["one", freshAddress()] as const],
      ...[["%20bad%20", ip] as const, ["%20bad%20", ip] as const],
    ]) {
      const response = await call(`/r/${page_id}/shop?e=${e}`, { ip: sender });
      outcomes.push(response.headers.get("X-Beacon-Outcome"));
    }
    expect(outcomes).toEqual(["counted", "duplicate", "counted", "counted", "counted"]);
  });

  test("F33: a tap is one click from whatever address it comes, and an id that is none is ignored", async () => {
    const { page_id } = await freshPage();
    const outcomes: (string | null)[] = [];
    for (const query of ["t=one", "t=one", "t=one&e=promo", "t=two", "t=%20bad", "t=%20bad"]) {
      const response = await call(`/r/${page_id}/shop?${query}`, { ip: freshAddress() });
      expect(response.headers.get("Location")).toBe("https://shop.example/");
      outcomes.push(response.headers.get("X-Beacon-Outcome"));
    }
    const [again, fresh] = ["duplicate", "counted"];
    expect(outcomes).toEqual([fresh, again, again, fresh, fresh, fresh]);
    expect((await sums(page_id)).accepted).toBe(4);
  });

  /** What the page has counted for its shop, by class. */
  async function shopOf(page_id: string): Promise<Record<string, number>> {
    const totals = await pageObject(page_id).totals();
    const shop = totals.filter(({ link_id }) => link_id === "shop");
    return Object.fromEntries(shop.map(({ class: visitor, accepted }) => [visitor, accepted]));
  }

  test("S24: a bot that follows the address of a tap first does not hide the person's click", async () => {
    const { page_id } = await freshPage();
    await call(`/r/${page_id}/shop?t=tap`, { headers: { "Sec-Purpose": "prefetch" } });
    const click = await call(`/r/${page_id}/shop?t=tap`);
    expect(click.headers.get("X-Beacon-Outcome")).toBe("counted");
    expect(await shopOf(page_id)).toEqual({ human: 1, bot: 1 });
  });

  test("S24: an id used first by a bot or a limited sender does not hide a person's click", async () => {
    const { page_id } = await freshPage();
    const [ip, crowded] = [freshAddress(), freshAddress()];
    const click = (init: Parameters<typeof call>[1]) => call(`/r/${page_id}/shop?e=promo`, init);
    await useUp(crowded);
    await click({ ip: crowded });
    await click({ ip, headers: { "Sec-Purpose": "prefetch" } });
    await beacon({ page_id, link_id: "shop", event_id: "promo" });
    expect((await click({ ip })).headers.get("X-Beacon-Outcome")).toBe("counted");
    expect((await click({ ip })).headers.get("X-Beacon-Outcome")).toBe("duplicate");
    expect(await shopOf(page_id)).toEqual({ human: 2, bot: 1, limited: 1 });
  });

  test("never counts HEAD", async () => {
    const { page_id } = await freshPage();
    const response = await call(`/r/${page_id}/shop`, { method: "HEAD" });
    expect(response.status).toBe(302);
    expect(response.headers.has("X-Beacon-Outcome")).toBe(false);
    expect((await sums(page_id)).accepted).toBe(0);
  });

  test("is 404 for what does not exist, 410 for a suspended page, and counts neither", async () => {
    const { page_id } = await freshPage();
    expect((await errorOf(await call(`/r/${page_id}/none`))).code).toBe("LINK_NOT_FOUND");
    expect((await call("/r/nobody/shop")).status).toBe(404);
    expect((await call(`/r/${page_id}/a%20b`)).status).toBe(404);
    const suspended = await freshPage({ status: "suspended" });
    expect((await call(`/r/${suspended.page_id}/shop`)).status).toBe(410);
    expect((await sums(page_id)).accepted).toBe(0);
    expect((await sums(suspended.page_id)).accepted).toBe(0);
  });

  test("S10: never leads to a forbidden address, even a stored one", async () => {
    const { page_id } = await freshPage({
      links: [{ link_id: "evil", label: "x", url: "javascript:alert(1)" }],
    });
    const response = await call(`/r/${page_id}/evil`);
    expect(response.status).toBe(404);
    expect(response.headers.has("Location")).toBe(false);
  });

  test("leads from the contact button to the page's card, with a percent-encoded name", async () => {
    const slug = `ليلى-${Date.now()}`;
    const { page_id } = await freshPage({ slug });
    const response = await call(`/r/${page_id}/contact`);
    expect(response.status).toBe(302);
    const location = response.headers.get("Location") ?? "";
    expect(location).toBe(`/vcard/${encodeURIComponent(slug)}.vcf?v=3`);
    expect(response.headers.get("X-Beacon-Outcome")).toBe("counted");
    const card = await call(location);
    expect([card.status, card.headers.get("Content-Type")]).toEqual([
      200,
      "text/vcard; charset=utf-8",
    ]);
    const head = await call(`/r/${page_id}/contact`, { method: "HEAD" });
    expect([head.status, head.headers.get("Location")]).toEqual([302, location]);
    expect((await sums(page_id)).accepted).toBe(1);
  });

  test.each([
    ["shop", () => "https://shop.example/"],
    ["contact", (slug: string) => `/vcard/${slug}.vcf?v=3`],
  ])("leads to the object's address while D1 is down: %s", async (link_id, address) => {
    const { page_id, slug } = await freshPage();
    await beacon({ page_id });
    breakReads();
    const response = await call(`/r/${page_id}/${link_id}`);
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toBe(address(slug));
    expect(response.headers.get("X-Beacon-Outcome")).toBe("counted");
  });

  test.each([
    ["broken, and counts the click afterwards, once", 1, new Error("object down")],
    ["overloaded, without a retry", 0, Object.assign(new Error("busy"), { overloaded: true })],
  ])("F15: redirects when the object is %s", async (_, retries, error) => {
    const { page_id } = await freshPage();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const record = vi.spyOn(PageObject.prototype, "recordBatch").mockRejectedValueOnce(error);
    const response = await call(`/r/${page_id}/shop`);
    expect([response.status, response.headers.has("X-Beacon-Outcome")]).toEqual([302, false]);
    await scheduler.wait(2 * COUNT_RETRY_PAUSES_MS[0]);
    await eventually(async () => expect((await sums(page_id)).accepted).toBe(retries));
    expect(record).toHaveBeenCalledTimes(1 + retries);
  });

  test("waits at most 300 ms for a slow object, and the click still counts", async () => {
    const logged = expectErrors();
    const { page_id } = await freshPage();
    const real = PageObject.prototype.recordBatch;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    vi.spyOn(PageObject.prototype, "recordBatch").mockImplementation(async function (
      this: PageObject,
      event,
    ) {
      await released;
      return real.call(this, event);
    });
    const response = await call(`/r/${page_id}/shop`);
    expect(response.status).toBe(302);
    // The call itself is still under way: it gives up after ten seconds, and says so.
    expect(logged()).toEqual([]);
    expect(response.headers.has("X-Beacon-Outcome")).toBe(false);
    release();
    await eventually(async () => expect((await sums(page_id)).accepted).toBe(1));
  });
});

describe("every answer", () => {
  const paths = ["/", "/health", "/nobody", "/api/none", "/r/x/y", "/p/x.gif", "/assets/none"];

  test("S9: carries a request id, the version and the security headers, errors included", async () => {
    const security = [
      ...["Referrer-Policy", "Strict-Transport-Security", "Cross-Origin-Opener-Policy"],
      ...["Cross-Origin-Resource-Policy", "Permissions-Policy", "Content-Security-Policy"],
      "Cache-Control",
    ];
    for (const path of paths) {
      const { headers } = await call(path);
      expect(headers.get("X-Request-Id")).toMatch(/^[\w-]+$/);
      expect(headers.get("X-API-Version")).toBe("3");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect([path, security.filter((name) => !headers.has(name))]).toEqual([path, []]);
      expect(headers.has("Set-Cookie")).toBe(false);
    }
  });

  test("S3: an error is the envelope, in Arabic and English, with the request's id", async () => {
    // `methods.test.ts` has the 405 of every route.
    const requests: [string, Parameters<typeof call>[1], number, string][] = [
      ["/api/none", {}, 404, "NOT_FOUND"],
      ["/api/%E0%A4%A", {}, 404, "NOT_FOUND"],
      ["/%ff", {}, 404, "PAGE_NOT_FOUND"],
      ["/demo/none/deep", {}, 404, "NOT_FOUND"],
      [BEACON, { method: "POST", body: "{" }, 400, "INVALID_JSON"],
      ["/health", { method: "POST" }, 405, "METHOD_NOT_ALLOWED"],
    ];
    for (const [path, init, status, code] of requests) {
      const response = await call(path, init);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
      const body = await errorOf(response);
      expect(body).toEqual({
        ok: false,
        error: expect.stringMatching(/[\u0600-\u06ff]/),
        message_en: expect.stringMatching(/^[\x20-\x7e]+$/),
        code,
        details: expect.objectContaining({ request_id: response.headers.get("X-Request-Id") }),
      });
    }
  });

  test("S3: an unexpected error is a 500 without details", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(URL, "parse").mockImplementation(() => {
      throw new Error("secret internals");
    });
    const { page_id } = await freshPage();
    const response = await beacon({ page_id, referrer: "https://a.example" });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('"INTERNAL"');
    expect(text).not.toContain("secret internals");
    expect(log.mock.calls.map(String).join()).toContain("secret internals");
  });

  test("S18: none allows another origin credentials, and only three routes allow it to read", async () => {
    const open = [BEACON, "/api/log/error", "/p/x.gif"];
    for (const path of [...paths, BEACON, "/api/log/error", "/health/deep", "/api/me/wallet"]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { headers } = await call(path, {
          method,
          headers: { Origin: "https://elsewhere.example", Cookie: "a=b" },
        });
        expect([path, headers.has("Access-Control-Allow-Credentials")]).toEqual([path, false]);
        expect([path, headers.get("Access-Control-Allow-Origin")]).toEqual([
          path,
          open.includes(path) ? "*" : null,
        ]);
      }
    }
  });

  test("GET /health names the app and version, without any I/O", async () => {
    const response = await call("/health");
    expect(await response.json()).toEqual({ ok: true, app: "sila", version });
  });
});

describe("S17: a log line", () => {
  test("keeps our own names, although a request's id looks like a token", () => {
    const ours = { event: "x", request_id: crypto.randomUUID() };
    const line = toLine({ ...ours, text: ours.request_id });
    expect(JSON.parse(line)).toEqual({ ...ours, text: "[redacted]" });
  });

  test("is one line of JSON without e-mail addresses, bearer tokens, queries or bidi controls", () => {
    const line = toLine({
      text: "a\nb\u202e\u2028 me@example.com Bearer abc.def https://x.example/?token=1 end",
    });
    expect(line).not.toMatch(/[\n\u202e\u2028]/);
    expect(JSON.parse(line).text).toBe(
      "a\nb\u202e\u2028 [redacted] Bearer [redacted] https://x.example/?[redacted] end",
    );
  });
});
