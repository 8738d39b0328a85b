/**
 * A stand-in for the platform's API, as far as `npm run deploy` and `npm run doctor` use it through wrangler: an
 * account with Workers, secrets, D1 (real SQLite), KV and R2. wrangler is the real one of node_modules, sent here by
 * CLOUDFLARE_API_BASE_URL. A route that it does not know is refused and remembered, and a test must then fail.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Database } from "./database.ts";
import { Refusal } from "./refusal.ts";
import { describe, noWorker, publicOf, Worker } from "./workers.ts";

export const TOKEN = "stand-in-token-of-the-tests";

/** What the platform has seen; a request's text is kept as it came. */
interface Seen {
  method: string;
  path: string;
  body: string;
  wrote: boolean;
}

interface Call {
  url: URL;
  body: Buffer;
  request: IncomingMessage;
  params: Record<string, string>;
  json: () => Record<string, unknown>;
}

type Handler = (call: Call) => unknown;

interface Route {
  method: string;
  pattern: URLPattern;
  handler: Handler;
}

/** A JWT whose payload says nothing: wrangler looks into it for its mode of upload. */
const JWT = ["{}", "{}", "x"].map((part) => Buffer.from(part).toString("base64url")).join(".");

export class Platform {
  accounts = [{ id: randomBytes(16).toString("hex"), name: "One" }];
  readonly workers = new Map<string, Worker>();
  readonly databases: Database[] = [];
  readonly namespaces: { id: string; title: string }[] = [];
  readonly buckets: string[] = [];
  readonly assets = new Set<string>();
  readonly zones = ["sila.example"];
  isFree = false;
  /** Whether R2 was switched on in the dashboard, once. */
  hasR2 = true;
  readonly seen: Seen[] = [];
  readonly unknown: string[] = [];
  /** The next request whose `METHOD path` matches is refused with this status. */
  fail: { pattern: RegExp; status: number } | null = null;
  #hold: { pattern: RegExp; reached: () => void } | null = null;
  #server: Server | undefined;
  #ticks = 0;
  readonly #routes: Route[] = [];

  constructor() {
    this.#addRoutes();
  }

  /** Its address, for CLOUDFLARE_API_BASE_URL. */
  async start(): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (this.#hold?.pattern.test(`${request.method} ${request.url}`)) {
        this.#hold.reached();
        this.#hold = null;
        return;
      }
      const { status, answer } = await this.#answer(request, Buffer.concat(chunks));
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Never answers the next request whose `METHOD path` matches; resolves when it is there. */
  hold(pattern: RegExp): Promise<void> {
    return new Promise((reached) => {
      this.#hold = { pattern, reached };
    });
  }

  worker(name: string): Worker {
    const worker = this.workers.get(name);
    if (worker === undefined) throw noWorker();
    return worker;
  }

  database(name: string): Database {
    const database = this.databases.find((one) => one.name === name || one.uuid === name);
    if (database === undefined) throw new Refusal(404, 7404, "The database was not found.");
    return database;
  }

  /** Puts a database back to how the release before the last migration left it; answers that migration's name. */
  async migrateAllButLast(name: string, folder: string): Promise<string> {
    const { uuid } = this.database(name);
    const older = new Database(uuid, name);
    older.query("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
    for (const file of files.slice(0, -1)) {
      older.query(await readFile(join(folder, file), "utf8"));
      older.query(`INSERT INTO d1_migrations (name) VALUES ('${file}')`);
    }
    this.databases[this.databases.findIndex((one) => one.uuid === uuid)] = older;
    return files.at(-1) ?? "";
  }

  /** Requests that changed something, from the `from`-th on. */
  writes(from = 0): string[] {
    return this.seen
      .slice(from)
      .filter(({ wrote }) => wrote)
      .map(({ method, path }) => `${method} ${path}`);
  }

  /** Everything that the account holds, to tell whether a request changed it. */
  #fingerprint(): string {
    const workers = [...this.workers.values()].map(({ name, deployments, versions, ...rest }) => [
      name,
      deployments.length,
      versions.length,
      JSON.stringify(rest),
    ]);
    return JSON.stringify([
      workers,
      this.databases.map((one) => [one.name, one.fingerprint()]),
      this.namespaces,
      this.buckets,
      this.assets.size,
    ]);
  }

