import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, vi } from "vitest";

// Test files share an isolate. What an earlier one stored is deleted with its objects and their alarms, so that the
// order of files does not matter.
await reset();
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

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});
