import { listDurableObjectIds, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { BUDGET } from "../../objects/mail/mail-budget.ts";

/**
 * Deletes what earlier files have stored, with their alarms: test files share an isolate, and their order must not
 * matter. `reset` forgets objects that nobody has called for ten seconds, those of the stores included, so all with
 * a fixed name are called before. Pages and senders have names of their own in each file.
 */
async function deleteAll(): Promise<void> {
  const [monitors, error_logs] = await Promise.all([
    listDurableObjectIds(env.MONITOR),
    listDurableObjectIds(env.ERROR_LOG),
  ]);
  await Promise.all([
    ...[env.DB, env.SPARE_0, env.SPARE_1].map((db) => db.exec("SELECT 1")),
    env.MEDIA.head("anything"),
    env.KV.get("anything"),
    ...monitors.map((id) => runInDurableObject(env.MONITOR.get(id), () => {})),
    ...error_logs.map((id) => runInDurableObject(env.ERROR_LOG.get(id), () => {})),
    runInDurableObject(env.LIMITER.getByName(BUDGET), () => {}),
  ]);
  await reset();
}

await deleteAll();
// In one call: a fifth of the time of `applyD1Migrations`, which makes several for each of them. It leaves the same.
const record = "INSERT INTO d1_migrations (name) VALUES (?1)";
await env.DB.batch([
  env.DB.prepare(
    `CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
     applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
  ),
  ...env.TEST_MIGRATIONS.flatMap(({ name, queries }) => [
    ...queries.map((query) => env.DB.prepare(query)),
    env.DB.prepare(record).bind(name),
  ]),
]);

/** A cache cannot be emptied, so each file has its own. */
const suffix = crypto.randomUUID();
const { open } = caches;
caches.open = (name) => open.call(caches, `${name}-${suffix}`);
afterAll(() => {
  caches.open = open;
});

/** The settings and bindings that a file begins with, and those that a test begins with: both find them so again. */
const given = { ...env };
let before = given;

function putBack(values: typeof env): void {
  for (const name of Object.keys(env)) if (!(name in values)) Reflect.deleteProperty(env, name);
  Object.assign(env, values);
}

beforeEach(() => {
  before = { ...env };
});
afterEach(() => {
  putBack(before);
  vi.restoreAllMocks();
  vi.useRealTimers();
});
afterAll(() => putBack(given));
