/** S6: reading a body is bounded in bytes and in time, and an unread rest is cancelled. */
import { describe, expect, test, vi } from "vitest";
import { ApiError } from "../../../src/http/api-error.ts";
import { readBytes, readStream } from "../../../src/http/body.ts";
import { BODY_TIMEOUT_MS } from "../../../src/http/limits.ts";
import { eventually } from "../kit/kit.ts";

function stopTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
}

function requestOf(body: ReadableStream, headers: Record<string, string> = {}): Request {
  return new Request("https://sila.example/", { method: "POST", body, headers });
}

/** A body of `first` and then the chunks of `pull`; records whether it was cancelled. */
function source(pull: (controller: ReadableStreamDefaultController) => unknown = () => {}) {
  const seen = { cancelled: false };
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array([0x7b])),
    pull: async (controller) => {
      await pull(controller);
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return { stream, seen };
}

const never = () => new Promise<void>(() => {});

/** The number of bytes read, or the error's code. */
function outcomeOf(reading: Promise<Uint8Array>) {
  const seen: { outcome: unknown } = { outcome: "pending" };
  const done = reading.then(
    (bytes) => {
      seen.outcome = bytes.length;
    },
    (error) => {
      seen.outcome = error instanceof ApiError ? error.code : error;
    },
  );
  return { seen, done };
}

describe("S6: a body", () => {
  test("that arrives slowly, byte by byte, is refused after 10 s and cancelled", async () => {
    stopTimers();
    const { stream, seen } = source(async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      controller.enqueue(new Uint8Array([0x20]));
    });
    const reading = outcomeOf(readBytes(requestOf(stream), 100));
    for (let s = 0; s < 9; s += 1) await vi.advanceTimersByTimeAsync(1_000);
    expect(reading.seen.outcome).toBe("pending");
    await vi.advanceTimersByTimeAsync(1_000);
    await reading.done;
    expect(reading.seen.outcome).toBe("INVALID_JSON");
    await eventually(() => expect(seen.cancelled).toBe(true));
  });

  test("of a known length that never ends is read for 10 s, then refused", async () => {
    stopTimers();
    const { stream } = source(never);
    const reading = outcomeOf(readBytes(requestOf(stream, { "Content-Length": "50" }), 100));
    await vi.advanceTimersByTimeAsync(BODY_TIMEOUT_MS - 1);
    expect(reading.seen.outcome).toBe("pending");
    await vi.advanceTimersByTimeAsync(1);
    await reading.done;
    expect(reading.seen.outcome).toBe("INVALID_JSON");
  });

  test("that is cut off is the client's error, with a known length and without", async () => {
    for (const headers of [{}, { "Content-Length": "50" }] as Record<string, string>[]) {
      const { stream } = source((controller) => controller.error(new Error("connection lost")));
      const { seen, done } = outcomeOf(readBytes(requestOf(stream, headers), 100));
      await done;
      expect(seen.outcome).toBe("INVALID_JSON");
    }
  });

  test("that is too long is refused at once and cancelled", async () => {
    const { stream, seen } = source((controller) => controller.enqueue(new Uint8Array(10)));
    await expect(readBytes(requestOf(stream), 100)).rejects.toMatchObject({
      code: "PAYLOAD_TOO_LARGE",
    });
    await eventually(() => expect(seen.cancelled).toBe(true));
  });

  test("that ends leaves no timer behind", async () => {
    stopTimers();
    const { stream } = source((controller) => controller.close());
    expect(await readStream(stream, 100, 1_000)).toEqual(new Uint8Array([0x7b]));
    expect(vi.getTimerCount()).toBe(0);
    expect(await readStream(null, 100, 1_000)).toEqual(new Uint8Array());
  });
});
