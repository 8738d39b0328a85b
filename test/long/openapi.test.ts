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
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { READ_PAGE_PATH } from "../../src/http/endpoints.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { startWithHub, type WithHub } from "../demo/neighbours/with-neighbours.ts";
import { seedDemo } from "../demo/seed.ts";
import { freePair } from "../server/ports.ts";
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
interface Content {
  schema: Schema;
  example?: unknown;
  /** Where an example is, for bytes. */
  "x-example-address"?: string;
}
interface Operation {
  operationId: string;
  tags: string[];
  parameters?: Parameter[];
  security?: unknown[];
  requestBody?: { content: Record<string, Content> };
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
  const bodies = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {})),
  );
  for (const { "x-example-address": address } of bodies) {
    if (address === undefined) continue;
    const file = await fetch(running.origin + address, { headers: signedIn });
    expect(file.status).toBe(200);
    files.set(address, new Uint8Array(await file.arrayBuffer()));
  }
  const part = document.paths[PART_PATH]?.put?.requestBody?.content["application/octet-stream"];
  // Bytes have no example in the document.
  if (part !== undefined) part.example = PART;
  offered = await newFile();
  expect((await send("POST", `${offered}/complete`)).status).toBe(200);
  edited = (await newPage()).path;
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

/** The bytes at the addresses of examples. */
const files = new Map<string, Uint8Array<ArrayBuffer>>();

/** The page that the requests change: the demo's own stays as the others need it. */
let edited: string;
let pages_made = 0;

const PART_PATH = "/api/me/files/{file_id}/parts/{n}";
const PART = "a";

/** The path of the complete file that the pages offer. */
let offered: string;

/** A signed-in page's request. */
function send(method: string, path: string, body: string | null = null): Promise<Response> {
  return fetch(running.origin + path, {
    method,
    headers: { ...signedIn, "CF-Connecting-IP": freshAddress() },
    body,
  });
}

/** The path of a file whose only part is stored. */
async function newFile(): Promise<string> {
  const response = await send("POST", "/api/me/files", '{"name":"a.txt","size":1}');
  expect(response.status).toBe(201);
  const path = response.headers.get("Location") ?? "";
  expect((await send("PUT", `${path}/parts/1`, PART)).status).toBe(200);
  return path;
}

/** A new page with both languages, the last of whose links offers a file. */
async function newPage(): Promise<{ path: string; link_id: string }> {
  pages_made += 1;
  const content = document.paths["/api/me/pages"]?.post?.requestBody?.content["application/json"];
  const example = content?.example as { links: object[] };
  const block = { file_id: offered.split("/").at(-1) };
  const links = [...example.links, { kind: "download", label: { ar: "كتاب" }, block }];
  const page = { ...example, links, slug: `edited-${pages_made}` };
  const response = await send("POST", "/api/me/pages", JSON.stringify(page));
  expect(response.status).toBe(201);
  const made = (await response.json()) as { page: { links: { link_id: string }[] } };
  const path = response.headers.get("Location") ?? "";
  return { path, link_id: made.page.links.at(-1)?.link_id ?? "" };
}

/** Deletes a page, so that the next ones find room in the user's plan. */
async function deletePage(path: string): Promise<void> {
  // In D1, because a user may have few pages that can still be undeleted.
  const db = await running.server.db();
  await db.prepare("DELETE FROM pages WHERE page_id = ?1").bind(path.split("/").at(-1)).run();
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
  body: string | Uint8Array<ArrayBuffer> | undefined;
  type: string | undefined;
  accept: string;
  good: boolean;
  /** Signed in. Signing out is left out, because it would end the session of the other requests. */
  known: boolean;
}

/** How a request with a bad body is refused, by what is judged first. */
function refusalOf({ operation, path, headers }: Request): number[] {
  const { operationId } = operation;
  if (operationId === "receiveHubEvent") return [401];
  // The page is judged before the address.
  if (operationId === "subscribe") return [400, 404];
  // There is no such file, or no such block.
  if (operationId === "putFilePart" || operationId === "createDownloadLink") return [404];
  // The page and its version are judged before the body.
  const is_of_page = path.includes("/pages/") && !path.startsWith(DEMO_PATH);
  if (is_of_page && operationId !== "importPage" && operationId !== "readPageElsewhere")
    return [404];
  if (headers["If-Match"] !== undefined && headers["If-Match"] !== "*") return [412];
  return [operationId === "putPicture" ? 415 : 400];
}

/** What a browser says that it accepts. */
const BROWSER = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

/**
 * They refuse values that no schema describes: days and time zones that do not exist, other sites, texts
 * that are no slug or no address. Of a page, members depend on each other; {@link goodPages} knows how.
 */
