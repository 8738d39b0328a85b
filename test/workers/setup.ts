import { applyD1Migrations, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";
import { ERROR_LOGS } from "../../objects/errors/error-report.ts";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import { DEMO_PAGES } from "../demo/data.ts";
import { emptyDatabase } from "./empty-database.ts";

/**
 * Test files share an isolate, its D1, KV, R2 and objects. Every test makes pages and senders of its own, which have
 * objects of their own, so only the objects that all files share have to be emptied.
 */
async function emptyStorage(): Promise<void> {
  if ((await emptyDatabase(env.DB)) === 0) return;
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
    await runInDurableObject(object, (_, { storage }) => storage.deleteAll());
    await evictDurableObject(object);
  }
}

await emptyStorage();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

/** A cache cannot be emptied, so each file has its own. */
const suffix = crypto.randomUUID();
const { open } = caches;
caches.open = (name) => open.call(caches, `${name}-${suffix}`);
afterAll(() => {
  caches.open = open;
});
