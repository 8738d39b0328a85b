/**
 * The document at `/openapi.json`, against the running service: two thousand requests made from it, good and
 * bad, each of whose answers must be one that it describes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEMO_OWNER } from "../demo/data.ts";
import { startWithHub, type WithHub } from "../demo/hub/with-hub.ts";
import { seedDemo } from "../demo/seed.ts";
import { freePair } from "../server/ports.ts";
import { scratchFolder } from "../server/scratch.ts";
import { allowedBy, refusedBy, type Schema } from "./schema-arbitrary.ts";

const START_TIMEOUT_MS = 60_000;
const REQUESTS = 2_000;
const REQUESTS_TIMEOUT_MS = 120_000;

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
  example?: unknown;
}
interface Answer {
  content?: Record<string, { schema: Schema }>;
  headers?: Record<string, { schema: Schema; required?: boolean }>;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  security?: unknown[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

let running: WithHub;
let statePath: string;
/** Without references: each is replaced by what it names. */
let document: Document;
const ajv = judgeOf({});
/** A header is text. This judge reads numbers in it. */
const headerAjv = judgeOf({ coerceTypes: true });

function judgeOf(options: Options): Ajv2020 {
  const judge = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, ...options });
  addFormats.default(judge);
  judge.addVocabulary(["example", "x-description-ar"]);
  return judge;
}

/** `part` with each `$ref` replaced by what it names in `root`. */
function resolve(part: unknown, root: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => resolve(item, root));
  if (typeof part !== "object" || part === null) return part;
  const { $ref, ...rest } = part as { $ref?: string };
  const resolved = Object.entries(rest).map(([key, value]) => [key, resolve(value, root)]);
  if ($ref === undefined) return Object.fromEntries(resolved);
  const path = $ref.split("/").slice(1);
  const target = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], root);
  return { ...(resolve(target, root) as object), ...Object.fromEntries(resolved) };
}

beforeAll(async () => {
  statePath = await mkdtemp(join(await scratchFolder(), "sila-openapi-"));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  running = await startWithHub({
    port: pair.port,
    hostname: "127.0.0.1",
    statePath,
    seed: seedDemo,
    // Few limiter objects for many senders, because each request has another address.
    vars: { LIMITER_SHARDS: "16" },
  });
  signedIn = await signIn();
  const raw: unknown = await (await fetch(new URL("/openapi.json", running.origin))).json();
  document = resolve(raw, raw) as Document;
}, START_TIMEOUT_MS);

afterAll(async () => {
  await running?.dispose();
  await rm(statePath, { recursive: true, force: true });
});

/** The headers of a signed-in page's requests. */
let signedIn: Record<string, string>;

async function signIn(): Promise<Record<string, string>> {
  const { cookie } = (await running.hub.control("POST", "/sign-in", { user_id: DEMO_OWNER })) as {
    cookie: string;
  };
  const Cookie = `hub_session=${cookie}`;
  const session = await fetch(`${running.origin}/api/auth/session`, { headers: { Cookie } });
  const { csrf_token } = (await session.json()) as { csrf_token: string };
  return { Cookie, "X-CSRF-Token": csrf_token, "Sec-Fetch-Site": "same-origin" };
}

let senders = 0;

function freshAddress(): string {
  senders += 1;
  return `10.8.${senders >> 8}.${senders & 255}`;
}

/** One request, and whether the document says that it is well-formed. */
interface Request {
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  type: string | undefined;
  accept: string;
  good: boolean;
  /** Signed in. Signing out is left out, because it would end the session of the other requests. */
  known: boolean;
}

/** What a browser says that it accepts. */
const BROWSER = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

/** They refuse values that no schema describes: days and time zones that do not exist, other sites. */
const BEYOND_SCHEMA: ReadonlySet<string> = new Set(["getStats", "downloadStats", "signIn"]);

const BAD_SEGMENTS = [
  "%ff",
  "%E0%A4%A",
  "%00",
  "a%2Fb",
  "a%20b",
  "%F0%9F%98%80",
  "x".repeat(3_000),
  "%2e%2e%2f",
];

/** The path, from its template, and the headers that parameters make. */
function addressesOf(
  template: string,
  parameters: readonly Parameter[],
  good: boolean,
): fc.Arbitrary<Pick<Request, "path" | "headers">> {
  const values = parameters.map((parameter) => {
    const { schema } = parameter;
    const described =
      parameter.example === undefined ? schema : { example: parameter.example, ...schema };
    const allowed = allowedBy(described).map((value) =>
      encodeURIComponent(String(value).toWellFormed()),
    );
    const junk = fc.oneof(
      fc.constantFrom(...BAD_SEGMENTS),
      fc.string({ minLength: 1 }).map((value) => encodeURIComponent(value.toWellFormed())),
    );
    const value = good ? allowed : fc.oneof(allowed, junk);
    // "." and ".." are removed before a request is sent.
    const sent = value.filter((segment) => !/^\.{0,2}$/.test(segment));
    return parameter.required === true ? sent : fc.option(sent, { nil: undefined });
  });
  return fc.tuple(...values).map((sent) => {
    let path = template;
    const query: string[] = [];
    const headers: Record<string, string> = {};
    parameters.forEach(({ name, in: place }, i) => {
      const value = sent[i];
      if (place === "path") path = path.replace(`{${name}}`, () => value ?? "");
      else if (place === "header") headers[name] = value ?? "";
      else if (value !== undefined) query.push(`${name}=${value}`);
    });
    return { path: query.length === 0 ? path : `${path}?${query.join("&")}`, headers };
  });
}

