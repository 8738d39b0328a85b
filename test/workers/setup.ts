import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach } from "vitest";

// Test files share an isolate and its storage; each starts with an empty storage.
await reset();
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
