import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, vi } from "vitest";

// Test files share an isolate. What an earlier one stored is deleted with its objects and their alarms, so that the
// order of files does not matter.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

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
