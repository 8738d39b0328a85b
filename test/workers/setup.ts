import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach } from "vitest";

// Files share an isolate and its storage, and each one finds the storage empty.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

/** What was logged as an error in this test, unless the test has put something in place of `console.error`. */
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
