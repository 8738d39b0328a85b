/**
 * The project's code, broken on purpose in the ways that tempt: what the model is worth is whether it
 * notices. Each break replaces text in a copy of `objects/`; text that is not there any more is an
 * error, so that no break goes stale unseen.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Code } from "./world.ts";

export const OBJECTS = fileURLToPath(new URL("../../objects/", import.meta.url));

interface Break {
  file: string;
  from: string;
  to: string;
}

/** The rules of the domain that each one breaks are in its name. */
export const MUTANTS: Record<string, readonly Break[]> = {
  "a flush of differences": [
    {
      file: "flush.ts",
      from: "DO UPDATE SET n = excluded.n WHERE excluded.n > tallies.n",
      to: "DO UPDATE SET n = tallies.n + excluded.n",
    },
    {
      file: "tallies.ts",
      from: "SELECT hour, kind, link_id, class, n FROM tallies",
      to: "SELECT hour, kind, link_id, class, n - flushed AS n FROM tallies",
    },
    {
      file: "tallies.ts",
      from: "SET flushed = max(flushed, sent.n)",
      to: "SET flushed = flushed + sent.n",
    },
  ],
  "ids remembered in memory alone": [
    {
      file: "counter.ts",
      from: "this.#ids.addPacked(keys, at)",
      to: "void keys",
    },
  ],
  "ids of the journal forgotten on waking": [
    {
      file: "counter.ts",
      from: "this.#journal.load((event, at_ms) => this.#take(event, at_ms));",
      to: "this.#journal.load((event, at_ms) => { this.#tallies.add(event, at_ms); this.#days.add(event, at_ms); });",
    },
  ],
  "ids forgotten after five minutes": [
    {
      file: "recent-ids.ts",
      from: "export const REMEMBER_MS = HOUR_MS + 5 * MINUTE_MS;",
      to: "export const REMEMBER_MS = 5 * MINUTE_MS;",
    },
  ],
  "an id that stands for all its links": [
    {
      file: "counter.ts",
      from: "return { outcome: await this.#events.submit(event), url };",
      to: "return { outcome: await this.#events.submit({ ...event, key: event.key.slice(0, 2).padEnd(16, '0') }), url };",
    },
  ],
  "a journal that is not read back": [
    {
      file: "counter.ts",
      from: "this.#journal.load((event, at_ms) => this.#take(event, at_ms));",
      to: "",
    },
  ],
  "an event taken into memory before it is written": [
    {
      file: "counter.ts",
      from: "    this.#journal.append(events, now);\n",
      to: "    for (const { key } of events) this.#ids.add(key, now);\n    this.#journal.append(events, now);\n",
    },
  ],
  "a checkpoint that may stop halfway": [
    {
      file: "counter.ts",
      from: "this.#storage.transactionSync(() => {\n      this.#tallies.checkpoint();",
      to: "(<T>(work: () => T) => work())(() => {\n      this.#tallies.checkpoint();",
    },
  ],
  "an alarm that throws": [
    {
      file: "flusher.ts",
      from: "      this.#ports.flushFailed(error);\n",
      to: "      throw error;\n",
    },
  ],
  "an alarm that is not set again": [
    {
      file: "flusher.ts",
      from: "      this.#alarm.arm(this.#now() + this.#backoff.failed(this.#ports.random()));\n",
      to: "",
    },
    { file: "flusher.ts", from: "    this.#armForRest();\n  }\n", to: "  }\n" },
  ],
  "a lost alarm that is waited for": [
    {
      file: "alarm.ts",
      from: " && this.#at_ms > now - LOST_AFTER_MS",
      to: "",
    },
  ],
  "a D1 that keeps what came last": [
    { file: "flush.ts", from: " WHERE excluded.n > tallies.n", to: "" },
  ],
  "a flush that waits for D1 for ever": [
    {
      file: "flusher.ts",
      from: "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock)",
      to: "await sending",
    },
  ],
  "a failed flush that counts as confirmed": [
    {
      file: "flusher.ts",
      from: "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock)",
      to: "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock).catch(() => true)",
    },
  ],
  "a restored D1 that nobody notices": [
    { file: "flusher.ts", from: "else ledger.unconfirm();", to: "" },
    { file: "flusher.ts", from: "if (!held) ledger.unconfirm();", to: "void held;" },
  ],
  "a restored D1 that is written to as if it were whole": [
    { file: "flush.ts", from: `WHERE ?5 <= (\${HELD})`, to: "WHERE ?5 IS NOT NULL" },
  ],
  "what waits for D1 forgotten on waking": [
    { file: "tallies.ts", from: "this.#unflushed_from = row.unflushed_from;", to: "" },
  ],
  "totals of people that begin anew on waking": [
    {
      file: "milestones.ts",
      from: "this.#totals = JSON.parse(last.people) as Totals;",
      to: "this.#totals = { ...NONE };",
    },
  ],
  "totals of people taken over before their checkpoint holds": [
    {
      file: "counter.ts",
      from: "const people = this.#milestones.checkpoint(now);",
      to: "const people = this.#milestones.checkpoint(now); this.#milestones.checkpointed(people);",
    },
  ],
  "a milestone confirmed before D1 has it": [
    {
      file: "page-ledger.ts",
      from: "    const sent = {",
      to: "    this.#milestones.confirm(rows.milestones);\n    const sent = {",
    },
  ],
  "milestones that a restored D1 does not get back": [
    { file: "page-ledger.ts", from: "      this.#milestones.unconfirm();\n", to: "" },
  ],
  "days that leave their hours in D1": [
    { file: "flush.ts", from: "    ...merge(DELETE_HOURS, rolled),\n", to: "" },
  ],
  "how far it is rolled forgotten on waking": [
    { file: "tallies.ts", from: "    this.rolled.load();\n", to: "" },
  ],
  "a window in memory alone": [
    {
      file: "windows.ts",
      from: "for (const [key, window] of changed) storage.kv.put(key, window);",
      to: "",
    },
  ],
  "a window one request too wide": [
    {
      file: "sliding-window.ts",
      from: "const admitted = live.length < limit;",
      to: "const admitted = live.length <= limit;",
    },
  ],
  "a window that begins anew each minute": [
    {
      file: "sliding-window.ts",
      from: "const live = rebased.filter((at) => now - at < window_ms);",
      to: "const live = rebased.filter((at) => Math.floor(at / window_ms) === Math.floor(now / window_ms));",
    },
  ],
  "refused requests that count": [
    {
      file: "sliding-window.ts",
      from: "  if (admitted) live.push(now);\n",
      to: "  live.push(now);\n  live.splice(0, live.length - limit);\n",
    },
    {
      file: "sliding-window.ts",
      from: "window: admitted ? live : rebased,",
      to: "window: live,",
    },
  ],
  "windows of all senders thrown into one": [
    {
      file: "windows.ts",
      from: "const verdicts = group.map(({ sender, scope, limit, window_ms = WINDOW_MS }) => {",
      to: 'const verdicts = group.map(({ scope, limit, window_ms = WINDOW_MS }) => { const sender = "all";',
    },
  ],
};

/** The code of a folder shaped like `objects/`. */
export async function loadCode(folder: string): Promise<Code> {
  const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href);
  const { PageCounter } = await load("counter.ts");
  const { SenderWindows } = await load("windows.ts");
  return { PageCounter, SenderWindows };
}

/** Makes a broken copy, gives its code to `use`, and throws it away. */
export async function withMutant<R>(name: string, use: (code: Code) => Promise<R>): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), "sila-mutant-"));
  try {
    await cp(OBJECTS, folder, { recursive: true });
    for (const { file, from, to } of MUTANTS[name] ?? []) {
      const path = join(folder, file);
      const text = await readFile(path, "utf8");
      if (!text.includes(from)) throw new Error(`${name}: ${file} no longer says: ${from}`);
      await writeFile(
        path,
        text.replaceAll(from, () => to),
      );
    }
    return await use(await loadCode(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
