/**
 * The OpenAPI document before judges from outside: a linter, with rules of ours, and a type generator,
 * whose output a client program is compiled against.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";

const run = promisify(execFile);

/** Two compilers and a generator, on a machine that may be busy. */
const COMPILERS_TIMEOUT_MS = 60_000;

/** As it is served. Bundled first, because its sources are typed for Workers and not for Node. */
async function documentText(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "src/site/openapi/openapi-document.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  const bundle = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  const { openApiJson } = await import(`data:text/javascript;base64,${bundle}`);
  return openApiJson();
}

const text = await documentText();

/** Rules of ours, beside those that the linter recommends. */
const OUR_RULES = {
  "rule/method-not-allowed": {
    subject: { type: "Responses" },
    // What the service sends has the answers of foreign servers.
    where: [{ subject: { type: "Paths" }, assertions: { defined: true } }],
    assertions: { required: ["405"] },
  },
  "rule/words": {
    subject: { type: "Operation" },
    assertions: { required: ["summary", "description", "x-summary-ar", "x-description-ar"] },
  },
  "rule/arabic": {
    subject: { type: "Operation", property: "x-description-ar" },
    assertions: { pattern: "/[\\u0600-\\u06ff]/" },
  },
  "rule/contact": { subject: { type: "Info" }, assertions: { required: ["contact", "license"] } },
} as const;

/** What the linter says of a document: which rule is broken where. */
async function problemsOf(source: string): Promise<string[]> {
  const rules = Object.fromEntries(
    Object.entries(OUR_RULES).map(([name, rule]) => [
      name,
      { ...rule, severity: "error" as const },
    ]),
  );
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);
}

test("the document is OpenAPI 3.1, and a linter finds only what is meant", async () => {
  expect(JSON.parse(text).openapi).toMatch(/^3\.1\./);
  expect(await problemsOf(text)).toEqual([
    // `/r/x/share.png` is a redirect: `r` is reserved, so no page has this slug.
    "no-ambiguous-paths #/paths/~1{slug}~1{locale}~1share.png",
    // A redirect has no 2XX.
    "operation-2xx-response #/paths/~1r~1{page_id}~1{link_id}/get/responses",
    "operation-2xx-response #/paths/~1api~1auth~1login/get/responses",
    "operation-2xx-response #/paths/~1api~1auth~1issuer~1{name}~1callback/get/responses",
  ]);
});

test("the linter would complain of a document that is wrong", async () => {
  const broken = JSON.parse(text);
  const health = broken.paths["/health"].get;
  health.operationId = "getPage";
  health["x-description-ar"] = "English";
  delete health.summary;
  delete health.responses["405"];
  delete broken.info.contact;
  const found = (await problemsOf(JSON.stringify(broken))).map((problem) => problem.split(" ")[0]);
  expect(found).toEqual(
    expect.arrayContaining([...Object.keys(OUR_RULES), "operation-operationId-unique"]),
  );
});

/** Schemas that stand in more than one place without a name, apart from their descriptions. */
function unnamedTwice(source: string): string[] {
  const places = new Map<string, number>();
  JSON.parse(source, (_, part: unknown) => {
    const is_worth_a_name =
      typeof part === "object" &&
      part !== null &&
      "type" in part &&
      ("properties" in part || "enum" in part || ("pattern" in part && !("format" in part)));
    if (!is_worth_a_name) return part;
    const {
      description,
      "x-description-ar": _ar,
      example,
      default: _default,
      ...schema
    } = part as Record<string, unknown>;
    const spelled = JSON.stringify(schema);
    places.set(spelled, (places.get(spelled) ?? 0) + 1);
    return part;
  });
  return [...places].filter(([, n]) => n > 1).map(([schema]) => schema);
}

test("a schema that is used twice has a name", () => {
  expect(unnamedTwice(text)).toEqual([]);
  const outcome = { type: "string", enum: ["a", "b"] };
  const twice = [outcome, { ...outcome, description: "again" }];
  expect(unnamedTwice(JSON.stringify(twice))).toEqual([JSON.stringify(outcome)]);
});

/** A program against the types that openapi-typescript makes of the document. */
const CLIENT = `import type { components, operations } from "./types.ts";

type Schemas = components["schemas"];
export const beacon: Schemas["Beacon"] = { page_id: "demo", link_id: "demo-shop" };
export const query: operations["listNotifications"]["parameters"]["query"] = { limit: 20, unread: true };
export const webhook: operations["receiveHubEvent"]["parameters"]["header"] = {
  "webhook-id": "1", "webhook-timestamp": 1, "webhook-signature": "v1,",
};
type Answers = operations["getStats"]["responses"];
export const people = (stats: Answers[200]["content"]["application/json"]): Schemas["Share"][] =>
  stats.breakdowns.country;
export const wait_s = (error: Answers[429]["content"]["application/json"]): number =>
  error.details.retry_after_s;
export const message = (error: Schemas["PageNotFoundError"] | Schemas["RateLimitedError"]): string =>
  error.code === "RATE_LIMITED" ? \`\${error.details.scope}\` : error.message_en;
export const allow = (refused: operations["getPage"]["responses"][405]): string =>
  refused.headers.Allow + refused.content["text/html"];
`;

/** What our compiler says of a client. */
async function compile(folder: string, client: string): Promise<string> {
  await writeFile(join(folder, "client.ts"), client);
  const options = ["--noEmit", "--strict", "--target", "esnext", "--module", "preserve"];
  const args = [...options, "--allowImportingTsExtensions", "--types", "", "client.ts"];
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [tsc, ...args], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test(
  "a client can be written against the types that a generator makes of it",
  async () => {
    const folder = await mkdtemp(join(await scratchFolder(), "sila-client-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "openapi.json"), text);
    const generator = join(ROOT, "node_modules/openapi-typescript/bin/cli.js");
    const hook = join(import.meta.dirname, "typescript-5.js");
    const args = ["--import", hook, generator, "openapi.json", "--output", "types.ts"];
    await run(process.execPath, args, { cwd: folder });
    expect(await compile(folder, CLIENT)).toBe("");
    expect(await compile(folder, CLIENT.replace("limit: 20", 'limit: "20"'))).toContain("TS2322");
  },
  COMPILERS_TIMEOUT_MS,
);
