import { abortAllDurableObjects, applyD1Migrations, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach } from "vitest";
import { ERROR_LOGS } from "../../objects/errors/error-report.ts";

/**
 * Files share an isolate, its D1, KV and objects. A page or a sender is a fresh one in every test, and so are
 * their objects; what is left is what is the same for all. `reset()` would empty the objects too, but goes on
 * doing so for some seconds after it has answered.
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
  for (const name of ERROR_LOGS) {
    await runInDurableObject(env.ERROR_LOG.getByName(name), (_, { storage }) =>
      storage.deleteAll(),
    );
  }
  await abortAllDurableObjects();
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