  async #answer(request: IncomingMessage, body: Buffer) {
    const { method = "GET", url: path = "/" } = request;
    const before = this.#fingerprint();
    const { status, result, error } = await this.#handle(request, body);
    const wrote = this.#fingerprint() !== before;
    this.seen.push({ method, path, body: body.toString("latin1"), wrote });
    const errors = error === undefined ? [] : [{ code: error.code, message: error.message }];
    const answer = {
      success: errors.length === 0,
      errors,
      messages: [],
      result: result ?? null,
      ...(Array.isArray(result) ? { result_info: pageOf(result.length) } : {}),
    };
    return { status, answer };
  }

  async #handle(
    request: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; result?: unknown; error?: Refusal }> {
    const url = new URL(request.url ?? "/", "http://platform");
    const line = `${request.method} ${url.pathname}`;
    try {
      if (this.fail?.pattern.test(line)) {
        const { status } = this.fail;
        this.fail = null;
        throw new Refusal(status, 10001, "The stand-in fails as it was told.");
      }
      for (const { method, pattern, handler } of this.#routes) {
        const match = method === request.method ? pattern.exec({ pathname: url.pathname }) : null;
        if (match === null) continue;
        const isAsset = url.pathname.includes("/workers/assets/");
        if (!isAsset && request.headers.authorization !== `Bearer ${TOKEN}`) {
          throw new Refusal(401, 10000, "Authentication error");
        }
        const params = match.pathname.groups as Record<string, string>;
        const json = () => JSON.parse(body.toString()) as Record<string, unknown>;
        return { status: 200, result: await handler({ url, body, request, params, json }) };
      }
      this.unknown.push(line);
      throw new Refusal(501, 1, `The stand-in has no route ${line}.`);
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, error };
      const text = error instanceof Error ? error.message : String(error);
      return { status: 400, error: new Refusal(400, 7500, text) };
    }
  }

  /** Each later than the one before, as the platform's deployments are. */
  #now(): string {
    this.#ticks += 1;
    return new Date(Date.UTC(2026, 10, 1) + this.#ticks * 1_000).toISOString();
  }

  #on(method: string, pathname: string, handler: Handler): void {
    this.#routes.push({ method, pattern: new URLPattern({ pathname }), handler });
  }

  #addRoutes(): void {
    const account = "/accounts/:account";
    const script = `${account}/workers/scripts/:name`;
    this.#on("GET", "/user/tokens/verify", () => ({ id: "token", status: "active" }));
    this.#on("GET", "/user", () => ({ id: "user", email: "someone@sila.example" }));
    this.#on("GET", "/accounts", () => this.accounts);
    this.#on("GET", "/memberships", () =>
      this.accounts.map((one) => ({ account: one, roles: [], permissions: {} })),
    );

    this.#on("GET", `${account}/workers/services/:name`, ({ params }) => {
      const { tag, tags } = this.worker(params.name ?? "");
      const about = { id: params.name, tag, tags, last_deployed_from: "wrangler" };
      return { default_environment: { environment: "production", script: about } };
    });
    this.#on("GET", `${script}/settings`, ({ params }) => ({
      bindings: publicOf(this.worker(params.name ?? "").current.bindings),
    }));
    this.#on("PATCH", `${script}/script-settings`, ({ params, json }) => {
      const worker = this.worker(params.name ?? "");
      worker.tags = (json().tags as string[] | undefined) ?? worker.tags;
      return {};
    });
    this.#on("GET", `${script}/secrets`, ({ params }) =>
      this.worker(params.name ?? "").secretNames.map((name) => ({ name, type: "secret_text" })),
    );
    this.#on("GET", `${script}/deployments`, ({ params }) => ({
      deployments: [...this.worker(params.name ?? "").deployments].reverse(),
    }));
    this.#on("POST", `${script}/deployments`, ({ params, json }) => {
      const { versions, annotations = {} } = json();
      const worker = this.worker(params.name ?? "");
      return worker.deploy(versions as never, annotations as never, this.#now());
    });
    this.#on("GET", `${script}/versions`, ({ params }) => ({
      items: [...this.worker(params.name ?? "").versions].reverse().map(describe),
    }));
    this.#on("GET", `${script}/versions/:id`, ({ params }) =>
      describe(this.worker(params.name ?? "").version(params.id ?? "")),
    );
    this.#on("PUT", script, (call) => this.#upload(call, true));
    // Of a Worker without objects that is there already; wrangler deploys the version by a call of its own.
    this.#on("POST", `${script}/versions`, (call) => this.#upload(call, false));
    this.#on(
      "GET",
      `${script}/subdomain`,
      ({ params }) => this.worker(params.name ?? "").subdomain,
    );
    this.#on("POST", `${script}/subdomain`, ({ params, json }) => {
      const worker = this.worker(params.name ?? "");
      worker.subdomain = json() as typeof worker.subdomain;
      return worker.subdomain;
    });
    this.#on("GET", `${account}/workers/workers/:name`, ({ params }) => {
      const { name, tag, subdomain } = this.worker(params.name ?? "");
      return { id: tag, name, subdomain };
    });
    this.#on("GET", `${account}/workers/subdomain`, () => ({ subdomain: "stand-in" }));
    this.#on("POST", `${script}/domains/changeset`, ({ body }) => {
      this.#checkZones(JSON.parse(body.toString()));
      return { added: [], removed: [], updated: [], conflicting: [] };
    });
    this.#on("PUT", `${script}/domains/records`, ({ params, json }) => {
      const origins = json().origins as { hostname: string }[];
      this.#checkZones(origins);
      this.worker(params.name ?? "").domains = origins.map(({ hostname }) => hostname);
      return [];
    });
    this.#on("PUT", `${script}/schedules`, ({ params, json }) => {
      this.worker(params.name ?? "").schedules = json();
      return { schedules: [] };
    });
    this.#on("POST", `${script}/assets-upload-session`, ({ json }) => {
      const manifest = json().manifest as Record<string, { hash: string }>;
      const missing = Object.values(manifest)
        .map(({ hash }) => hash)
        .filter((hash) => !this.assets.has(hash));
      return { jwt: JWT, buckets: missing.length === 0 ? [] : [missing] };
    });
    this.#on("POST", `${account}/workers/assets/upload`, async ({ body, request }) => {
      const form = await formOf(body, request);
      for (const hash of form.keys()) this.assets.add(hash);
      return { jwt: JWT };
    });
    this.#on("GET", `${account}/workflows`, () => []);

    this.#on("GET", `${account}/storage/kv/namespaces`, ({ url }) =>
      Number(url.searchParams.get("page") ?? 1) === 1 ? this.namespaces : [],
    );
    this.#on("POST", `${account}/storage/kv/namespaces`, ({ json }) => {
      const title = String(json().title);
      if (this.namespaces.some((one) => one.title === title)) {
        throw new Refusal(400, 10014, "a namespace with this account ID and title already exists");
      }
      const namespace = { id: randomBytes(16).toString("hex"), title };
      this.namespaces.push(namespace);
      return namespace;
    });

    this.#on("GET", `${account}/r2/buckets`, () => {
      this.#checkR2();
      return { buckets: this.buckets.map((name) => ({ name })) };
    });
    this.#on("GET", `${account}/r2/buckets/:bucket`, ({ params }) => {
      this.#checkR2();
      const name = params.bucket ?? "";
      if (this.buckets.includes(name)) return { name };
      throw new Refusal(404, 10006, "The specified bucket does not exist.");
    });
    this.#on("POST", `${account}/r2/buckets`, ({ json }) => {
      this.#checkR2();
      const name = String(json().name);
      if (this.buckets.includes(name)) throw new Refusal(409, 10004, "The bucket exists already.");
      this.buckets.push(name);
      return { name };
    });

    this.#on("GET", `${account}/d1/database`, () => this.databases.map(aboutOf));
    this.#on("POST", `${account}/d1/database`, ({ json }) => {
      const name = String(json().name);
      if (this.databases.some((one) => one.name === name)) {
        throw new Refusal(400, 7502, `The database ${name} exists already.`);
      }
      const database = new Database(randomUUID(), name);
      this.databases.push(database);
      return aboutOf(database);
    });
    this.#on("GET", `${account}/d1/database/:database`, ({ params }) =>
      aboutOf(this.database(params.database ?? "")),
    );
    this.#on("POST", `${account}/d1/database/:database/query`, ({ params, json }) => {
      const { sql, params: values } = json();
      return this.database(params.database ?? "").query(String(sql), values as string[]);
    });
  }

  async #upload({ params, body, request }: Call, isDeployed: boolean) {
    const name = params.name ?? "";
    const form = await formOf(body, request);
    const metadata = JSON.parse(String(form.get("metadata")));
    if (this.isFree && metadata.limits !== undefined) {
      const plans = `https://dash.cloudflare.com/${params.account}/workers/plans`;
      const words = "CPU limits are not supported for the Free plan.";
      throw new Refusal(
        400,
        100328,
        `${words} Switch to a paid plan at ${plans} to set CPU limits.`,
      );
    }
    const files: Record<string, number> = {};
    for (const [file, entry] of form) {
      if (typeof entry !== "string") files[file] = entry.size;
    }
    for (const binding of metadata.bindings) this.#checkBinding(binding);
    const worker = this.workers.get(name) ?? new Worker(name);
    const version = worker.upload(metadata, files, this.#now());
    if (isDeployed) {
      worker.deploy([{ version_id: version.id, percentage: 100 }], {}, version.created_on);
    }
    this.workers.set(name, worker);
    if (!isDeployed) return { ...describe(version), startup_time_ms: 1 };
    return {
      id: name,
      tag: worker.tag,
      etag: version.id,
      deployment_id: version.id.replaceAll("-", ""),
      startup_time_ms: 1,
    };
  }

  #checkZones(domains: { hostname: string }[]): void {
    for (const { hostname } of domains) {
      if (this.zones.some((zone) => `.${hostname}`.endsWith(`.${zone}`))) continue;
      throw new Refusal(400, 10083, `workers.api.error.zone_not_found for "${hostname}"`);
    }
  }

  #checkR2(): void {
    if (this.hasR2) return;
    throw new Refusal(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
  }

  /** A binding must name what the account has. */
  #checkBinding({ type, ...binding }: { type: string; [field: string]: unknown }): void {
    if (type === "d1") this.database(String(binding.id ?? binding.database_id));
    const isMissing =
      (type === "service" && !this.workers.has(String(binding.service))) ||
      (type === "kv_namespace" && !this.namespaces.some(({ id }) => id === binding.namespace_id)) ||
      (type === "r2_bucket" && !this.buckets.includes(String(binding.bucket_name)));
    if (isMissing) throw new Refusal(400, 10021, `binding ${binding.name} has no valid resource`);
  }
}

function aboutOf({ uuid, name }: Database) {
  return { uuid, name, version: "production", created_at: "2026-11-01T00:00:00Z", file_size: 0 };
}

async function formOf(body: Buffer, request: IncomingMessage): Promise<FormData> {
  const headers = { "Content-Type": request.headers["content-type"] ?? "" };
  return new Response(new Uint8Array(body), { headers }).formData();
}

function pageOf(count: number) {
  return { page: 1, per_page: 100, count, total_count: count, total_pages: 1 };
}
