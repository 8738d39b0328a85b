/**
 * Mutants drawn by `node test/mutants/draw.ts --seed 30 --per-room 5`: nobody chose them.
 * Where no test notices one, `caught_by` is null and a comment says why.
 */
import type { RoomMutant } from "./room-mutants.ts";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are code
/** Their files stand in their names. */
const DRAWN: Record<string, Omit<RoomMutant, "file">> = {
  "src/accounts/apply-event.ts:40 drop an await": {
    from: "      await inTime(DB.batch([markProcessed(DB, id, now), ...effectsOf(DB, event, now)]));",
    to: "      inTime(DB.batch([markProcessed(DB, id, now), ...effectsOf(DB, event, now)]));",
    caught_by: "test/workers/accounts/webhooks.test.ts",
  },
  "src/authoring/transfer/import-route.ts:93 drop a guard": {
    from: "  if (file === null) throw tooLarge();",
    to: "  ;",
    caught_by: "test/workers/authoring/transfer/transfer-import.test.ts",
  },
  "src/blocks/newsletter/newsletter-page-route.tsx:96 flip a comparison": {
    from: '      state !== "confirmed" || page_id === null ? [] : await filesOf(c, token, page_id, locale),',
    to: '      state !== "confirmed" || page_id !== null ? [] : await filesOf(c, token, page_id, locale),',
    caught_by: "test/workers/blocks/newsletter.test.ts",
  },
  "src/blocks/tips/tip-page-route.tsx:164 flip a comparison": {
    from: "  if (type !== FORM_TYPE) return null;",
    to: "  if (type === FORM_TYPE) return null;",
    caught_by: "test/workers/blocks/tip-page.test.ts",
  },
  // The answer is the same 404. No test sees that a stranger's request makes the page's object flush.
  "src/blocks/tips/tips-page-route.ts:39 drop a guard": {
    from: "    if (page === null) return { page, received: null };",
    to: "    ;",
    caught_by: null,
  },
  "src/http/config.ts:261 flip a comparison": {
    from: "  if (env.ONE_MACHINE !== true) {",
    to: "  if (env.ONE_MACHINE === true) {",
    caught_by: "test/workers/http/config.test.ts",
  },
  // Tests of this time-out use the constant, and no test knows its number.
  "src/counting/limits.ts:12 shift a limit": {
    from: "export const RECORD_TIMEOUT_MS = 10_000;",
    to: "export const RECORD_TIMEOUT_MS = 10_001;",
    caught_by: null,
  },
  // No test lets a store hang until this time-out.
  "src/accounts/limits.ts:4 shift a limit": {
    from: "export const SESSION_STORE_TIMEOUT_MS = 2_000;",
    to: "export const SESSION_STORE_TIMEOUT_MS = 2_001;",
    caught_by: null,
  },
  // Short waits end up to two ticks later, which tests allow for every wait. 150 seeds of the model too.
  "src/http/request-timers.ts:34 drop a guard": {
    from: "    if (ms < TICK_MS) return this.#clock.after(ms, callback);",
    to: "    ;",
    caught_by: null,
  },
  "src/http/secret.ts:120 drop a guard": {
    from: "    if (bytes.subarray(period).every((byte, i) => byte === bytes[i])) return true;",
    to: "    ;",
    caught_by: "test/workers/http/config.test.ts",
  },
  // By `android-3`, which some of 20,000 random user agents have without words that decide earlier.
  "src/counting/device.ts:55 flip a comparison": {
    from: '    return Number(version) >= TABLET_ANDROID ? "tablet" : "mobile";',
    to: '    return Number(version) > TABLET_ANDROID ? "tablet" : "mobile";',
    caught_by: "test/plain/counting/device.test.ts",
  },
  "src/counting/link-targets.ts:18 shift a limit": {
    from: "const STALE_MAX_MS = 60_000;",
    to: "const STALE_MAX_MS = 60_001;",
    caught_by: "test/workers/counting/router-memories.test.ts",
  },
  "src/counting/link-targets.ts:54 drop a guard": {
    from: "    if (missing !== undefined && this.#isYoung(missing, ABSENT_MS)) return null;",
    to: "    ;",
    caught_by: "test/workers/counting/router-memories.test.ts",
  },
  // Equivalent: of two reads that begin in the same millisecond, either may be kept.
  "src/counting/link-targets.ts:92 flip a comparison": {
    from: "    if (before !== undefined && before.asked_at > asked_at) return;",
    to: "    if (before !== undefined && before.asked_at >= asked_at) return;",
    caught_by: null,
  },
  // Equivalent: a page's object always settles an event that is alone.
  "src/counting/recorder.ts:85 drop a guard": {
    from: '    if (settled === undefined || settled.outcome === "unsettled") {\n      throw new Error("the object did not settle an event");\n    }',
    to: "    ;",
    caught_by: null,
  },
  "src/dashboard/stats/ranked-lists.tsx:72 drop a guard": {
    from: "  if (campaigns.length === 0) return null;",
    to: "  ;",
    caught_by: "test/workers/dashboard/dashboard-views.test.tsx",
  },
  "src/dashboard/stats/dashboard-query.ts:105 flip a comparison": {
    from: "  return from !== undefined && to !== undefined && to < from",
    to: "  return from !== undefined && to === undefined && to < from",
    caught_by: "test/workers/dashboard/dashboard.test.ts",
  },
  "src/dashboard/stats/shown.ts:24 drop a guard": {
    from: "  if (link === null) return { views, clicks, has_clicks: true, points: series };",
    to: "  ;",
    caught_by: "test/workers/dashboard/dashboard-views.test.tsx",
  },
  "src/dashboard/stats/stats-page.tsx:212 flip a comparison": {
    from: "      <Audit {...{ locale, audit, time }} has_imported={imported.views + imported.clicks > 0} />",
    to: "      <Audit {...{ locale, audit, time }} has_imported={imported.views + imported.clicks >= 0} />",
    caught_by: "test/workers/dashboard/dashboard-views.test.tsx",
  },
  "src/stats/page-stats.ts:34 drop an await": {
    from: '      await (fresh === "tried" ? flushing.catch(() => {}) : flushing);',
    to: '      (fresh === "tried" ? flushing.catch(() => {}) : flushing);',
    caught_by: "test/workers/stats/stats.test.ts",
  },
  "src/authoring/edit.ts:27 drop a guard": {
    from: '  if (issues.length > 0) throw new ApiError("VALIDATION_FAILED", { details: { issues } });',
    to: "  ;",
    caught_by: "test/workers/authoring/links-of-pages.test.ts",
  },
  "src/authoring/transfer/from-csv.ts:113 flip a comparison": {
    from: "  if (from === undefined || until === undefined) return { reason: REASONS.bad_time };",
    to: "  if (from !== undefined || until === undefined) return { reason: REASONS.bad_time };",
    caught_by: "test/workers/authoring/transfer/transfer-parsers.test.ts",
  },
  "src/authoring/transfer/from-export.ts:218 drop an await": {
    from: "  await addAll(FILES.tallies, UNZIPPED_BYTES_MAX, (row) => sum.addTally(row));",
    to: "  addAll(FILES.tallies, UNZIPPED_BYTES_MAX, (row) => sum.addTally(row));",
    caught_by: "test/workers/authoring/transfer/transfer-counts.test.ts",
  },
  "src/authoring/transfer/unzip.ts:53 flip a comparison": {
    from: "    if (bytes.length !== entry.bytes || crc32(bytes) !== entry.crc) {",
    to: "    if (bytes.length === entry.bytes || crc32(bytes) !== entry.crc) {",
    caught_by: "test/workers/authoring/transfer/transfer-unzip.test.ts",
  },
  "src/authoring/transfer/unzip.ts:171 drop a guard": {
    from: "  if (local + LOCAL_BYTES > directory_end) throw new ImportRefused(REASONS.broken_zip);",
    to: "  ;",
    caught_by: "test/workers/authoring/transfer/transfer-unzip.test.ts",
  },
  // Equivalent for fonts that can be read: they are registered in microtasks, before the drawing begins.
  "src/workshop/draw-share-picture.ts:33 drop an await": {
    from: "      await renderer.registerFont({ name: family, weight, data });",
    to: "      renderer.registerFont({ name: family, weight, data });",
    caught_by: null,
  },
  "src/pages/render/link-list.tsx:88 drop a guard": {
    from: "  if (icons.length === 0) return null;",
    to: "  ;",
    caught_by: "test/workers/pages/link-kinds.test.tsx",
  },
  "src/pages/cache/page-changes.ts:50 drop an await": {
    from: "  await Promise.all([",
    to: "  Promise.all([",
    caught_by: "test/workers/page/page-changes.test.ts",
  },
  "src/pages/render/render-sitemap.ts:67 flip a comparison": {
    from: "  if (after !== null) {",
    to: "  if (after === null) {",
    caught_by: "test/workers/site/sitemap.test.ts",
  },
  "src/views/accent.ts:98 flip a comparison": {
    from: "  if (look.accent === null) return null;",
    to: "  if (look.accent !== null) return null;",
    caught_by: "test/workers/pages/look.test.tsx",
  },
  "src/client/editor/local-drafts.ts:10 shift a limit": {
    from: "const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;",
    to: "const KEPT_MS = 31 * 24 * 60 * 60 * 1_000;",
    caught_by: "test/plain/client/editing.test.ts",
  },
  // No test looks at the drawings of palettes.
  "src/client/editor/look/look-axes.tsx:45 drop a guard": {
    from: '  if (axis === "palette") {\n    return <PaletteDrawing palette={value as Look["palette"]} scheme={look.scheme} />;\n  }',
    to: "  ;",
    caught_by: null,
  },
  "src/client/look-rules.ts:29 flip a comparison": {
    from: '      const root = button === "raised" ? ":root" : `:root[data-button=${button}]`;',
    to: '      const root = button !== "raised" ? ":root" : `:root[data-button=${button}]`;',
    caught_by: "test/plain/client/look-colours.test.ts",
  },
  // Tests read the bell's text after loading the page again, as the server renders it.
  "src/client/notifications.ts:29 flip a comparison": {
    from: '  said.textContent = unread === 0 ? "" : ` (${inForm(locale, UNREAD[languageOf(locale)], unread)})`;',
    to: '  said.textContent = unread !== 0 ? "" : ` (${inForm(locale, UNREAD[languageOf(locale)], unread)})`;',
    caught_by: null,
  },
  "objects/monitor/alert-rules.ts:117 flip a comparison": {
    from: "  return (newest === undefined ? [] : componentsIn(newest)).map((component) => {",
    to: "  return (newest !== undefined ? [] : componentsIn(newest)).map((component) => {",
    caught_by: "test/workers/operate/monitor.test.ts",
  },
  // In the test's 100 s an isolate reports ten times, with 11 s between two reports as with 10 s.
  "objects/monitor/report-buffer.ts:20 shift a limit": {
    from: "export const PAUSE_MIN_MS = 10 * SECOND_MS;",
    to: "export const PAUSE_MIN_MS = 11 * SECOND_MS;",
    caught_by: null,
  },
  "objects/monitor/report-buffer.ts:51 flip a comparison": {
    from: "    return pages.size + flushes.size + Object.keys(sample).length === 0;",
    to: "    return pages.size + flushes.size + Object.keys(sample).length !== 0;",
    caught_by: "test/workers/operate/monitor.test.ts",
  },
  // No test has so many past alerts.
  "src/operate/overview-page.tsx:25 shift a limit": {
    from: "const PAST_SHOWN = 20;",
    to: "const PAST_SHOWN = 21;",
    caught_by: null,
  },
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are code

export const DRAWN_MUTANTS: Record<string, RoomMutant> = Object.fromEntries(
  Object.entries(DRAWN).map(([name, mutant]) => [
    name,
    { file: name.slice(0, name.indexOf(":")), ...mutant },
  ]),
);
