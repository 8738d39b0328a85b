/** The code that counts, broken on purpose in likely ways: the model must notice each of them. */
import { type Break, inFile, type Load, loadBroken } from "../mutants/breaks.ts";
import type { Code } from "./world.ts";

/** The part of the router that the model puts together itself. */
const ROUTER = "test/model/router.ts";

export const MUTANTS: Record<string, readonly Break[]> = {
  ...inFile("objects/page/tables/page-tables.ts", {
    "ids remembered in memory alone": ["this.#ids.addPacked(keys, at)", "void keys"],
    "ids of the journal forgotten on waking": [
      "this.#journal.load((event, at_ms, seq) => this.#apply(event, at_ms, seq <= this.#mark.seq));",
      "this.#journal.load((event, at_ms) => { this.tallies.add(event, at_ms); this.days.add(event, at_ms); });",
    ],
    "a journal that is not read back": [
      "this.#journal.load((event, at_ms, seq) => this.#apply(event, at_ms, seq <= this.#mark.seq));",
      "",
    ],
    "an event taken into memory before it is written": [
      "    const events = this.#journal.append(tx, batches, at_ms);\n",
      `    for (const batch of batches) {
      for (const { key } of batch.events()) this.#ids.add(key.high, key.low, at_ms);
    }
    const events = this.#journal.append(tx, batches, at_ms);\n`,
    ],
    "a mark that outlives its checkpoint": [
      "      this.#journal.clear(tx);\n      this.#mark.delete(tx);\n",
      "      this.#journal.clear(tx);\n",
    ],
    "a journal that is folded twice": ["      this.#journal.clear(tx);\n", ""],
    "milestones that a restored D1 does not get back": ["      this.milestones.unconfirm();\n", ""],
    "totals noted without what is in the journal": [
      "this.#revisions.note(version, now, this.tallies.totals());",
      "this.#revisions.note(version, now, new Tallies(this.#storage, this.#checkpoints).totals());",
    ],
  }),
  ...inFile("objects/page/tables/recent-ids.ts", {
    "a row of ids that is continued without its own": [
      "KeyRun.of([last.run.keys, added])",
      "KeyRun.of([added])",
    ],
    "ids forgotten by the checkpoint that stores them": [
      "for (const run of runs) this.#settled.push({ at_ms, run });",
      "",
    ],
    "ids forgotten after five minutes": [
      "export const REMEMBER_MS = HOUR_MS + 5 * MINUTE_MS;",
      "export const REMEMBER_MS = 5 * MINUTE_MS;",
    ],
  }),
  ...inFile("objects/events/packed-events.ts", {
    "an id that stands for all its links": [
      "    return this.#key(recordAt(i) + KEY);\n",
      "    return { high: this.#key(recordAt(i) + KEY).high & 255, low: 1 };\n",
    ],
    "a row with the first batch of its group alone": [
      "if (batches.length === 1 && only !== undefined)",
      "if (only !== undefined)",
    ],
  }),
  ...inFile("objects/platform/transaction.ts", {
    "a checkpoint that may stop halfway": ["storage.transactionSync(() => work(tx))", "work(tx)"],
    "memory that changes before its transaction holds": [
      "this.#changes.push(change);",
      "change();",
    ],
  }),
  ...inFile("objects/platform/alarm.ts", {
    "a lost alarm that is waited for": [" && this.#at_ms > now - LOST_AFTER_MS", ""],
  }),
  ...inFile("objects/page/flush-page.ts", {
    "a D1 that keeps what came last": [" WHERE excluded.n > tallies.n", ""],
    "a restored D1 that is written to as if it were whole": [
      `WHERE ?5 <= (\${EVENTS_IN_D1})`,
      "WHERE ?5 IS NOT NULL",
    ],
    "days that leave their hours in D1": ["    ...merge(sql.DELETE_HOURS, rolled),\n", ""],
    "a flush that writes although the page is gone": [
      `statements("NOT EXISTS (SELECT 1 FROM pages WHERE page_id = ?1)")`,
      `statements("0")`,
    ],
    "a database that does not remember which pages have left it": [
      `WHEN \${hasLeft("?4")} THEN`,
      "WHEN ?4 IS NULL THEN",
    ],
  }),
  ...inFile("objects/flush/flush-scheduler.ts", {
    "a flush that waits for D1 for ever": [
      "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock)",
      "await sending",
    ],
    "a failed flush that counts as confirmed": [
      "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock)",
      "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock).catch(() => 'written' as const)",
    ],
  }),
  ...inFile("objects/page/page-ledger.ts", {
    "a move that is over before all is confirmed": [
      "      const rows = next;\n",
      "      const rows = next;\n      await this.#home.settle(this.#ports.clock.now());\n",
    ],
    "an object that does not see that it was put back": [
      `if (found === "more") await this.#adopt(held.since);`,
      "void found;",
    ],
    "a journal that is confirmed before D1 has answered": [
      "async #send({ journal: _, month, ...rows }: PageRows, now: number): Promise<FlushResult> {\n",
      `async #send({ journal, month, ...rows }: PageRows, now: number): Promise<FlushResult> {
    if (journal !== null) this.#tables.confirmJournal(journal);\n`,
    ],
    "a milestone confirmed before D1 has it": [
      "    const sending = {",
      "    this.#tables.milestones.confirm(rows.milestones);\n    const sending = {",
    ],
  }),
  ...inFile("objects/page/tables/tallies.ts", {
    "an object that was put back and forgets what came since": [
      "n = excluded.n + n - flushed, flushed = excluded.n",
      "n = excluded.n, flushed = excluded.n",
    ],
    "a restored D1 that is compared with the tables alone": [
      "const added = [...this.#added.values()].filter(({ flushed }) => flushed > 0);",
      "const added: Added[] = [];",
    ],
    "a journal's numbers sent without those of the tables": ["n: (before ?? 0) + n }));", "n }));"],
    "what waits for D1 forgotten on waking": ["this.#unflushed_from = last.unflushed_from;", ""],
    "how far it is rolled forgotten on waking": ["    this.rolled.load();\n", ""],
  }),
  ...inFile("objects/page/tables/days.ts", {
    "a day's version that does not grow after a crash": [
      "    day.added += 1;\n    if (is_flushed) day.flushed += 1;\n",
      "    if (!is_flushed) day.added += 1;\n",
    ],
  }),
  ...inFile("objects/page/tables/milestones.ts", {
    "totals of people that begin anew on waking": [
      "this.#totals = JSON.parse(last.people) as Totals;",
      "this.#totals = { ...NONE };",
    ],
    "totals of people taken over before their checkpoint holds": [
      "tx.afterCommit(() => this.#startFrom(after));",
      "this.#startFrom(after);",
    ],
  }),
  ...inFile("objects/limiter/scope-windows.ts", {
    "a window in memory alone": [
      "for (const { key, entries } of written) kv.put(key, entries);",
      "",
    ],
    "a limiter's group that is acknowledged before its row": [
      "const written = this.#rowsWith(writer.entries, now);",
      `const written = this.#rowsWith(this.late ?? NO_ENTRIES, now);
    this.late = writer.entries;`,
    ],
    "a limiter's row that is dropped before its windows are over": [
      "return now - newest_ms >= this.window_ms;",
      "return now - newest_ms >= this.window_ms / 2;",
    ],
    "a limiter's group that is replayed twice": [
      "entries: joined(live, entries), newest_ms }",
      "entries: joined(joined(live, entries), entries), newest_ms }",
    ],
  }),
  ...inFile("objects/limiter/packed-admissions.ts", {
    "admissions left out of the newest row before they are over": [
      "getFloat64(from, true)) >= window_ms",
      "getFloat64(from, true)) >= window_ms / 2",
    ],
    "admissions that are replayed later than they were": [
      "    const time = view.getFloat64(at, true);\n",
      "    const time = view.getFloat64(entries.length - ENTRY_BYTES, true);\n",
    ],
    "a replay that drops what a step back of the clock left ahead": [
      "windows.set(key, admit(windows.get(key) ?? [], limit, Math.abs(time), window_ms).window);",
      `const at_ms = Math.abs(time);
    const before = (windows.get(key) ?? []).filter((one) => one <= at_ms);
    windows.set(key, time < 0 ? before : [...before, at_ms]);`,
    ],
    "windows of all senders thrown into one": [
      "return String.fromCharCode(",
      'return "all" || String.fromCharCode(',
    ],
  }),
  ...inFile("objects/limiter/sliding-window.ts", {
    "a window one request too wide": [
      "const admitted = excess <= 0;",
      "const admitted = excess <= 1;",
    ],
    "a window that begins anew each minute": [
      "const live = rebased.filter((at) => now - at < window_ms);",
      "const live = rebased.filter((at) => Math.floor(at / window_ms) === Math.floor(now / window_ms));",
    ],
  }),
  ...inFile("src/http/batcher.ts", {
    "a request that waits for another's call without a timer of its own": [
      "const cancel = clock.after(line.waiting[0] === turn ? PACE_MS : PATIENCE_MS, turn.wake);",
      "const cancel = () => {};",
    ],
    "a request that leaves it to the first of those that wait to call": [
      "const cancel = clock.after(line.waiting[0] === turn ? PACE_MS : PATIENCE_MS, turn.wake);",
      "const cancel = line.waiting[0] === turn ? clock.after(PACE_MS, turn.wake) : () => {};",
    ],
    "a request that waits for another's answer without a timer of its own": [
      "return withTimeout(turn.answer, this.#timeout_ms, clock);",
      "return turn.answer;",
    ],
    "a shared call that ends with the client of its request": [
      "waitUntil(calling.then(() => this.#ended(line)));",
      "void waitUntil, calling.then(() => this.#ended(line));",
    ],
    "an item that is sent long after its request has ended": [
      "return now < since || now - since >= ABANDONED_MS;",
      "return false;",
    ],
    "answers of a shared call in another order": [
      "taken.settle(answers[i]);",
      "taken.settle(answers[group.length - 1 - i]);",
    ],
  }),
  ...inFile("src/http/limiter-calls.ts", {
    "verdicts of a limiter in another order": [
      "bytes.write(sender, i * SENDER_BYTES,",
      "bytes.write(sender, (senders.length - 1 - i) * SENDER_BYTES,",
    ],
    "a limiter that is waited for without an end": [
      "new Batcher(clock, CHECKS_PER_CALL_MAX, LIMITER_TIMEOUT_MS)",
      "new Batcher(clock, CHECKS_PER_CALL_MAX, 60_000)",
    ],
  }),
  ...inFile("objects/page/event-recorder.ts", {
    "receipts of a page in another order": [
      "return places.map((place, i) => {",
      "return places.toReversed().map((place, i) => {",
    ],
    "a group of events that is acknowledged before its row": [
      "if (fresh.size > 0) this.#append(group);",
      // The object may have ended meanwhile.
      "if (fresh.size > 0) this.#ports.clock.after(20, () => { try { this.#append(group); } catch {} });",
    ],
    "an event that D1 must be asked for and that fails its batch": [
      "if (place === undefined) return UNSETTLED;",
      'if (place === undefined) throw new Error("D1 must be asked");',
    ],
    "a batch that waits for D1 with one of its events": [
      `    if (batch.length === 1 && places[0] === undefined)
      places[0] = await this.#lookUp(batch.linkId(0));
`,
      `    for (let i = 0; i < batch.length; i += 1) {
      if (places[i] === undefined) places[i] = await this.#lookUp(batch.linkId(i));
    }
`,
    ],
    "duplicates within a batch that count": [
      "!this.#tables.has(high, low) && fresh.add(high, low)",
      "!this.#tables.has(high, low) && (fresh.add(high, low), true)",
    ],
  }),
  ...inFile("src/counting/recorder.ts", {
    "an unsettled event that is taken for counted": [
      'if (receipt.outcome !== "unsettled") return receipt;',
      'if (receipt.outcome !== "unsettled") return receipt; return { outcome: "counted", url: "" };',
    ],
    "an unsettled event that is left at that": [
      'if (receipt.outcome !== "unsettled") return receipt;',
      'if (receipt.outcome !== "unsettled") return receipt; throw new Error("unsettled");',
    ],
    "a page that is waited for without an end": [
      "new Batcher(clock, EVENTS_PER_CALL_MAX, RECORD_TIMEOUT_MS)",
      "new Batcher(clock, EVENTS_PER_CALL_MAX, 60_000)",
    ],
  }),
  ...inFile("src/http/admission.ts", {
    "a refusal remembered for ever": [" || now >= refused.until) {", ") {"],
    "a refusal remembered from its answer": [
      "refused.until = asked_at + verdict.reset_ms;",
      "refused.until = answered_at + verdict.reset_ms;",
    ],
    "a refusal that a clock set back makes longer": ["now < refused.seen_at || ", ""],
    "a refusal promised too early": [
      "refused.retry_at = answered_at + verdict.reset_ms;",
      "refused.retry_at = asked_at + verdict.reset_ms;",
    ],
  }),
  ...inFile("src/counting/clicks.ts", {
    "a click with a new key at each try": [
      "const event = await making;",
      "const event = await ports.makeEvent();",
    ],
    "a redirect that waits until its click is counted": [
      "const counted = await this.#within(counting, left_ms);",
      "const counted = await counting.catch(() => undefined);",
    ],
    "a click that ends with its redirect": ["    ports.waitUntil(\n", "    Promise.resolve(\n"],
    "a page's refusal that waits for D1": ["await answer.catch(refusalOf)", "await answer"],
  }),
  ...inFile("src/counting/event-key.ts", {
    "an id for each request in place of each tap": [
      "  if (tap_id !== undefined) return keyOf(",
      "  if (tap_id !== undefined) return null;\n  if (tap_id !== undefined) return keyOf(",
    ],
    "a tap that belongs to its sender": [`tap\\n\${is_bot}`, `tap\\n\${sender}\\n\${is_bot}`],
    "a shared address that is one click for all": [`click\\n\${sender}\\n`, "click\\n"],
  }),
  ...inFile("src/client/taps.ts", {
    "an impatient second tap that is another click": [
      "if (!tap || at_ms - tap.at_ms >= SAME_TAP_MS)",
      "if (at_ms >= 0)",
    ],
    "a later tap that is the same click": [" || at_ms - tap.at_ms >= SAME_TAP_MS", ""],
    "taps that outlive a return to the page": ["forget: () => last.clear()", "forget: () => {}"],
  }),
  ...inFile("src/counting/retry-counting.ts", {
    "a click that is tried again without an end": [
      "await withTimeout(tryAll(), COUNT_RETRY_MAX_MS, clock)",
      "await tryAll()",
    ],
    "a click that is tried again after its page has refused it": [" || is_final(error)", ""],
  }),
  ...inFile("src/counting/link-targets.ts", {
    "an address remembered without an end while D1 is down": [
      " || !this.#isYoung(remembered, STALE_MAX_MS)",
      "",
    ],
  }),
  ...inFile("src/counting/limited-counts.ts", {
    "numbers that are handed over twice": [
      "    this.#sending.delete(page_id);\n    try {\n",
      "    try {\n",
    ],
  }),
  ...inFile("test/model/router.ts", {
    "a change that is announced but not noted": [
      `await db.batch([notePageChanged(db, page_id, clock.now()), ...statements(db)]);
    c.waitUntil(keepDelivering(this.#delivery).catch(() => {}));`,
      `await db.batch(statements(db));
    const change = { page_id, nonce: "", changed_at: clock.now(), ended: false, announced: false, purged: 0 } as const;
    c.waitUntil(this.#ports.announce(change).catch(() => {}));`,
    ],
  }),
  ...inFile("src/pages/cache/change-delivery.ts", {
    "a change that counts as announced when the announcement failed": [
      "announced: announced[i] ?? false,",
      "announced: true,",
    ],
  }),
  ...inFile("src/pages/document/page-changes-store.ts", {
    "a second change that is taken for the first": [" AND page_changes.nonce = change.nonce", ""],
  }),
  ...inFile("objects/page/known-page.ts", {
    "an object that keeps a removed link": [
      "const known = row === undefined ? null : parsePageRow(row);",
      `const parsed = row === undefined ? null : parsePageRow(row);
      const known = parsed && { ...parsed, links: new Map([...(before?.links ?? []), ...parsed.links]) };`,
    ],
    "an object that counts on a suspended page": [
      '    if (known.status === "suspended") return { outcome: "suspended" };\n',
      "",
    ],
    "a change that the object keeps in memory alone": [
      "if (!isSame(known, before)) this.#replace(known, before);",
      "if (before === null) this.#replace(known, before);",
    ],
  }),
  ...inFile("objects/page/open-link.ts", {
    "a link that opens a second late": [
      "(from ?? Number.NEGATIVE_INFINITY) <= now_s",
      "(from ?? Number.NEGATIVE_INFINITY) < now_s",
    ],
    "a link that closes a second late": [
      "now_s < (until ?? Infinity)",
      "now_s <= (until ?? Infinity)",
    ],
    "a link that counts although it is switched off": ["enabled !== false && ", "void enabled, "],
  }),
  ...inFile("objects/page/page-counter.ts", {
    "totals noted when a version goes out of use": [
      "this.#tables.noteRevision(page.version, now);",
      "this.#tables.noteRevision(before?.version ?? 0, now);",
    ],
    "an end that leaves its rows in D1": [
      "withTimeout(forgetPage(db, pageId()),",
      "withTimeout(Promise.resolve(),",
    ],
    "an end that asks the main database alone": ["      this.#home.forget(clock.now()),\n", ""],
    "an end that is kept in memory alone": ["      storage.kv.put(ENDED, clock.now());\n", ""],
  }),
  ...inFile("objects/page/tables/day-bounds.ts", {
    "a time zone that changes the day under way": [
      "    if (known !== undefined) return known;\n    let day = this.#between(",
      `    if (known?.to_s === dayInZone(at_ms, time_zone).to_s) return known;
    this.#current = undefined;
    let day = (this.#between, (_, local) => local)(`,
    ],
    "bounds of a day that are kept in memory alone": ["    this.#kv.put(STORED_AS, days);\n", ""],
  }),
  ...inFile("objects/page/home/page-home.ts", {
    "a move during which readers hear what the other database has": [
      "return from === null || copied ? null : (held ?? null);",
      "return from === null || copied || held ? null : null;",
    ],
    "a move that leaves imported history behind": [
      "      await copyHistory({ from: named(from), to: named(at) }, page_id, move, inTime);\n",
      "",
    ],
    "a move that is forgotten halfway": [
      "    await inTime(leave(this.#open(from), page_id, move, now));\n",
      "",
    ],
  }),
  "a flush of differences": [
    {
      file: "objects/page/flush-page.ts",
      from: "DO UPDATE SET n = excluded.n WHERE excluded.n > tallies.n",
      to: "DO UPDATE SET n = tallies.n + excluded.n",
    },
    {
      file: "objects/page/tables/tallies.ts",
      from: "SELECT hour, kind, link_id, class, n FROM tallies",
      to: "SELECT hour, kind, link_id, class, n - flushed AS n FROM tallies",
    },
    {
      file: "objects/page/tables/tallies.ts",
      from: "SET flushed = max(flushed, sent.n)",
      to: "SET flushed = flushed + sent.n",
    },
  ],
  "an alarm that throws": [
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "      this.#ports.onFlushFailed(error, this.#interval(this.#now()));\n",
      to: "      throw error;\n",
    },
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "    if (this.#isDirty()) this.schedule(now);\n    const due_at",
      to: "    const due_at",
    },
  ],
  "an alarm that is not set again": [
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "      this.#alarm.arm(this.#pauses.failed(error, this.#now(), this.#ports.random()));\n",
      to: "",
    },
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "    this.#armForRest();\n  }\n",
      to: "  }\n",
    },
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "    if (this.#isDirty()) this.schedule(now);\n    const due_at",
      to: "    const due_at",
    },
  ],
  "a restored D1 that nobody notices": [
    { file: "objects/page/page-ledger.ts", from: "else this.unconfirm();", to: "" },
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "if (!is_whole) ledger.unconfirm();",
      to: "void is_whole;",
    },
  ],
  "a flush that confirms events it did not send": [
    {
      file: "objects/page/tables/page-tables.ts",
      from: "this.#mark.store(seq);",
      to: "this.#mark.store(this.#journal.seq);",
    },
    {
      file: "objects/page/tables/tallies.ts",
      from: "added.flushed = Math.max(added.flushed, tally.n - (added.before ?? 0));",
      to: "added.flushed = added.n;",
    },
  ],
  "refused requests that count": [
    {
      file: "objects/limiter/sliding-window.ts",
      from: "  for (let i = 0; admitted && i < units; i += 1) live.push(now);\n",
      to: "  live.push(now);\n  live.splice(0, live.length - limit);\n",
    },
    {
      file: "objects/limiter/sliding-window.ts",
      from: "window: admitted ? live.slice() : rebased,",
      to: "window: live,",
    },
  ],
  "duplicates in two batches of a group that count": [
    {
      file: "objects/page/event-recorder.ts",
      from: "    const outcomes = group.map((batch) =>\n      Array.from({ length: batch.length }, (_, i): Outcome => {",
      to: `    const outcomes = group.map((batch) =>
      ((own) => Array.from({ length: batch.length }, (_, i): Outcome => {
        const fresh = own;`,
    },
    {
      file: "objects/page/event-recorder.ts",
      from: `        return "duplicate";
      }),
    );`,
      to: `        return "duplicate";
      }))(new KeyTable()),
    );
    fresh.add(1, 1);`,
    },
  ],
  "a dropped event that counts once it is read back": [
    {
      file: "objects/events/packed-events.ts",
      from: "  events(): JournalEvent[] {",
      to: "  events(isReadBack = false): JournalEvent[] {",
    },
    {
      file: "objects/events/packed-events.ts",
      from: "const class_ = CLASSES[this.#view.getUint8(recordAt(i) + CLASS)];",
      to: 'const class_ = CLASSES[this.#view.getUint8(recordAt(i) + CLASS)] ?? (isReadBack ? "human" : null);',
    },
    {
      file: "objects/page/tables/journal.ts",
      from: "flatMap((batch) => batch.events())",
      to: "flatMap((batch) => batch.events(true))",
    },
  ],
  "a limiter that is asked again when its answer is lost": [
    {
      file: "src/http/limiter-calls.ts",
      from: "verdicts(await checkAll(name, { ...rule, senders: pack(senders) })),",
      to: `{
        const ask = () => checkAll(name, { ...rule, senders: pack(senders) });
        return verdicts(await withTimeout(ask(), LIMITER_TIMEOUT_MS / 2, this.clock).catch(ask));
      },`,
    },
    {
      file: "src/http/limiter-calls.ts",
      from: "  constructor(clock: Clock) {\n",
      to: "  constructor(clock: Clock) {\n    this.clock = clock;\n",
    },
    {
      file: "src/http/limiter-calls.ts",
      from: "import { Batcher,",
      to: 'import { withTimeout } from "../../objects/platform/clock.ts";\nimport { Batcher,',
    },
  ],
  "a known link that waits for the look-up of another": [
    {
      file: "objects/page/event-recorder.ts",
      from: "    const places = this.#places(batch);\n",
      to: "    await this.#page.busy();\n    const places = this.#places(batch);\n",
    },
    {
      file: "objects/page/known-page.ts",
      from: "  get hasEnded()",
      to: "  busy() { return this.#current; }\n\n  get hasEnded()",
    },
  ],
  "a move that confirms nothing anew": [
    {
      file: "objects/page/page-ledger.ts",
      from: "        () => this.unconfirm(),\n",
      to: "        () => {},\n",
    },
    { file: "objects/page/flush-page.ts", from: "n_in_d1 >= n ? ", to: "n_in_d1 >= 0 ? " },
    {
      file: "objects/page/flush-page.ts",
      from: `?5 <= (\${EVENTS_IN_D1})`,
      to: `(?5 IS NULL OR 0 <= (\${EVENTS_IN_D1}))`,
    },
  ],
};

export async function loadCode(load: Load): Promise<Code> {
  const { PageCounter } = await load("objects/page/page-counter.ts");
  const { SenderWindows } = await load("objects/limiter/sender-windows.ts");
  const { SimRouter, toAnswer } = await load(ROUTER);
  const { makeTaps } = await load("src/client/taps.ts");
  return { PageCounter, SenderWindows, SimRouter, toAnswer, makeTaps };
}

export function loadMutant(name: string): Promise<Code> {
  return loadCode(loadBroken(MUTANTS[name] ?? []));
}
