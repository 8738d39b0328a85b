/** The code that counts, broken on purpose in likely ways: the model must notice each of them. */
import { type Break, type Load, loadBroken } from "../mutants/breaks.ts";
import type { Code } from "./world.ts";

/** The part of the router that the model puts together itself. */
const ROUTER = "test/model/router.ts";

/** By name, which says how the rule is broken. */
export const MUTANTS: Record<string, readonly Break[]> = {
  "a flush of differences": [
    {
      file: "objects/page/flush-page.ts",
      from: "DO UPDATE SET n = excluded.n WHERE excluded.n > tallies.n",
      to: "DO UPDATE SET n = tallies.n + excluded.n",
    },
    {
      file: "objects/tables/tallies.ts",
      from: "SELECT hour, kind, link_id, class, n FROM tallies",
      to: "SELECT hour, kind, link_id, class, n - flushed AS n FROM tallies",
    },
    {
      file: "objects/tables/tallies.ts",
      from: "SET flushed = max(flushed, sent.n)",
      to: "SET flushed = flushed + sent.n",
    },
  ],
  "ids remembered in memory alone": [
    {
      file: "objects/tables/page-tables.ts",
      from: "this.#ids.addPacked(keys, at)",
      to: "void keys",
    },
  ],
  "a row of ids that is continued without its own": [
    {
      file: "objects/tables/recent-ids.ts",
      from: "KeyRun.of([last.run.keys, added])",
      to: "KeyRun.of([added])",
    },
  ],
  "ids forgotten by the checkpoint that stores them": [
    {
      file: "objects/tables/recent-ids.ts",
      from: "for (const run of runs) this.#settled.push({ at_ms, run });",
      to: "",
    },
  ],
  "ids of the journal forgotten on waking": [
    {
      file: "objects/tables/page-tables.ts",
      from: "this.#journal.load((event, at_ms, seq) => this.#apply(event, at_ms, seq <= this.#mark.seq));",
      to: "this.#journal.load((event, at_ms) => { this.tallies.add(event, at_ms); this.days.add(event, at_ms); });",
    },
  ],
  "ids forgotten after five minutes": [
    {
      file: "objects/tables/recent-ids.ts",
      from: "export const REMEMBER_MS = HOUR_MS + 5 * MINUTE_MS;",
      to: "export const REMEMBER_MS = 5 * MINUTE_MS;",
    },
  ],
  "an id that stands for all its links": [
    {
      file: "objects/tables/packed-events.ts",
      from: "    return this.#key(recordAt(i) + KEY);\n",
      to: "    return { high: this.#key(recordAt(i) + KEY).high & 255, low: 1 };\n",
    },
  ],
  "a journal that is not read back": [
    {
      file: "objects/tables/page-tables.ts",
      from: "this.#journal.load((event, at_ms, seq) => this.#apply(event, at_ms, seq <= this.#mark.seq));",
      to: "",
    },
  ],
  "an event taken into memory before it is written": [
    {
      file: "objects/tables/page-tables.ts",
      from: "    const events = this.#journal.append(tx, batches, at_ms);\n",
      to: `    for (const batch of batches) {
      for (const { key } of batch.events()) this.#ids.add(key.high, key.low, at_ms);
    }
    const events = this.#journal.append(tx, batches, at_ms);\n`,
    },
  ],
  "a checkpoint that may stop halfway": [
    {
      file: "objects/platform/transaction.ts",
      from: "storage.transactionSync(() => work(tx))",
      to: "work(tx)",
    },
  ],
  "memory that changes before its transaction holds": [
    {
      file: "objects/platform/transaction.ts",
      from: "this.#changes.push(change);",
      to: "change();",
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
  "a lost alarm that is waited for": [
    {
      file: "objects/platform/alarm.ts",
      from: " && this.#at_ms > now - LOST_AFTER_MS",
      to: "",
    },
  ],
  "a D1 that keeps what came last": [
    { file: "objects/page/flush-page.ts", from: " WHERE excluded.n > tallies.n", to: "" },
  ],
  "a flush that waits for D1 for ever": [
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock)",
      to: "await sending",
    },
  ],
  "a failed flush that counts as confirmed": [
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock)",
      to: "await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock).catch(() => 'written' as const)",
    },
  ],
  "a restored D1 that nobody notices": [
    { file: "objects/flush/flush-scheduler.ts", from: "else ledger.unconfirm();", to: "" },
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "if (!is_whole) ledger.unconfirm();",
      to: "void is_whole;",
    },
  ],
  "a restored D1 that is written to as if it were whole": [
    {
      file: "objects/page/flush-page.ts",
      from: `WHERE ?6 <= (\${EVENTS_IN_D1})`,
      to: "WHERE ?6 IS NOT NULL",
    },
  ],
  "a flush that confirms events it did not send": [
    {
      file: "objects/tables/page-tables.ts",
      from: "this.#mark.store(seq);",
      to: "this.#mark.store(this.#journal.seq);",
    },
    {
      file: "objects/tables/tallies.ts",
      from: "added.flushed = Math.max(added.flushed, tally.n - (added.before ?? 0));",
      to: "added.flushed = added.n;",
    },
  ],
  "a journal that is confirmed before D1 has answered": [
    {
      file: "objects/page/page-ledger.ts",
      from: "async send({ tallies, days, milestones, tips }: PageRows, now: number): Promise<FlushResult> {\n",
      to: `async send({ tallies, days, milestones, tips, journal }: PageRows, now: number): Promise<FlushResult> {
    if (journal !== null) this.#tables.confirmJournal(journal);\n`,
    },
  ],
  "a mark that outlives its checkpoint": [
    {
      file: "objects/tables/page-tables.ts",
      from: "      this.#journal.clear(tx);\n      this.#mark.delete(tx);\n",
      to: "      this.#journal.clear(tx);\n",
    },
  ],
  "a restored D1 that is compared with the tables alone": [
    {
      file: "objects/tables/tallies.ts",
      from: "const added = [...this.#added.values()].filter(({ flushed }) => flushed > 0);",
      to: "const added: Added[] = [];",
    },
  ],
  "a journal that is folded twice": [
    { file: "objects/tables/page-tables.ts", from: "      this.#journal.clear(tx);\n", to: "" },
  ],
  "a journal's numbers sent without those of the tables": [
    {
      file: "objects/tables/tallies.ts",
      from: "n: (before ?? 0) + n }));",
      to: "n }));",
    },
  ],
  "a day's version that does not grow after a crash": [
    {
      file: "objects/tables/days.ts",
      from: "    day.added += 1;\n    if (is_flushed) day.flushed += 1;\n",
      to: "    if (!is_flushed) day.added += 1;\n",
    },
  ],
  "what waits for D1 forgotten on waking": [
    {
      file: "objects/tables/tallies.ts",
      from: "this.#unflushed_from = last.unflushed_from;",
      to: "",
    },
  ],
  "totals of people that begin anew on waking": [
    {
      file: "objects/tables/milestones.ts",
      from: "this.#totals = JSON.parse(last.people) as Totals;",
      to: "this.#totals = { ...NONE };",
    },
  ],
  "totals of people taken over before their checkpoint holds": [
    {
      file: "objects/tables/milestones.ts",
      from: "tx.afterCommit(() => this.#startFrom(after));",
      to: "this.#startFrom(after);",
    },
  ],
  "a milestone confirmed before D1 has it": [
    {
      file: "objects/page/page-ledger.ts",
      from: "    const sending = {",
      to: "    this.#tables.milestones.confirm(milestones);\n    const sending = {",
    },
  ],
  "milestones that a restored D1 does not get back": [
    { file: "objects/tables/page-tables.ts", from: "      this.milestones.unconfirm();\n", to: "" },
  ],
  "days that leave their hours in D1": [
    {
      file: "objects/page/flush-page.ts",
      from: "    ...merge(sql.DELETE_HOURS, rolled),\n",
      to: "",
    },
  ],
  "how far it is rolled forgotten on waking": [
    { file: "objects/tables/tallies.ts", from: "    this.rolled.load();\n", to: "" },
  ],
  "a window in memory alone": [
    {
      file: "objects/limiter/scope-windows.ts",
      from: "for (const { key, entries } of written) kv.put(key, entries);",
      to: "",
    },
  ],
  "a limiter's group that is acknowledged before its row": [
    {
      file: "objects/limiter/scope-windows.ts",
      from: "const written = this.#rowsWith(writer.entries, now);",
      to: `const written = this.#rowsWith(this.late ?? NO_ENTRIES, now);
    this.late = writer.entries;`,
    },
  ],
  "a limiter's row that is dropped before its windows are over": [
    {
      file: "objects/limiter/scope-windows.ts",
      from: "return now - newest_ms >= this.window_ms;",
      to: "return now - newest_ms >= this.window_ms / 2;",
    },
  ],
  "admissions left out of the newest row before they are over": [
    {
      file: "objects/limiter/packed-admissions.ts",
      from: "getFloat64(from, true)) >= window_ms",
      to: "getFloat64(from, true)) >= window_ms / 2",
    },
  ],
  "a limiter's group that is replayed twice": [
    {
      file: "objects/limiter/scope-windows.ts",
      from: "entries: joined(live, entries), newest_ms }",
      to: "entries: joined(joined(live, entries), entries), newest_ms }",
    },
  ],
  "admissions that are replayed later than they were": [
    {
      file: "objects/limiter/packed-admissions.ts",
      from: "    const time = view.getFloat64(at, true);\n",
      to: "    const time = view.getFloat64(entries.length - ENTRY_BYTES, true);\n",
    },
  ],
  "a replay that drops what a step back of the clock left ahead": [
    {
      file: "objects/limiter/packed-admissions.ts",
      from: "windows.set(key, admit(windows.get(key) ?? [], limit, Math.abs(time), window_ms).window);",
      to: `const at_ms = Math.abs(time);
    const before = (windows.get(key) ?? []).filter((one) => one <= at_ms);
    windows.set(key, time < 0 ? before : [...before, at_ms]);`,
    },
  ],
  "a window one request too wide": [
    {
      file: "objects/limiter/sliding-window.ts",
      from: "const admitted = live.length < limit;",
      to: "const admitted = live.length <= limit;",
    },
  ],
  "a window that begins anew each minute": [
    {
      file: "objects/limiter/sliding-window.ts",
      from: "const live = rebased.filter((at) => now - at < window_ms);",
      to: "const live = rebased.filter((at) => Math.floor(at / window_ms) === Math.floor(now / window_ms));",
    },
  ],
  "refused requests that count": [
    {
      file: "objects/limiter/sliding-window.ts",
      from: "  if (admitted) live.push(now);\n",
      to: "  live.push(now);\n  live.splice(0, live.length - limit);\n",
    },
    {
      file: "objects/limiter/sliding-window.ts",
      from: "window: admitted ? live : rebased,",
      to: "window: live,",
    },
  ],
  "windows of all senders thrown into one": [
    {
      file: "objects/limiter/packed-admissions.ts",
      from: "return String.fromCharCode(",
      to: 'return "all" || String.fromCharCode(',
    },
  ],
  "a request that waits for another's call without a timer of its own": [
    {
      file: "src/http/batcher.ts",
      from: "const cancel = clock.after(line.waiting[0] === turn ? PACE_MS : PATIENCE_MS, turn.wake);",
      to: "const cancel = () => {};",
    },
  ],
  "a request that leaves it to the first of those that wait to call": [
    {
      file: "src/http/batcher.ts",
      from: "const cancel = clock.after(line.waiting[0] === turn ? PACE_MS : PATIENCE_MS, turn.wake);",
      to: "const cancel = line.waiting[0] === turn ? clock.after(PACE_MS, turn.wake) : () => {};",
    },
  ],
  "a request that waits for another's answer without a timer of its own": [
    {
      file: "src/http/batcher.ts",
      from: "return withTimeout(turn.answer, this.#timeout_ms, clock);",
      to: "return turn.answer;",
    },
  ],
  "a shared call that ends with the client of its request": [
    {
      file: "src/http/batcher.ts",
      from: "waitUntil(calling.then(() => this.#ended(line)));",
      to: "void waitUntil, calling.then(() => this.#ended(line));",
    },
  ],
  "an item that is sent long after its request has ended": [
    {
      file: "src/http/batcher.ts",
      from: "return now < since || now - since >= ABANDONED_MS;",
      to: "return false;",
    },
  ],
  "answers of a shared call in another order": [
    {
      file: "src/http/batcher.ts",
      from: "taken.settle(answers[i]);",
      to: "taken.settle(answers[group.length - 1 - i]);",
    },
  ],
  "verdicts of a limiter in another order": [
    {
      file: "src/http/limiter-calls.ts",
      from: "bytes.write(sender, i * SENDER_BYTES,",
      to: "bytes.write(sender, (senders.length - 1 - i) * SENDER_BYTES,",
    },
  ],
  "receipts of a page in another order": [
    {
      file: "objects/page/event-recorder.ts",
      from: "return places.map((place, i) => {",
      to: "return places.toReversed().map((place, i) => {",
    },
  ],
  "a group of events that is acknowledged before its row": [
    {
      file: "objects/page/event-recorder.ts",
      from: "if (fresh.size > 0) this.#append(group);",
      // The object may have ended meanwhile.
      to: "if (fresh.size > 0) this.#ports.clock.after(20, () => { try { this.#append(group); } catch {} });",
    },
  ],
  "an unsettled event that is taken for counted": [
    {
      file: "src/counting/recorder.ts",
      from: 'if (receipt.outcome !== "unsettled") return receipt;',
      to: 'if (receipt.outcome !== "unsettled") return receipt; return { outcome: "counted", url: "" };',
    },
  ],
  "an unsettled event that is left at that": [
    {
      file: "src/counting/recorder.ts",
      from: 'if (receipt.outcome !== "unsettled") return receipt;',
      to: 'if (receipt.outcome !== "unsettled") return receipt; throw new Error("unsettled");',
    },
  ],
  "an event that D1 must be asked for and that fails its batch": [
    {
      file: "objects/page/event-recorder.ts",
      from: "if (place === undefined) return UNSETTLED;",
      to: 'if (place === undefined) throw new Error("D1 must be asked");',
    },
  ],
  "a batch that waits for D1 with one of its events": [
    {
      file: "objects/page/event-recorder.ts",
      from: `    if (batch.length === 1 && places[0] === undefined)
      places[0] = await this.#lookUp(batch.linkId(0));
`,
      to: `    for (let i = 0; i < batch.length; i += 1) {
      if (places[i] === undefined) places[i] = await this.#lookUp(batch.linkId(i));
    }
`,
    },
  ],
  "duplicates within a batch that count": [
    {
      file: "objects/page/event-recorder.ts",
      from: "!this.#tables.has(high, low) && fresh.add(high, low)",
      to: "!this.#tables.has(high, low) && (fresh.add(high, low), true)",
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
      file: "objects/tables/packed-events.ts",
      from: "  events(): JournalEvent[] {",
      to: "  events(isReadBack = false): JournalEvent[] {",
    },
    {
      file: "objects/tables/packed-events.ts",
      from: "const class_ = CLASSES[this.#view.getUint8(recordAt(i) + CLASS)];",
      to: 'const class_ = CLASSES[this.#view.getUint8(recordAt(i) + CLASS)] ?? (isReadBack ? "human" : null);',
    },
    {
      file: "objects/tables/journal.ts",
      from: "flatMap((batch) => batch.events())",
      to: "flatMap((batch) => batch.events(true))",
    },
  ],
  "a row with the first batch of its group alone": [
    {
      file: "objects/tables/packed-events.ts",
      from: "if (batches.length === 1 && only !== undefined)",
      to: "if (only !== undefined)",
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
  "a limiter that is waited for without an end": [
    {
      file: "src/http/limiter-calls.ts",
      from: "new Batcher(clock, CHECKS_PER_CALL_MAX, LIMITER_TIMEOUT_MS)",
      to: "new Batcher(clock, CHECKS_PER_CALL_MAX, 60_000)",
    },
  ],
  "a refusal remembered for ever": [
    {
      file: "src/http/admission.ts",
      from: " || now >= refused.until) {",
      to: ") {",
    },
  ],
  "a refusal remembered from its answer": [
    {
      file: "src/http/admission.ts",
      from: "refused.until = asked_at + verdict.reset_ms;",
      to: "refused.until = answered_at + verdict.reset_ms;",
    },
  ],
  "a refusal that a clock set back makes longer": [
    {
      file: "src/http/admission.ts",
      from: "now < refused.seen_at || ",
      to: "",
    },
  ],
  "a refusal promised too early": [
    {
      file: "src/http/admission.ts",
      from: "refused.retry_at = answered_at + verdict.reset_ms;",
      to: "refused.retry_at = asked_at + verdict.reset_ms;",
    },
  ],
  "a click with a new key at each try": [
    {
      file: "src/counting/clicks.ts",
      from: "const event = await making;",
      to: "const event = await ports.makeEvent();",
    },
  ],
  "an id for each request in place of each tap": [
    {
      file: "src/counting/event-key.ts",
      from: "  if (tap_id !== undefined) return keyOf(",
      to: "  if (tap_id !== undefined) return null;\n  if (tap_id !== undefined) return keyOf(",
    },
  ],
  "a tap that belongs to its sender": [
    {
      file: "src/counting/event-key.ts",
      from: `tap\\n\${is_bot}`,
      to: `tap\\n\${sender}\\n\${is_bot}`,
    },
  ],
  "a shared address that is one click for all": [
    {
      file: "src/counting/event-key.ts",
      from: `click\\n\${sender}\\n`,
      to: "click\\n",
    },
  ],
  "an impatient second tap that is another click": [
    {
      file: "src/client/taps.ts",
      from: "if (!tap || at_ms - tap.at_ms >= SAME_TAP_MS)",
      to: "if (at_ms >= 0)",
    },
  ],
  "a later tap that is the same click": [
    { file: "src/client/taps.ts", from: " || at_ms - tap.at_ms >= SAME_TAP_MS", to: "" },
  ],
  "taps that outlive a return to the page": [
    { file: "src/client/taps.ts", from: "forget: () => last.clear()", to: "forget: () => {}" },
  ],
  "a redirect that waits until its click is counted": [
    {
      file: "src/counting/clicks.ts",
      from: "const counted = await this.#within(counting, left_ms);",
      to: "const counted = await counting.catch(() => undefined);",
    },
  ],
  "a click that ends with its redirect": [
    {
      file: "src/counting/clicks.ts",
      from: "    ports.waitUntil(\n",
      to: "    Promise.resolve(\n",
    },
  ],
  "a click that is tried again without an end": [
    {
      file: "src/counting/retry-counting.ts",
      from: "await withTimeout(tryAll(), COUNT_RETRY_MAX_MS, clock)",
      to: "await tryAll()",
    },
  ],
  "a click that is tried again after its page has refused it": [
    {
      file: "src/counting/retry-counting.ts",
      from: " || is_final(error)",
      to: "",
    },
  ],
  "a page that is waited for without an end": [
    {
      file: "src/counting/recorder.ts",
      from: "new Batcher(clock, EVENTS_PER_CALL_MAX, RECORD_TIMEOUT_MS)",
      to: "new Batcher(clock, EVENTS_PER_CALL_MAX, 60_000)",
    },
  ],
  "an address remembered without an end while D1 is down": [
    {
      file: "src/counting/link-targets.ts",
      from: " || !this.#isYoung(remembered, STALE_MAX_MS)",
      to: "",
    },
  ],
  "a page's refusal that waits for D1": [
    {
      file: "src/counting/clicks.ts",
      from: "await answer.catch(refusalOf)",
      to: "await answer",
    },
  ],
  "numbers that are handed over twice": [
    {
      file: "src/counting/limited-counts.ts",
      from: "    this.#pages.delete(page_id);\n",
      to: "",
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
  "a change that is announced but not noted": [
    {
      file: "test/model/router.ts",
      from: `await db.batch([notePageChanged(db, page_id, clock.now()), ...statements(db)]);
    c.waitUntil(keepDelivering(this.#delivery).catch(() => {}));`,
      to: `await db.batch(statements(db));
    const change = { page_id, nonce: "", changed_at: clock.now(), ended: false, announced: false, purged: 0 } as const;
    c.waitUntil(this.#ports.announce(change).catch(() => {}));`,
    },
  ],
  "a change that counts as announced when the announcement failed": [
    {
      file: "src/pages/change-delivery.ts",
      from: "announced: announced[i] ?? false,",
      to: "announced: true,",
    },
  ],
  "a second change that is taken for the first": [
    {
      file: "src/pages/page-changes-store.ts",
      from: " AND page_changes.nonce = change.nonce",
      to: "",
    },
  ],
  "an object that keeps a removed link": [
    {
      file: "objects/page/known-page.ts",
      from: "const known = row === undefined ? null : parsePageRow(row);",
      to: `const parsed = row === undefined ? null : parsePageRow(row);
      const known = parsed && { ...parsed, links: new Map([...(before?.links ?? []), ...parsed.links]) };`,
    },
  ],
  "an object that counts on a suspended page": [
    {
      file: "objects/page/known-page.ts",
      from: '    if (known.status === "suspended") return { outcome: "suspended" };\n',
      to: "",
    },
  ],
  "a change that the object keeps in memory alone": [
    {
      file: "objects/page/known-page.ts",
      from: "if (!isSame(known, before)) this.#replace(known, before);",
      to: "if (before === null) this.#replace(known, before);",
    },
  ],
  "a link that opens a second late": [
    {
      file: "objects/page/open-link.ts",
      from: "(from ?? Number.NEGATIVE_INFINITY) <= now_s",
      to: "(from ?? Number.NEGATIVE_INFINITY) < now_s",
    },
  ],
  "a link that closes a second late": [
    {
      file: "objects/page/open-link.ts",
      from: "now_s < (until ?? Infinity)",
      to: "now_s <= (until ?? Infinity)",
    },
  ],
  "a link that counts although it is switched off": [
    { file: "objects/page/open-link.ts", from: "enabled !== false && ", to: "void enabled, " },
  ],
  "totals noted when a version goes out of use": [
    {
      file: "objects/page/page-counter.ts",
      from: "this.#tables.noteRevision(page.version, now);",
      to: "this.#tables.noteRevision(before?.version ?? 0, now);",
    },
  ],
  "totals noted without what is in the journal": [
    {
      file: "objects/tables/page-tables.ts",
      from: "this.#revisions.note(version, now, this.tallies.totals());",
      to: "this.#revisions.note(version, now, new Tallies(this.#storage, this.#checkpoints).totals());",
    },
  ],
  "a time zone that changes the day under way": [
    {
      file: "objects/tables/day-bounds.ts",
      from: "    if (known !== undefined) return known;\n    const day = this.#between(",
      to: `    if (known?.to_s === dayInZone(at_ms, time_zone).to_s) return known;
    this.#current = undefined;
    const day = (this.#between, (_, local) => local)(`,
    },
  ],
  "bounds of a day that are kept in memory alone": [
    {
      file: "objects/tables/day-bounds.ts",
      from: "    this.#kv.put(STORED_AS, days);\n",
      to: "",
    },
  ],
  "a flush that writes although the page is gone": [
    {
      file: "objects/page/flush-page.ts",
      from: `statements("NOT EXISTS (SELECT 1 FROM pages WHERE page_id = ?1)")`,
      to: `statements("0")`,
    },
  ],
  "an end that leaves its rows in D1": [
    {
      file: "objects/page/page-counter.ts",
      from: "withTimeout(forgetPage(db, pageId()),",
      to: "withTimeout(Promise.resolve(),",
    },
  ],
  "a move that is over before all is confirmed": [
    {
      file: "objects/flush/flush-scheduler.ts",
      from: "    for (;;) {\n      const rows = ledger.unflushed();",
      to: "    for (;;) {\n      await ledger.settle?.(this.#now());\n      const rows = ledger.unflushed();",
    },
  ],
  "a move that confirms nothing anew": [
    {
      file: "objects/page/page-ledger.ts",
      from: "      () => this.unconfirm(),\n",
      to: "      () => {},\n",
    },
    {
      file: "objects/page/flush-page.ts",
      from: "n_in_d1 >= n ? ",
      to: "n_in_d1 >= 0 ? ",
    },
    {
      file: "objects/page/flush-page.ts",
      from: `?6 <= (\${EVENTS_IN_D1})`,
      to: `(?6 IS NULL OR 0 <= (\${EVENTS_IN_D1}))`,
    },
  ],
  "a move during which readers hear what the other database has": [
    {
      file: "objects/stats/page-home.ts",
      from: "return from === null || copied ? null : (held ?? null);",
      to: "return from === null || copied || held ? null : null;",
    },
  ],
  "a move that leaves imported history behind": [
    {
      file: "objects/stats/page-home.ts",
      from: "      await copyHistory({ from: named(from), to: named(at) }, page_id, move, inTime);\n",
      to: "",
    },
  ],
  "a move that is forgotten halfway": [
    {
      file: "objects/stats/page-home.ts",
      from: "    await inTime(leave(this.#open(from), page_id, move, now));\n",
      to: "",
    },
  ],
  "a database that does not remember which pages have left it": [
    {
      file: "objects/page/flush-page.ts",
      from: `WHEN \${hasLeft("?5")} THEN`,
      to: "WHEN ?5 IS NULL THEN",
    },
  ],
  "an end that asks the main database alone": [
    {
      file: "objects/page/page-counter.ts",
      from: "      this.#home.forget(clock.now()),\n",
      to: "",
    },
  ],
  "an end that is kept in memory alone": [
    {
      file: "objects/page/page-counter.ts",
      from: "      storage.kv.put(ENDED, clock.now());\n",
      to: "",
    },
  ],
};

/** The code that a model runs, as it is or broken. */
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