const BEYOND_SCHEMA: ReadonlySet<string> = new Set([
  ...["getStats", "downloadStats", "signIn", "checkSlug", "readPageElsewhere"],
]);

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

/** A value as an address or a form has it. An object is no `String(…)`: its `toString` may be drawn too. */
function asText(value: unknown): string {
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).toWellFormed();
}

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
    const allowed = allowedBy(described).map((value) => encodeURIComponent(asText(value)));
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
      // Half of the changes that could be made are made, and the others come too late.
      else if (name === "If-Match") headers[name] = (value?.length ?? 0) % 2 === 0 ? "*" : '"v0"';
      else if (place === "header") headers[name] = value ?? "";
      else if (value !== undefined) query.push(`${name}=${value}`);
    });
    return { path: query.length === 0 ? path : `${path}?${query.join("&")}`, headers };
  });
}

/** Whether the schema says what is in the body. Text, bytes and files of others have examples only. */
function isDescribed({ schema }: Content): boolean {
  return schema.anyOf !== undefined || Object.keys(schema.properties ?? {}).length > 0;
}

function exampleOf({ example, "x-example-address": address }: Content) {
  if (address !== undefined) return files.get(address);
  return typeof example === "string" || example === undefined ? example : JSON.stringify(example);
}

function goodBodies(content: Content, { requestBody }: Operation): fc.Arbitrary<Request["body"]> {
  const { schema, example } = content;
  const { properties = {} } = schema;
  if (!isDescribed(content)) {
    // A picture of a type without an example is sent with that of another one: its content decides.
    const others = Object.values(requestBody?.content ?? {}).map(exampleOf);
    return fc.constant(exampleOf(content) ?? others.find((other) => other !== undefined));
  }
  if (example === undefined) return allowedBy(schema).map((value) => JSON.stringify(value));
  return goodPages(example as object, properties);
}

/** Members of a page on which no other depends. */
const INDEPENDENT = ["bio", "indexed", "look", "status", "contact"];

const FORM = "application/x-www-form-urlencoded";

/** A body as a form has it; one that is no JSON object stays as it is. */
function asForm(body: string): string {
  try {
    const members: unknown = JSON.parse(body);
    if (typeof members !== "object" || members === null || Array.isArray(members)) return body;
    const texts = Object.entries(members).map(([name, value]) => [name, asText(value)]);
    return new URLSearchParams(texts).toString();
  } catch {
    return body;
  }
}

/** What the server reads in a form, as JSON. */
function ofForm(body: string): string {
  return JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
}

function goodPages(example: object, properties: Record<string, Schema>): fc.Arbitrary<string> {
  const members = INDEPENDENT.flatMap((name) => {
    const schema = properties[name];
    return schema === undefined ? [] : [[name, allowedBy(schema)] as const];
  });
  const changes = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  return changes.map((changed) => JSON.stringify({ ...example, ...changed }));
}

function badBodies(content: Content): fc.Arbitrary<string> {
  const { schema } = content;
  if (isDescribed(content)) {
    return refusedBy(schema).filter((text) => !isAllowed(schema, text));
  }
  const junk = fc.string({ unit: fc.constantFrom("\u0000", "\u0001", "{", "<", ",", "\n") });
  return fc.oneof(fc.constantFrom("", "{}", "null", "<html>", "PK\u0003\u0004"), junk);
}

/** A value of another type may be one that the schema allows in this place: null, or no members. */
function isAllowed(schema: Schema, text: string): boolean {
  try {
    return validatorOf(schema, ajv)(JSON.parse(text));
  } catch {
    return false;
  }
}

function bodiesOf(
  content: Content,
  operation: Operation,
  type: string,
  good: boolean,
): fc.Arbitrary<Request["body"]> {
  if (type !== FORM) return good ? goodBodies(content, operation) : badBodies(content);
  if (good) {
    return goodBodies(content, operation).map((body) =>
      typeof body === "string" ? asForm(body) : body,
    );
  }
  // In a form every value is a text, which may be one that the schema allows.
  return badBodies(content)
    .map(asForm)
    .filter((body) => !isAllowed(content.schema, ofForm(body)));
}

function requestsOf(template: string, method: string, operation: Operation): fc.Arbitrary<Request> {
  const { parameters = [], requestBody } = operation;
  const contents = Object.entries(requestBody?.content ?? { "": undefined });
  return fc.tuple(fc.boolean(), fc.constantFrom(...contents)).chain(([good, [type, content]]) => {
    const body =
      content === undefined ? fc.constant(undefined) : bodiesOf(content, operation, type, good);
    const request = fc.record({
      operation: fc.constant(operation),
      method: fc.constant(method.toUpperCase()),
      accept: fc.constantFrom("application/json", BROWSER),
      body,
      type: fc.constant(type || undefined),
      good: fc.constant(good),
      known: operation.operationId === "signOut" ? fc.constant(false) : fc.boolean(),
    });
    return fc
      .tuple(request, addressesOf(template, parameters, good))
      .map(([about, address]) => ({ ...about, ...address }));
  });
}

