/** The configuration of a deployment, where a mistake would silently break a promise. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import manifest from "../../package.json" with { type: "json" };
import { notAdditive } from "../../src/deploy/additive.ts";
import { configurationOf, readConfiguration } from "../../src/deploy/configuration.ts";
import { SECRETS } from "../../src/http/secret-names.ts";
import { ROOT } from "../server/bundle.ts";

const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });

test("S16: the platform keeps no line per request, which would hold address and user agent", () => {
  expect(config.observability).toMatchObject({
    redact_query_string: true,
    logs: { invocation_logs: false },
  });
});

test("no database, namespace or bucket has an id: the platform makes what has none", () => {
  for (const { database_id } of config.d1_databases) expect(database_id).toBeUndefined();
  for (const { id } of config.kv_namespaces) expect(id).toBeUndefined();
});

test("another environment shares no name of the account with production", async () => {
  const raw = await readConfiguration();
  const names = (environment: string) => {
    const one = configurationOf({ ...raw, routes: ["sila.example/*"] }, environment, {});
    return new Set([
      one.name,
      ...one.d1_databases.map(({ database_name }) => database_name),
      ...(one.r2_buckets ?? []).map(({ bucket_name }) => bucket_name),
      ...(one.ratelimits ?? []).map(({ namespace_id }) => namespace_id),
      ...((one.routes as string[] | undefined) ?? []),
    ]);
  };
  const production = names("production");
  const staging = names("staging");
  const other = names("test");
  expect([...staging].filter((name) => production.has(name) || other.has(name))).toEqual([]);
  expect(production).toContain("sila.example/*");
  expect(production).toContain("1001");
});

describe("the button that deploys", () => {
  test("S25: asks for every secret, and proposes no value for one", async () => {
    const example = parseEnv(await readFile(join(ROOT, ".dev.vars.example"), "utf8"));
    expect(Object.keys(example).sort()).toEqual([...SECRETS].sort());
    expect(new Set(Object.values(example))).toEqual(new Set([""]));
  });

  test("describes them, and nothing that is not there", async () => {
    const bindings: readonly { binding: string }[] = [
      ...config.d1_databases,
      ...config.kv_namespaces,
      ...config.r2_buckets,
    ];
    const there = new Set([
      ...Object.keys(config.vars),
      ...Object.keys(parseEnv(await readFile(join(ROOT, ".dev.vars.example"), "utf8"))),
      ...bindings.map(({ binding }) => binding),
    ]);
    const described = Object.keys(manifest.cloudflare.bindings);
    expect(described.filter((name) => !there.has(name))).toEqual([]);
    expect(described).toEqual(expect.arrayContaining(["SENDER_KEY", "HUB_URL"]));
  });
});

describe("F16: a migration that does not only add is noticed", () => {
  test.each([
    "DROP TABLE pages;",
    "drop  table pages",
    "ALTER TABLE pages DROP COLUMN slug;",
    'ALTER TABLE "pages" DROP slug;',
    "ALTER TABLE pages RENAME TO old;",
    "ALTER TABLE pages RENAME COLUMN a TO b;",
    "ALTER TABLE pages ADD COLUMN a TEXT NOT NULL;",
    "ALTER TABLE pages ADD COLUMN a TEXT NOT NULL -- DEFAULT 1\n;",
    "ALTER TABLE pages ADD COLUMN a TEXT NOT NULL CHECK (a <> 'DEFAULT');",
    "ALTER TABLE pages ADD COLUMN a TEXT UNIQUE;",
    "CREATE UNIQUE INDEX one ON pages (slug);",
    "DELETE FROM pages;",
    "CREATE TABLE a (b TEXT); /* x */ DROP /* y */ TABLE b;",
    // Each of these looks like something that adds.
    "WITH a AS (SELECT 1) DELETE FROM pages;",
    "insert or replace into pages values (1);",
    "INSERT INTO pages VALUES (1) ON CONFLICT DO UPDATE SET slug = '';",
    "UPDATE pages SET slug = '';",
    "ALTER TABLE pages ADD COLUMN a INTEGER; UPDATE pages SET a = max(1, 2), slug = '';",
    "UPDATE OR REPLACE pages SET slug = '';",
    "DROP VIEW notifications;",
    "DROP TRIGGER pages_slug_rests;",
    'ALTER TABLE pages ADD COLUMN "default" TEXT NOT NULL;',
    "ALTER TABLE pages ADD COLUMN `DEFAULT` TEXT NOT NULL;",
    "ALTER TABLE pages ADD COLUMN a TEXT NOT NULL DEFAULT (NULL);",
    "CREATE TABLE IF NOT EXISTS pages (slug TEXT); CREATE UNIQUE INDEX one ON pages (slug);",
    'CREATE TABLE a (b TEXT); CREATE UNIQUE INDEX "x on a" ON pages (slug);',
    'CREATE TABLE a ("CREATE TRIGGER" TEXT); DROP TABLE pages; CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;',
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; END; DROP TABLE pages;",
    "CREATE TRIGGER t BEFORE INSERT ON pages BEGIN SELECT RAISE(ABORT, 'no'); END;",
    "ATTACH 'other' AS other;",
    "PRAGMA writable_schema = 1;",
  ])("%s", (sql) => {
    expect(notAdditive(sql)).toHaveLength(1);
  });

  test.each([
    "CREATE TABLE a (b TEXT NOT NULL); CREATE UNIQUE INDEX one ON a (b);",
    "ALTER TABLE pages ADD COLUMN a TEXT;",
    "ALTER TABLE pages ADD COLUMN a INTEGER NOT NULL DEFAULT 0;",
    "DROP VIEW notifications; CREATE VIEW notifications AS SELECT 'DROP TABLE x';",
    "CREATE TRIGGER t AFTER DELETE ON pages BEGIN UPDATE a SET b = 1; DELETE FROM a; END;",
    "DROP TRIGGER t; CREATE TRIGGER t BEFORE INSERT ON a BEGIN SELECT RAISE(ABORT, 'no'); END;",
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM a; END",
    "DROP INDEX i; CREATE INDEX i ON pages (a);",
    "ALTER TABLE pages ADD a TEXT; UPDATE pages SET a = max(1, 2) WHERE slug = ''; INSERT INTO a VALUES ('; DROP TABLE b');",
    "-- DROP TABLE pages;\nCREATE TABLE a (b TEXT);",
  ])("and one that does is not: %s", (sql) => {
    expect(notAdditive(sql)).toEqual([]);
  });
});
