import { applyD1Migrations, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { ERROR_LOGS } from "../../objects/errors/error-report.ts";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import { DEMO_PAGES } from "../demo/data.ts";
import { emptyDatabase } from "./empty-database.ts";

const EMPTIED = "emptied for the next file";

/**
 * Test files share an isolate, its D1, KV, R2 and objects. Every test makes pages and senders of its own, which have
 * objects of their own, so only the objects that all files share have to be emptied.
 */
async function emptyStorage(): Promise<void> {
  const tables = await emptyDatabase(env.DB);
  // At once: alarms of pages of earlier files flush meanwhile, and would report to the monitor that it fails.
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  if (tables === 0) return;
  const { keys } = await env.KV.list();
  await Promise.all(keys.map(({ name }) => env.KV.delete(name)));
  // A file whose row is gone would never be swept.
  const { objects } = await env.MEDIA.list();
  await env.MEDIA.delete(objects.map(({ key }) => key));
  const shared = [
    ...DEMO_PAGES.map(({ page_id }) => env.PAGE.getByName(page_id)),
    ...ERROR_LOGS.map((name) => env.ERROR_LOG.getByName(name)),
    env.MONITOR.getByName(MONITOR),
  ];
  for (const object of shared) {
    await runInDurableObject(object, async (_, { storage }) => {
      await storage.deleteAll();
      await storage.sync();
    });
    // Not an eviction, which waits for callers from earlier files.
    const aborting = runInDurableObject(object, (_, state) => state.abort(EMPTIED));
    await expect(aborting).rejects.toThrow(EMPTIED);
  }
}

await emptyStorage();

/** A cache cannot be emptied, so each file has its own. */
const suffix = crypto.randomUUID();
const { open } = caches;
caches.open = (name) => open.call(caches, `${name}-${suffix}`);
afterAll(() => {
  caches.open = open;
});