function requestsOf(template: string, method: string, operation: Operation): fc.Arbitrary<Request> {
  const { parameters = [], requestBody } = operation;
  const schema = requestBody?.content["application/json"]?.schema;
  return fc.boolean().chain((good) => {
    const body =
      schema === undefined
        ? fc.constant(undefined)
        : good
          ? allowedBy(schema).map((value) => JSON.stringify(value))
          : refusedBy(schema);
    const type =
      schema === undefined
        ? fc.constant(undefined)
        : fc.constantFrom(...Object.keys(requestBody?.content ?? {}));
    const request = fc.record({
      operation: fc.constant(operation),
      method: fc.constant(method.toUpperCase()),
      accept: fc.constantFrom("application/json", BROWSER),
      body,
      type,
      good: fc.constant(good),
      known: operation.operationId === "signOut" ? fc.constant(false) : fc.boolean(),
    });
    return fc
      .tuple(request, addressesOf(template, parameters, good))
      .map(([about, address]) => ({ ...about, ...address }));
  });
}

const validators = new Map<Schema, ValidateFunction>();

function complaintsOf(schema: Schema, value: unknown, judge = ajv): unknown {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = judge.compile(schema);
    validators.set(schema, validate);
  }
  return validate(value) ? [] : validate.errors;
}

async function judge(request: Request): Promise<number> {
  const { operation, method, path, headers, body, type, accept, good, known } = request;
  const response = await fetch(running.origin + path, {
    method,
    redirect: "manual",
    headers: {
      "CF-Connecting-IP": freshAddress(),
      Accept: accept,
      ...headers,
      ...(type === undefined ? {} : { "Content-Type": type }),
      ...(known ? signedIn : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
  const received = await response.text();
  const { status } = response;
  expect(status, "an error of ours").not.toBe(500);
  const answer = operation.responses[String(status)];
  expect(answer, `${status} is not in the document: ${received}`).toBeDefined();
  const declared = answer?.content ?? {};
  const content_type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
  if (Object.keys(declared).length === 0) expect(received).toBe("");
  else {
    expect(Object.keys(declared)).toContain(content_type);
    const value: unknown = /json$/.test(content_type) ? JSON.parse(received) : received;
    expect(complaintsOf(declared[content_type]?.schema ?? {}, value), received).toEqual([]);
  }
  for (const [name, header] of Object.entries(answer?.headers ?? {})) {
    const value = response.headers.get(name);
    if (header.required === true) expect(value, name).not.toBeNull();
    if (value !== null) expect(complaintsOf(header.schema, value, headerAjv), name).toEqual([]);
  }
  if (good && !BEYOND_SCHEMA.has(operation.operationId)) {
    expect([400, 413, 415], received).not.toContain(status);
  }
  // The session is checked before the request.
  const refused = (operation.security?.length ?? 0) > 0 && !known ? 401 : 400;
  const signed = operation.operationId === "receiveHubEvent";
  if (!good && body !== undefined) expect(status, body).toBe(signed ? 401 : refused);
  return status;
}

test("every path refuses a method that it does not have as it says, to programs and to browsers", async () => {
  for (const [template, methods] of Object.entries(document.paths)) {
    const path = template.replace("{n}", "1").replace(/\{\w+\}/g, "demo");
    for (const operation of Object.values(methods)) {
      for (const accept of ["application/json", BROWSER]) {
        const request = { operation, method: "DELETE", path, headers: {}, accept, body: undefined };
        const sent = { ...request, type: undefined, good: false, known: false };
        expect([template, await judge(sent)]).toEqual([template, 405]);
      }
    }
  }
});

test(
  "two thousand requests made from the document, good and bad, find no 500 and no answer outside it",
  async () => {
    const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => requestsOf(template, method, operation)),
    );
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(fc.oneof(...operations), async (request) => {
        const status = await judge(request);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { numRuns: REQUESTS },
    );
    // There were both valid and invalid requests.
    for (const status of [200, 202, 302, 400, 401, 404])
      expect(seen.get(status)).toBeGreaterThan(0);
  },
  REQUESTS_TIMEOUT_MS,
);
