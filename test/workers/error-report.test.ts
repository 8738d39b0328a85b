/** What is kept of an error report, and which reports are alike (CONTRACT section 7). */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ErrorLog } from "../../objects/error-log.ts";
import { ErrorReport, toSample } from "../../src/error-report.ts";
import { fingerprintOf } from "../../src/fingerprint.ts";
import { type Call, call, errorOf } from "./kit.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const PATH = "/api/log/error";

function send(body: Record<string, unknown>, init: Call = {}): Promise<Response> {
  return call(PATH, { method: "POST", body: JSON.stringify(body), ...init });
}

/** What a report would be kept as. */
function sampleOf(body: Record<string, unknown>) {
  return toSample(ErrorReport.parse(body));
}

function fingerprint(message: string, stack = ""): Promise<string> {
  return fingerprintOf(sampleOf({ message, stack }));
}

interface Row {
  n: number;
  message: string;
  stack: string;
  severity: string;
  page_id: string;
  url: string;
}

/** What D1 says of the group with this id, once its object has flushed. */
async function inD1(id: string): Promise<Row | null> {
  await env.ERROR_LOG.getByName(id.slice(0, 1)).flush();
  return env.DB.prepare(
    "SELECT n, message, stack, severity, page_id, url FROM errors WHERE fingerprint = ?1",
  )
    .bind(id)
    .first<Row>();
}

