import { applyD1Migrations, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach } from "vitest";
import { ERROR_LOGS } from "../../objects/errors/error-report.ts";
import { DEMO_PAGES } from "../demo/data.ts";

/**
 * Files share an isolate, its D1, KV and objects. Pages and senders are fresh ones in every test, and so are their
 * objects; what is left is what is the same for all. `reset()` and `abortAllDurableObjects()` would empty the
 * objects too, but answer before the last one is gone: calls of the first tests would break.
 */
async function emptyStorage(): Promise<void> {
  const { results } = await env.DB.prepare(
    `SELECT type, name FROM sqlite_schema
     WHERE type IN ('table', 'view') AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'
     ORDER BY type = 'table'`,
  ).all<{ type: string; name: string }>();
  if (results.length === 0) return;
  await env.DB.batch(results.map(({ type, name }) => env.DB.prepare(`DROP ${type} "${name}"`)));
  const { keys } = await env.KV.list();
  await Promise.all(keys.map(({ name }) => env.KV.delete(name)));
  const shared = [
    ...DEMO_PAGES.map(({ page_id }) => env.PAGE.getByName(page_id)),
    ...ERROR_LOGS.map((name) => env.ERROR_LOG.getByName(name)),
  ];
  for (const object of shared) {
    await runInDurableObject(object, (_, { storage }) => storage.deleteAll());
    await evictDurableObject(object);
  }
}

await emptyStorage();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

/** The errors logged in this test, unless it replaced `console.error`. */
let unexpected: string[] = [];
const print = console.error;
console.error = (...said) => {
  unexpected.push(said.map(String).join(" "));
  print(...said);
};

afterEach(() => {
  const lines = unexpected;
  unexpected = [];
  if (lines.length > 0) throw new Error(`logged, and no test expects it:\n${lines.join("\n")}`);
});
afterAll(() => {
  console.error = print;
});