const validators = new Map<Schema, ValidateFunction>();

function validatorOf(schema: Schema, judge: Ajv2020): ValidateFunction {
  const validate = validators.get(schema) ?? judge.compile(schema);
  validators.set(schema, validate);
  return validate;
}

function complaintsOf(schema: Schema, value: unknown, judge = ajv): unknown {
  const validate = validatorOf(schema, judge);
  return validate(value) ? [] : validate.errors;
}

const DEMO_PATH = "/api/me/pages/demo";

/** Where a request goes: changes to a page of their own, and a deletion to one that is not needed. */
async function addressOf({ operation, path, known }: Request): Promise<string> {
  if (!path.startsWith(DEMO_PATH) || !operation.tags.includes("editing")) return path;
  const target = operation.operationId === "deletePage" && known ? (await newPage()).path : edited;
  return path.replace(DEMO_PATH, target);
}

/**
 * To all but operators theirs do not exist (docs/security.md S36), and the session of these requests is no operator's;
 * nor do accounts in the box, because there is a hub.
 */
function isAbsent(path: string, { tags }: Operation): boolean {
  return path.startsWith("/api/admin/") || tags.includes("own_accounts");
}

async function judge(request: Request): Promise<number> {
  const { operation, method, headers, body, type, accept, good, known } = request;
  const path = await addressOf(request);
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
  const refused = (operation.security?.length ?? 0) > 0 && !known ? [401] : refusalOf(request);
  const expected = isAbsent(path, operation) ? [404] : refused;
  if (!good && body !== undefined) expect(expected, `${status} ${body}`).toContain(status);
  const made = response.headers.get("Location");
  if (method === "POST" && status === 201 && made !== null) await deletePage(made);
  if (method === "DELETE" && status === 202) await deletePage(path);
  return status;
}

/** That of an example which works. There is no page at the address of the one that reads a page elsewhere. */
function statusOf(method: string, template: string): unknown {
  if (template === READ_PAGE_PATH) return 422;
  if (method === "post" && /pages$|import$/.test(template)) return 201;
  return expect.toBeOneOf([200, 201, 202]);
}

/** One request for each example of a body, or one where there is no body. */
function examplesOf(
  template: string,
  [method, operation]: readonly [string, Operation],
  { path: page, link_id }: { path: string; link_id: string },
  file: string,
): Request[] {
  const exampleOfParameter = (name: string) => {
    const { example, schema } = operation.parameters?.find((one) => one.name === name) ?? {};
    return encodeURIComponent(String(example ?? schema?.example));
  };
  const query = (operation.parameters ?? [])
    .filter((one) => one.in === "query" && (one.example ?? one.schema.example) !== undefined)
    .map(({ name }) => `${name}=${exampleOfParameter(name)}`);
  const path = template
    .replace("/api/me/pages/{page_id}", page)
    .replace("/api/me/files/{file_id}", file)
    .replace("{link_id}", link_id)
    .replace(/\{(\w+)\}/g, (_, name: string) => exampleOfParameter(name));
  const contents = Object.entries(operation.requestBody?.content ?? {});
  const bodies = contents.map(([type, content]) => ({ type, body: exampleOf(content) }));
  return (contents.length === 0 ? [{ type: undefined, body: undefined }] : bodies)
    .filter(({ type, body }) => type === undefined || body !== undefined)
    .map((sent) => ({
      ...sent,
      operation,
      method: method.toUpperCase(),
      path: query.length === 0 ? path : `${path}?${query.join("&")}`,
      headers: { "If-Match": "*" },
      accept: "application/json",
      good: true,
      known: true,
    }));
}

test("every example of a request about a creator's pages works, and its answer is described", {
  timeout: REQUESTS_TIMEOUT_MS,
}, async () => {
  let n = 0;
  for (const [template, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.tags.includes("editing")) continue;
      const page = await newPage();
      const file = template.includes("{file_id}") ? await newFile() : "";
      const requests = examplesOf(template, [method, operation], page, file);
      expect([template, method, requests.length > 0]).toEqual([template, method, true]);
      for (const request of requests) {
        // The example's slug is free again only after a month; each request takes another.
        n += 1;
        const body = `${request.body}`.includes('"layan"')
          ? `${request.body}`.replace('"layan"', `"layan-${n}"`)
          : request.body;
        const status = await judge({ ...request, body });
        expect([template, method, request.type, status]).toEqual([
          template,
          method,
          request.type,
          statusOf(method, template),
        ]);
      }
      if (operation.operationId !== "deletePage") await deletePage(page.path);
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
