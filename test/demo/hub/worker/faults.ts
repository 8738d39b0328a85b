/** Faults of the hub, which tests switch on. They are kept in memory, so a restart removes them. */
import { createMiddleware } from "hono/factory";
import * as z from "zod";

export const Fault = z.object({
  /** A path, or `*` for all. */
  path: z.string().min(1),
  /** Null removes the fault. */
  fault: z.enum(["hang", "wrong", "huge", "redirect", "error", "down", "lost"]).nullable(),
  /** How many requests meet it; all without. */
  times: z.int().min(1).optional(),
});

export interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
}

const CALLS_MAX = 1_000;
/** Longer than the service's time-out. */
const HANG_MS = 30_000;
/** More bytes than the service reads of an answer. */
const PADDING = " ".repeat(100_000);

let calls: Call[] = [];
const faults = new Map<string, z.infer<typeof Fault>>();

export function setFault(fault: z.infer<typeof Fault>): void {
  if (fault.fault === null && fault.path === "*") faults.clear();
  else if (fault.fault === null) faults.delete(fault.path);
  else faults.set(fault.path, fault);
}

export function takeCalls(): Call[] {
  const taken = calls;
  calls = [];
  return taken;
}

function meet(path: string): z.infer<typeof Fault>["fault"] {
  const key = faults.has(path) ? path : "*";
  const found = faults.get(key);
  if (found?.times === 1) faults.delete(key);
  else if (found?.times !== undefined) faults.set(key, { ...found, times: found.times - 1 });
  return found?.fault ?? null;
}

export const misbehave = createMiddleware(async (c, next) => {
  const { method, path } = c.req;
  if (calls.length < CALLS_MAX) {
    calls.push({ method, path, headers: Object.fromEntries(c.req.raw.headers) });
  }
  const fault = meet(path);
  if (fault === "hang") await scheduler.wait(HANG_MS);
  if (fault === "wrong") return c.json({ hello: "I am another service" });
  // It leads to the correct answer, so a test notices a client that follows it.
  if (fault === "redirect" && c.req.query("moved") === undefined) {
    return c.redirect(`${path}?moved=1`, 302);
  }
  if (fault === "error") return c.text("a stack trace with secrets", 500);
  if (fault === "down") return c.text("closed", 503);
  await next();
  // The work is done, and nobody learns of it.
  if (fault === "lost") c.res = new Response("the answer is lost", { status: 500 });
  if (fault === "huge") c.res = new Response((await c.res.text()) + PADDING, c.res);
});
