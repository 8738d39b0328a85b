/** The upload of a file from the editor: parts, lost networks, and going on where it stopped. */
import { describe, expect, test } from "vitest";
import type { Answer, Call } from "../../../src/client/api.ts";
import type { SendPart } from "../../../src/client/editor/files/send-part.ts";
import { FileUpload, type UploadPorts } from "../../../src/client/editor/files/upload.ts";

const PART = 4;

interface Kept {
  name: string;
  size: number;
  parts: Map<number, string>;
  state: "uploading" | "ready";
}

/** The API's files in memory, and faults of the way to it. */
class FakeService {
  readonly files = new Map<string, Kept>();
  /** Answers of parts in place of success, the next first; `after` stores the part all the same. */
  readonly faults: { status: number; code?: string; after?: boolean }[] = [];
  readonly sent: string[] = [];
  begun = 0;
  waits: number[] = [];
  token = "old";

  call = async (path: string, { method = "GET", json }: Call = {}): Promise<Answer<never>> => {
    const [, , , , file_id, rest] = path.split("/");
    const file = this.files.get(file_id ?? "");
    if (method === "DELETE") {
      this.files.delete(file_id ?? "");
      return answer({});
    }
    if (method === "POST" && file_id === undefined) {
      const { name, size } = json as { name: string; size: number };
      if (size > 100) return refusal(413, "PAYLOAD_TOO_LARGE");
      this.begun += 1;
      const id = `f${this.begun}`;
      this.files.set(id, { name, size, parts: new Map(), state: "uploading" });
      return this.progress(id);
    }
    if (file_id === undefined) {
      const files = [...this.files].map(([id]) => this.stored(id));
      return answer({ files, used_bytes: 0, bytes_max: 100 });
    }
    if (file === undefined) return refusal(404, "NOT_FOUND");
    if (rest === "complete") file.state = "ready";
    return this.progress(file_id);
  };

  private stored(file_id: string) {
    const { name, size, state } = this.files.get(file_id) as Kept;
    return { file_id, name, size, state, type: "text/plain", created_at: "", part_bytes: PART };
  }

  private progress(file_id: string): Answer<never> {
    const parts = [...(this.files.get(file_id) as Kept).parts.keys()];
    return answer({ file: { ...this.stored(file_id), parts } });
  }

  sendPart: SendPart = async (path, part, { csrf_token }) => {
    const [, , , , file_id = "", , n = ""] = path.split("/");
    const fault = this.faults.shift();
    const text = await part.text();
    this.sent.push(`${file_id}/${n} ${csrf_token}`);
    if (fault === undefined || fault.after) this.files.get(file_id)?.parts.set(Number(n), text);
    const { status, code = "" } = fault ?? { status: 200 };
    return { status, code, message: { ar: "خطأ", en: "fault" }, retry_after_s: null };
  };

  text(file_id: string): string {
    const parts = [...(this.files.get(file_id)?.parts ?? [])].sort(([a], [b]) => a - b);
    return parts.map(([, text]) => text).join("");
  }
}

function answer(body: unknown): Answer<never> {
  return { ok: true, status: 200, body: body as never, headers: new Headers() };
}

function refusal(status: number, code: string): Answer<never> {
  return {
    ok: false,
    status,
    code,
    message: "refused",
    issues: [],
    details: {},
    retry_after_s: null,
  };
}

function world() {
  const service = new FakeService();
  const kept = new Map<string, string>();
  const ports: UploadPorts = {
    api: { call: service.call as never, who: async () => null },
    token: {
      get: () => service.token,
      renew: async () => {
        service.token = "new";
        return true;
      },
    },
    locale: "en",
    sendPart: service.sendPart,
    wait: async (ms) => {
      service.waits.push(ms);
    },
    marks: {
      get: (file_id) => kept.get(file_id) ?? null,
      set: (file_id, mark) => void kept.set(file_id, mark),
    },
    changed: () => {},
  };
  return { service, ports };
}

const file = (text: string, lastModified = 1) => new File([text], "a.txt", { lastModified });

/** The first part arrives, and then nothing more is taken. */
const BROKEN_OFF = [
  { status: 200, after: true },
  { status: 403, code: "FORBIDDEN" },
];

/** An upload that met these faults, at its end. */
async function run(text: string, ...faults: FakeService["faults"]) {
  const { service, ports } = world();
  service.faults.push(...faults);
  const upload = new FileUpload(file(text), ports);
  await upload.run();
  return { service, ports, upload };
}

