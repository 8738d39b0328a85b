/** The configuration of a deployment, where a mistake would silently break a promise. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import manifest from "../../../package.json" with { type: "json" };
import {
  configurationsOf,
  readConfigurations,
} from "../../../src/commands/deploy/configuration.ts";
import { chooseSecrets } from "../../../src/commands/deploy/secrets.ts";
import { ROOT } from "../../../src/commands/root.ts";
import { notAdditive } from "../../releases/additive.ts";

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

test("another environment shares no name of the account with production", () => {
  const raws = readConfigurations(ROOT);
  const names = (environment: string) =>
    new Set(
      configurationsOf(
        raws.map((raw) => ({ ...raw, routes: ["sila.example/*"] })),
        environment,
        {},
      ).flatMap((one) => [
        one.name,
        ...(one.services ?? []).map(({ service }) => service),
        ...(one.d1_databases ?? []).map(({ database_name }) => database_name),
        ...(one.r2_buckets ?? []).map(({ bucket_name }) => bucket_name),
        ...(one.ratelimits ?? []).map(({ namespace_id }) => namespace_id),
        ...((one.routes as string[] | undefined) ?? []),
      ]),
    );
  const production = names("production");
  const staging = names("staging");
  const other = names("test");
  expect([...staging].filter((name) => production.has(name) || other.has(name))).toEqual([]);
  expect(production).toContain("sila.example/*");
  expect(production).toContain("1001");
});

describe("the button that deploys", () => {
  test("S25: asks for the secret that somebody must know, and proposes no value for it", async () => {
    const example = parseEnv(await readFile(join(ROOT, ".dev.vars.example"), "utf8"));
    const in_builds = { isEphemeral: true, hasHub: false, newSetupCode: false };
    const { lacking } = chooseSecrets([], {}, {}, in_builds);
    expect(example).toEqual(Object.fromEntries(lacking.map((name) => [name, ""])));
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
    expect(described).toEqual(expect.arrayContaining(["SILA_KEY", "HUB_URL"]));
  });
});

/** A release's tables, for migrations of the next one. */
const RELEASE = `
CREATE TABLE pages (slug TEXT NOT NULL, title TEXT);
CREATE VIEW notifications AS SELECT slug FROM pages;
CREATE TRIGGER t BEFORE INSERT ON pages BEGIN SELECT RAISE(ABORT, 'no'); END;
`;

describe("F16: a migration that does not only add is noticed", () => {
  test.each([
    "DROP VIEW notifications; DROP TABLE pages;",
    "ALTER TABLE pages DROP COLUMN title;",
    "ALTER TABLE pages RENAME TO old;",
    'ALTER TABLE "pages" RENAME COLUMN title TO b;',
    "ALTER TABLE pages ADD COLUMN a TEXT NOT NULL;",
    "ALTER TABLE pages ADD COLUMN a TEXT NOT NULL DEFAULT (NULL);",
    "CREATE UNIQUE INDEX one ON pages (slug);",
    "CREATE TABLE IF NOT EXISTS pages (slug TEXT); CREATE UNIQUE INDEX one ON pages (slug);",
    "WITH a AS (SELECT 1) DELETE FROM pages;",
    "insert or replace into pages values (1, 2);",
    "CREATE TABLE a (b TEXT UNIQUE); INSERT INTO a VALUES (1) ON CONFLICT DO NOTHING; UPDATE pages SET title = '';",
    "ALTER TABLE pages ADD COLUMN a INTEGER; UPDATE pages SET a = max(1, 2), slug = '';",
    "DROP VIEW notifications;",
    "DROP TRIGGER t;",
    "CREATE TRIGGER u BEFORE UPDATE ON pages BEGIN SELECT RAISE(ABORT, 'no'); END;",
    "ATTACH ':memory:' AS other;",
    "PRAGMA writable_schema = 1;",
    "CREATE TABEL a (b);",
  ])("%s", (sql) => {
    expect(notAdditive([RELEASE], sql)).not.toEqual([]);
  });

  test.each([
    "CREATE TABLE a (b TEXT NOT NULL); CREATE UNIQUE INDEX one ON a (b); INSERT INTO a VALUES (1);",
    "ALTER TABLE pages ADD COLUMN a TEXT; UPDATE pages SET a = max(1, 2) WHERE slug = '; DROP TABLE pages';",
    "ALTER TABLE pages ADD COLUMN a INTEGER NOT NULL DEFAULT 0;",
    "DROP VIEW notifications; CREATE VIEW notifications AS SELECT 'DROP TABLE x';",
    "CREATE TABLE a (b TEXT); CREATE TRIGGER u AFTER DELETE ON pages BEGIN UPDATE a SET b = 1; DELETE FROM a; END;",
    "CREATE TABLE a (b TEXT); CREATE TRIGGER u BEFORE INSERT ON a BEGIN SELECT RAISE(ABORT, 'no'); END;",
    "DROP TRIGGER t; CREATE TRIGGER t BEFORE INSERT ON pages BEGIN SELECT RAISE(ABORT, 'no'); END;",
    "CREATE INDEX i ON pages (title); DROP INDEX i;",
    "-- DROP TABLE pages;\nCREATE TABLE a (b TEXT);",
  ])("and one that does is not: %s", (sql) => {
    expect(notAdditive([RELEASE], sql)).toEqual([]);
  });
});
