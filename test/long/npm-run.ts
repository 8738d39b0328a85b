/** A run of `npm start` or `npm run dev`, and what a visitor does there. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { expect } from "vitest";
import { ROOT } from "../../src/commands/root.ts";

export const START_TIMEOUT_MS = 60_000;
/** Environment variable that marks every process of a run, orphans included. */
export const MARK = "SILA_TEST_RUN";
const ADDRESS = /(http:\/\/localhost:\d+)\/demo/;
const PRINTED = "printed";

export class NpmRun {
  readonly #npm: ChildProcess;
  readonly exited: Promise<number | null>;
  output = "";

  constructor(args: string[], env: Record<string, string | undefined>, cwd = ROOT) {
    this.#npm = spawn("npm", args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#npm.stdout, this.#npm.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        this.#npm.emit(PRINTED);
      });
    }
    this.exited = once(this.#npm, "exit").then(([code]) => code as number | null);
  }

  /** What it prints after the first `from` characters, once that matches. Rejects when it ends without. */
  async printed(pattern: RegExp, from: number): Promise<string> {
    const waiting = new AbortController();
    const ended = this.exited.then(() => {
      throw new Error(`it ended and printed no ${pattern}:\n${this.output}`);
    });
    try {
      while (!pattern.test(this.output.slice(from))) {
        await Promise.race([once(this.#npm, PRINTED, { signal: waiting.signal }), ended]);
      }
    } finally {
      waiting.abort();
      ended.catch(() => {});
    }
    return this.output.slice(from);
  }

  async address(): Promise<string> {
    const banner = await this.printed(ADDRESS, 0);
    return ADDRESS.exec(banner)?.[1] ?? "";
  }

  /** Signals npm alone, as a supervisor does; a terminal would signal the whole group. */
  async stop(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#npm.exitCode === null && this.#npm.signalCode === null) this.#npm.kill(signal);
    return this.exited;
  }
}

/** Processes with this mark that still run; an orphan has no parent to find it by. */
export async function leftOvers(mark: string): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may end in the meantime, and those of other users are not readable.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.includes(`${MARK}=${mark}`)) continue;
    found.push((await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) || pid);
  }
  return found;
}

/** Sends the form that the sign-in page has for the demo's people; a browser says from where. */
export function tap(address: string, user_id: string, origin = address): Promise<Response> {
  return fetch(`${address}/api/auth/demo`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: origin },
    body: new URLSearchParams({ user_id, return_to: `${address}/demo` }),
  });
}

/** Follows the login to the page and its form back, as a browser does; answers the cookie. */
export async function signIn(address: string, user_id: string): Promise<string> {
  const login = await fetch(`${address}/api/auth/login?return_to=/demo`, { redirect: "manual" });
  const page = login.headers.get("Location") ?? "";
  // From an address of its own: the caller's may have sent what a sender may send in a minute.
  const shown = await fetch(page, { headers: { "CF-Connecting-IP": "2001:db8:f::1" } });
  expect(await shown.text()).toContain(`name="user_id" value="${user_id}"`);
  const signedIn = await tap(address, user_id);
  expect(signedIn.status).toBe(303);
  expect(signedIn.headers.get("Location")).toBe(`${address}/demo`);
  return signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? "";
}

export async function nameOf(address: string, cookie: string): Promise<string | undefined> {
  const response = await fetch(`${address}/api/auth/session`, { headers: { Cookie: cookie } });
  return ((await response.json()) as { user: { name: string } | null }).user?.name;
}

/** A click that has the same id each time; answers whether it was counted now or before. */
export async function click(address: string): Promise<string | null> {
  const response = await fetch(`${address}/r/demo/demo-shop?e=one-click`, { redirect: "manual" });
  expect(response.status).toBe(302);
  return response.headers.get("X-Beacon-Outcome");
}