describe("an upload", () => {
  test.for([
    ["is sent in parts, the last one shorter", [], "1 old, 2 old, 3 old", 0],
    [
      // The second part arrived although its answer was lost; only the third is sent again.
      "that loses its network goes on by itself with the parts that are missing",
      [{ status: 200, after: true }, { status: 0, after: true }, { status: 503 }],
      ...(["1 old, 2 old, 3 old, 3 old", 2] as const),
    ],
    [
      "sends a part again that did not arrive in time",
      [{ status: 400, code: "VALIDATION_FAILED" }],
      ...(["1 old, 1 old, 2 old, 3 old", 1] as const),
    ],
    [
      "gets the session's new token once where the old one is refused",
      [{ status: 403, code: "CSRF_REQUIRED" }],
      ...(["1 old, 1 new, 2 new, 3 new", 0] as const),
    ],
  ] as const)("%s", async ([, faults, sent, waits]) => {
    const { service, upload } = await run("0123456789", ...faults);
    expect([upload.state, upload.sent, service.files.get("f1")?.state]).toEqual([
      ...["ready", 10, "ready"],
    ]);
    expect(service.text("f1")).toBe("0123456789");
    expect(service.sent.join(", ").replaceAll("f1/", "")).toBe(sent);
    expect(service.waits).toHaveLength(waits);
  });

  test("whose beginning got no answer goes on with what it began, and keeps none that the browser began by itself", async () => {
    const { service, ports } = world();
    const upload = new FileUpload(file("0123"), ports);
    const { call } = service;
    let is_first = true;
    ports.api.call = (async (path: string, options: Call = {}) => {
      const answered = await call(path, options);
      const is_lost = is_first && options.method === "POST";
      if (is_lost) await call(path, options);
      if (is_lost) is_first = false;
      return is_lost ? refusal(0, "NO_ANSWER") : answered;
    }) as never;
    await upload.run();
    expect(upload.state).toBe("ready");
    expect([...service.files.keys()]).toEqual(["f1"]);
  });

  test("waits longer after each failure, at most half a minute", async () => {
    const { service } = await run("0123", ...Array(8).fill({ status: 0 }));
    expect(service.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("that was paused goes on where it stopped", async () => {
    const { service, ports } = world();
    const upload = new FileUpload(file("0123456789"), ports);
    const { sendPart } = service;
    let parts = 0;
    ports.sendPart = async (...args) => {
      parts += 1;
      if (parts === 2) upload.pause();
      const aborted = { status: 0, code: "", message: { ar: "", en: "" }, retry_after_s: null };
      return parts === 2 ? aborted : sendPart(...args);
    };
    await upload.run();
    expect(upload.state).toBe("paused");
    expect(service.text("f1")).toBe("0123");
    await upload.run();
    expect(upload.state).toBe("ready");
    expect(service.sent).toEqual(["f1/1 old", "f1/2 old", "f1/3 old"]);
  });

  test("goes on after the tab was closed if the same file is chosen again", async () => {
    const { service, ports } = await run("0123456789", ...BROKEN_OFF);
    const again = new FileUpload(file("0123456789"), ports);
    await again.run();
    expect(again.state).toBe("ready");
    expect([...service.files.keys()]).toEqual(["f1"]);
    expect(service.text("f1")).toBe("0123456789");
  });

  test("of a file that was changed since is another upload", async () => {
    const { service, ports } = await run("0123456789", ...BROKEN_OFF);
    await new FileUpload(file("abcdefghij", 2), ports).run();
    expect([...service.files.keys()]).toEqual(["f1", "f2"]);
    expect(service.text("f2")).toBe("abcdefghij");
  });

  test("that the service refuses says why and asks no more", async () => {
    const { service, upload } = await run("x".repeat(101));
    expect(upload.state).toBe("failed");
    expect(upload.failure).toMatchObject({ status: 413, message: "refused" });
    expect(service.sent).toEqual([]);
    expect(service.waits).toEqual([]);
  });

  test("whose beginning the service has lost begins anew, once", async () => {
    const { service, ports, upload } = await run("01234", { status: 404, code: "NOT_FOUND" });
    expect(upload.state).toBe("ready");
    expect([...service.files.keys()]).toEqual(["f2"]);
    service.faults.push({ status: 404 }, { status: 404 });
    const other = new FileUpload(file("56789", 2), ports);
    await other.run();
    expect(other.state).toBe("failed");
  });
});
