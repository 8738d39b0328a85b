/** Every kind of page that people see, before html-validate: the HTML standard, and rules of WCAG. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { HtmlValidate } from "html-validate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import type { Media } from "../../src/commands/serve/server.ts";
import { DEMO_OWNER, DEMO_PAGES } from "../demo/data.ts";
import { startWithHub, type WithHub } from "../demo/neighbours/with-neighbours.ts";
import { seedDemo } from "../demo/seed.ts";
import { EVERY_KIND } from "../every-kind.ts";
import { storePage } from "../plain-page.ts";
import { freePair } from "../server/ports.ts";
import { ACCOUNT_PAGES, OPERATOR_COOKIE, startAccounts } from "./accounts-kit.ts";

const START_TIMEOUT_MS = 60_000;
/** The reference is long: the validator takes seconds, on a busy machine more. */
const JUDGE_TIMEOUT_MS = 30_000;

const validator = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended", "html-validate:document"],
  rules: {
    // How Hono writes JSX: `<meta/>`, `defer=""`.
    "void-style": "off",
    "attribute-boolean-style": "off",
    "attribute-empty-style": "off",
    // All files come from this origin, which the CSP enforces.
    "require-sri": "off",
    // The reference has its contents twice, for phones and for wide screens; CSS shows one of them.
    "unique-landmark": "off",
    // A fieldset also switches fields off, of which each has a label.
    "wcag/h71": "off",
    // Phone numbers are shown as their owners wrote them.
    "tel-non-breaking": "off",
  },
});

/** Pages for everybody, with their status. */
const PUBLIC = [
  ["/", 200],
  ["/docs", 200],
  ["/example/ar/manuscript", 200],
  ["/example/en/lapis", 200],
  ...DEMO_PAGES.map(({ slug }) => [`/${encodeURIComponent(slug)}`, 200] as const),
  ["/nobody-is-called-this", 404],
  ["/dashboard", 401],
  ["/vcard/demo.vcf?v=5", 400],
  ["/suspended", 410],
  ["/every-kind", 200],
  ["/every-kind/en", 200],
  ["/tip?page_id=every-kind&points=5", 200],
  ["/tip?page_id=every-kind&points=none&lang=en", 200],
  ["/tip?page_id=nobody", 404],
] as const;

/** Pages for somebody who is signed in. */
const PRIVATE = [
  "/dashboard",
  "/dashboard/demo",
  "/dashboard/demo?from=2026-11-01&to=2026-11-01&interval=hour",
  "/dashboard/nobody",
  "/dashboard/every-kind",
  "/dashboard/every-kind/tips",
  "/dashboard/pages/every-kind/webhooks",
  "/dashboard/wallet",
  "/tip?page_id=every-kind&points=5",
  "/api/me/pages/every-kind/preview",
] as const;

let running: WithHub;
let statePath: string;
let cookie: string;

beforeAll(async () => {
  statePath = await mkdtemp(join(await scratchFolder(), "sila-html-"));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  const vars = { LIMITER_SHARDS: "16" };
  const hostname = "127.0.0.1";
  running = await startWithHub({ port: pair.port, hostname, statePath, seed, vars });
  cookie = await signIn(DEMO_OWNER);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await running?.dispose();
  await rm(statePath, { recursive: true, force: true });
});

/** The demo pages, one with every kind of link, and one that is suspended. */
async function seed(db: D1Database, media: Media): Promise<void> {
  await seedDemo(db, media);
  await storePage(db, EVERY_KIND);
  const suspended = { page_id: "suspended", slug: "suspended", status: "suspended" } as const;
  for (const page of DEMO_PAGES.slice(0, 1)) await storePage(db, { ...page, ...suspended });
}

/** The session's cookie, as a request header. */
async function signIn(user_id: string): Promise<string> {
  const session = await running.hub.control("POST", "/sign-in", { user_id });
  return `hub_session=${(session as { cookie: string }).cookie}`;
}

/** A page as a browser gets it, and what the validator has against it. */
async function judge(
  path: string,
  language: string,
  headers: Record<string, string> = {},
  origin = running.origin,
) {
  const response = await fetch(origin + path, {
    headers: { Accept: "text/html", "Accept-Language": language, ...headers },
  });
  const { results } = await validator.validateString(await response.text());
  const complaints = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${ruleId} ${line}:${column} ${message}`),
  );
  return { status: response.status, complaints };
}

describe.for(["ar", "en"])("in %s", (language) => {
  test.for(PUBLIC)("%s is valid", { timeout: JUDGE_TIMEOUT_MS }, async ([path, status]) => {
    expect(await judge(path, language)).toEqual({ status, complaints: [] });
  });

  test.for(PRIVATE)("%s is valid for its owner", async (path) => {
    const { complaints } = await judge(path, language, { Cookie: cookie });
    expect(complaints).toEqual([]);
  });

  test("the dashboard of a user without pages is valid", async () => {
    const headers = { Cookie: await signIn("demo-free") };
    expect(await judge("/dashboard", language, headers)).toEqual({ status: 200, complaints: [] });
  });
});

describe("accounts in the box", () => {
  let accounts: Awaited<ReturnType<typeof startAccounts>>;

  beforeAll(async () => {
    accounts = await startAccounts();
  }, START_TIMEOUT_MS);
  afterAll(() => accounts?.[Symbol.asyncDispose]());

  const { name, value } = OPERATOR_COOKIE;
  const PAGES = [
    ...ACCOUNT_PAGES.public.map((path) => ({ path, headers: {} })),
    ...ACCOUNT_PAGES.operator.map((path) => ({ path, headers: { Cookie: `${name}=${value}` } })),
  ].flatMap((page) => ["ar", "en"].map((language) => ({ ...page, language })));

  test.for(PAGES)("$path in $language is valid", async ({ path, language, headers }) => {
    const judged = await judge(path, language, headers, accounts.origin);
    expect(judged).toEqual({ status: 200, complaints: [] });
  });
});