describe("POST /api/log/error", () => {
  test("answers 202 with the group's fingerprint, and D1 hears of the exact number", async () => {
    const body = {
      message: "Sila is not defined",
      stack: "at record (https://sila.example/assets/beacon-eb7371b7dc.js:1:20)",
      severity: "fatal",
      page_id: "demo",
      url: "https://sila.example/demo?fbclid=1#top",
      unknown_key: 1,
    };
    const ids = new Set<string>();
    for (let i = 0; i < 3; i += 1) {
      const response = await send(body);
      expect(response.status).toBe(202);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      const answer = await response.json<{ ok: boolean; id: string }>();
      expect(answer).toEqual({ ok: true, id: expect.stringMatching(/^[0-9a-f]{32}$/) });
      ids.add(answer.id);
    }
    expect(ids.size).toBe(1);
    expect(await inD1([...ids][0] ?? "")).toEqual({
      n: 3,
      message: body.message,
      stack: body.stack,
      severity: "fatal",
      page_id: "demo",
      url: "https://sila.example/demo",
    });
  });

  test.each([
    ["message", 2_000],
    ["stack", 8_000],
    ["url", 2_048],
  ])("takes a %s of %i characters and refuses one more", async (field, max) => {
    const body = { message: "long", [field]: "x".repeat(max) };
    expect((await send(body)).status).toBe(202);
    const refused = await send({ ...body, [field]: "x".repeat(max + 1) });
    expect(refused.status).toBe(400);
    expect((await errorOf(refused)).details.issues).toMatchObject([{ path: field }]);
  });

  test("needs a message, and knows five severities", async () => {
    expect((await send({ stack: "at x" })).status).toBe(400);
    expect((await send({ message: "" })).status).toBe(400);
    for (const severity of ["fatal", "error", "warning", "info", "debug"]) {
      expect((await send({ message: "x", severity })).status).toBe(202);
    }
    expect((await send({ message: "x", severity: "critical" })).status).toBe(400);
    expect(sampleOf({ message: "x" }).severity).toBe("error");
  });

  test("S6: takes 32,768 bytes and refuses 32,769", async () => {
    const sized = (bytes: number) => {
      const start = '{"message":"big","pad":"';
      return `${start}${"x".repeat(bytes - start.length - 2)}"}`;
    };
    expect((await call(PATH, { method: "POST", body: sized(32_768) })).status).toBe(202);
    const refused = await call(PATH, { method: "POST", body: sized(32_769) });
    expect(refused.status).toBe(413);
    expect((await errorOf(refused)).details.max_bytes).toBe(32_768);
  });

  test("may be called from any origin, without credentials", async () => {
    const response = await send({ message: "x" }, { headers: { Origin: "https://a.example" } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
  });

  test("F17: acknowledges nothing when its object fails", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(ErrorLog.prototype, "reportAll").mockImplementation(() => {
      throw new Error("disk is full");
    });
    const response = await send({ message: "x" });
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect((await errorOf(response)).code).toBe("DEPENDENCY_DOWN");
  });
});

describe("S16: what is kept of a report", () => {
  test("tells nobody's mailbox, token, query or address", () => {
    const token = "sk_live_51H8xk2eZvKYlo2C0aBcDeFg";
    const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";
    const { message, stack, url } = sampleOf({
      message: `layla@example.com at 203.0.113.7 and 2001:db8::7, Bearer ${token}, ${jwt}`,
      stack: `at load (https://me:secret@x.example/a.js?key=${token}#part:3:14)\nat fetch (/b?u=1:2:3)`,
      url: "https://sila.example/demo?email=layla@example.com",
    });
    expect(message).toBe("[redacted] at [redacted] and [redacted], Bearer [redacted], [redacted]");
    expect(stack).toBe(
      "at load (https://x.example/a.js?[redacted]:3:14)\nat fetch (/b?[redacted]:2:3)",
    );
    expect(url).toBe("https://sila.example/demo");
  });

  test("is well-formed, and neither controls nor turns text around", () => {
    const { message, stack } = sampleOf({
      message: "a\u0000b\u202ec\ud800d\u2028e",
      stack: "one\r\ntwo\rthree\tfour",
    });
    expect(message).toBe("abc\ufffdde");
    expect(stack).toBe("one\ntwo\nthree\tfour");
  });

  test("drops an address that is none, and the report is counted all the same", async () => {
    for (const url of ["javascript:alert(1)", "not an address", "about:blank", ""]) {
      expect(sampleOf({ message: "x", url }).url).toBe("");
      expect((await send({ message: "x", url })).status).toBe(202);
    }
  });
});

describe("the fingerprint", () => {
  const chrome = (hash: string, position: string) =>
    [
      "TypeError: Cannot read properties of undefined (reading 'dataset')",
      `    at record (https://sila.example/assets/beacon-${hash}.js:${position})`,
      `    at async HTMLAnchorElement.<anonymous> (https://sila.example/assets/beacon-${hash}.js:1:900)`,
    ].join("\n");
  const MESSAGE = "Cannot read properties of undefined (reading 'dataset')";

  test("is the same before and after a deploy", async () => {
    expect(await fingerprint(MESSAGE, chrome("eb7371b7dc", "1:20"))).toBe(
      await fingerprint(MESSAGE, chrome("0123456789", "2:4711")),
    );
  });

  test("knows the names that bundlers give to files", async () => {
    const at = (file: string) => fingerprint("x", `at f (https://a.example/${file}:1:2)`);
    const [plain, ...hashed] = await Promise.all(
      ["app.js", "app-eb7371b7dc.js", "app.1a2b3c4d.js", "app-Ba3_x9-Q.js", "v2/app.js?v=77"].map(
        at,
      ),
    );
    for (const other of hashed) expect(other).toBe(plain);
    expect(await at("other.js")).not.toBe(plain);
    expect(await at("app-settings.js")).not.toBe(plain);
  });

  test("is the same for Firefox and Safari, which write frames the same way", async () => {
    const firefox =
      "record@https://sila.example/assets/beacon-eb7371b7dc.js:1:20\n@https://sila.example/assets/beacon-eb7371b7dc.js:1:900";
    const safari =
      "record@https://sila.example/assets/beacon-0123456789.js:2:1\n@https://sila.example/assets/beacon-0123456789.js:9:9";
    expect(await fingerprint("x", firefox)).toBe(await fingerprint("x", safari));
  });

  test("leaves numbers and ids out of the message, and keeps its words", async () => {
    const one = await fingerprint("Page 17 of 0a1b2c3d4e5f not found after 3.5 s");
    expect(await fingerprint("Page 2041 of ffee00112233 not found after 12.25 s")).toBe(one);
    expect(await fingerprint("Page 17 of 0a1b2c3d4e5f not shown after 3.5 s")).not.toBe(one);
    const uuid = (id: string) => fingerprint(`no session ${id}`);
    expect(await uuid("6f9619ff-8b86-d011-b42d-00c04fc964ff")).toBe(
      await uuid("00000000-1111-2222-3333-444444444444"),
    );
  });

  test("leaves addresses out: who loaded what from where is not what failed", async () => {
    expect(await fingerprint("Failed to load https://a.example/x/app.js?u=1")).toBe(
      await fingerprint("Failed to load https://b.example/y/app.js"),
    );
  });

  test("tells apart what failed elsewhere in the code, and goes five frames deep", async () => {
    const frame = (name: string) => `at ${name} (https://a.example/app.js:1:1)`;
    const deep = ["a", "b", "c", "d", "e"].map(frame);
    const one = await fingerprint("x", deep.join("\n"));
    expect(await fingerprint("x", [...deep, frame("f")].join("\n"))).toBe(one);
    expect(await fingerprint("x", [frame("z"), ...deep].join("\n"))).not.toBe(one);
    expect(await fingerprint("y", deep.join("\n"))).not.toBe(one);
  });

  test("says nothing of who it happened to: page, address and severity are no part of it", async () => {
    const body = { message: "x", stack: "at f (https://a.example/app.js:1:1)" };
    const one = await fingerprintOf(sampleOf(body));
    const other = { ...body, page_id: "p", url: "https://sila.example/p", severity: "debug" };
    expect(await fingerprintOf(sampleOf(other))).toBe(one);
  });
});
