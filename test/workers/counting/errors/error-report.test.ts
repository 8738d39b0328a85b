/** Error reports: validation, answers, and stored samples (docs/contract.md section 7). */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ErrorReport, toSample } from "../../../../src/counting/errors/error-report.ts";
import { type Call, call, errorOf } from "../../kit/kit.ts";

const PATH = "/api/log/error";

function send(body: Record<string, unknown>, init: Call = {}): Promise<Response> {
  return call(PATH, { method: "POST", body: JSON.stringify(body), ...init });
}

/** The sample of a report. */
function sampleOf(body: Record<string, unknown>) {
  return toSample(ErrorReport.parse(body));
}

interface Row {
  n: number;
  message: string;
  stack: string;
  severity: string;
  page_id: string;
  url: string;
}

/** The group with this id in D1, after a flush. */
async function inD1(id: string): Promise<Row | null> {
  await env.ERROR_LOG.getByName(id.slice(0, 1)).flush();
  return env.DB.prepare(
    "SELECT n, message, stack, severity, page_id, url FROM errors WHERE fingerprint = ?1",
  )
    .bind(id)
    .first<Row>();
}

describe("POST /api/log/error", () => {
  test("answers 202 with the group's fingerprint, and D1 gets the exact count", async () => {
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

  test("needs a message, and is an error where it names no severity", async () => {
    const bodies = [{ stack: "at x" }, { message: "" }, { message: "x", severity: "critical" }];
    for (const body of bodies) {
      expect([body, (await send(body)).status]).toEqual([body, 400]);
    }
    expect(sampleOf({ message: "x" }).severity).toBe("error");
  });

  test("S6: takes 32,768 bytes and refuses 32,769", async () => {
    const sized = (bytes: number) => '{"message":"big"}'.padEnd(bytes);
    expect((await call(PATH, { method: "POST", body: sized(32_768) })).status).toBe(202);
    const refused = await call(PATH, { method: "POST", body: sized(32_769) });
    expect(refused.status).toBe(413);
    expect((await errorOf(refused)).details.max_bytes).toBe(32_768);
  });
});

describe("S16: what is kept of a report", () => {
  test("contains no mailbox, token, query or address", () => {
    const token = "sk_live_51H8xk2eZvKYlo2C0aBcDeFg";
    const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";
    const { message, stack, url } = sampleOf({
      message: `layla@example.com at 203.0.113.7 and 2001:db8::7, Bearer ${token}, ${jwt}`,
      stack: `at load (https://me:secret@x.example/a.js?key=${token}#part:3:14)\nat fetch (/b?u=1:2:3)`,
      url: "https://sila.example/u/layla@example.com?email=layla@example.com",
    });
    expect(message).toBe("[redacted] at [redacted] and [redacted], Bearer [redacted], [redacted]");
    expect(stack).toBe(
      "at load (https://x.example/a.js?[redacted]:3:14)\nat fetch (/b?[redacted]:2:3)",
    );
    expect(url).toBe("https://sila.example/u/[redacted]");
  });

  test.each([
    ["+966 50 123 4567", "[redacted]"],
    ["٠٥٠١٢٣٤٥٦٧", "[redacted]"],
    ["/page#access_token=abc", "/page#[redacted]"],
    ["//me:secret@host/x", "//host/x"],
    ["https://x.example/u/layla%40example.com/z", "https://x.example/u/[redacted]/z"],
    ["https://cdn.example/vue@3.2.1/vue.js", "https://cdn.example/vue@3.2.1/vue.js"],
    ["#menu of #fff after 12:30:01", "#menu of #fff after 12:30:01"],
  ])("keeps of %s only %s", (written, kept) => {
    expect(sampleOf({ message: `in ${written} it failed` }).message).toBe(`in ${kept} it failed`);
  });

  test("drops an invalid address, and counts the report", async () => {
    for (const url of ["javascript:alert(1)", "not an address"]) {
      expect(sampleOf({ message: "x", url }).url).toBe("");
      expect((await send({ message: "x", url })).status).toBe(202);
    }
  });
});
