/** Steps of a dump and of a load. Each may be repeated, and none replaces anything. */
import * as z from "zod/mini";
import {
  MAIN,
  openStats,
  type StatsDatabases,
  statsDatabases,
} from "../../../objects/page/home/databases.ts";
import { ApiError } from "../../http/api-error.ts";
import { parseJson, readBytes } from "../../http/body.ts";
import { hex } from "../../http/bytes.ts";
import { requireConfig, siteOrigin } from "../../http/config.ts";
import { Id } from "../../http/ids.ts";
import { whichExist } from "../../pages/document/pages-store.ts";
import { isExact } from "../../stats/audit.ts";
import { readFlushed } from "../../stats/audit-store.ts";
import { consistentRead } from "../../stats/consistent-read.ts";
import { listTables, readRows, readSchema, type Value, writeRows } from "./dump-tables.ts";

export const FORMAT = 1;

export const DUMPED_OBJECTS = [
  "PAGE",
  "SUBSCRIBERS",
  "WEBHOOKS",
  "DOWNLOADS",
  "TIPS",
  "ERROR_LOG",
] as const;
const ObjectClass = z.enum(DUMPED_OBJECTS);
export type ObjectClass = z.output<typeof ObjectClass>;

/** Pages of one call: each takes some calls of its object and of D1. */
export const AUDITED_PAGES_MAX = 20;
/** Size of the rows that one call writes: those of one read, as JSON. */
const ROWS_BYTES_MAX = 33_554_432;

const Key = z.array(z.union([z.string(), z.number(), z.null()]));
const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const ObjectName = z.string().check(z.minLength(1), z.maxLength(1_000));
const MediaKey = z.string().check(z.minLength(1), z.maxLength(1_024));

export const DumpCall = z.discriminatedUnion("do", [
  z.object({ do: z.literal("describe") }),
  z.object({
    do: z.literal("rows"),
    database: z.string(),
    table: z.string(),
    after: z.nullable(Key),
  }),
  z.object({
    do: z.literal("write rows"),
    database: z.string(),
    table: z.string(),
    columns: z.array(z.string()),
    sha256: Sha256,
  }),
  z.object({ do: z.literal("object"), class: ObjectClass, name: ObjectName }),
  z.object({
    do: z.literal("load object"),
    class: ObjectClass,
    name: ObjectName,
    sha256: Sha256,
  }),
  z.object({ do: z.literal("arm"), class: ObjectClass, name: ObjectName, alarm_ms: z.number() }),
  z.object({ do: z.literal("media"), after: z.string() }),
  z.object({ do: z.literal("content"), key: MediaKey }),
  z.object({
    do: z.literal("write content"),
    key: MediaKey,
    sha256: Sha256,
    content_type: z.nullable(z.string()),
    metadata: z.record(z.string(), z.string()),
  }),
  z.object({
    do: z.literal("audit"),
    page_ids: z.array(Id).check(z.maxLength(AUDITED_PAGES_MAX)),
  }),
]);
export type DumpCall = z.output<typeof DumpCall>;

/** Secrets whose loss nobody would notice at once. */
const COMPARED_KEYS = ["SENDER_KEY", "SESSION_KEY"] as const;
const KEY_DIGITS = 16;

export interface Described {
  format: typeof FORMAT;
  /** The main database's last migration. */
  schema: string;
  /** True without any page or user. */
  is_empty: boolean;
  /** The origin to which passkeys belong. */
  origin: string;
  /** Fingerprints that show whether two deployments have the same secrets, and nothing about these. */
  keys: Record<(typeof COMPARED_KEYS)[number], string>;
  /** Tables by the name of their database: DB, STATS_0, … */
  databases: Record<string, Awaited<ReturnType<typeof listTables>>>;
}

/** Throws 400 for what this deployment does not have. */
export async function dumpStep(
  env: Cloudflare.Env,
  call: DumpCall,
  request: Request,
): Promise<Response> {
  switch (call.do) {
    case "describe":
      return Response.json(await describe(env, new URL(request.url).origin));
    case "rows": {
      const { db, table } = await tableOf(env, call);
      return Response.json(await readRows(db, table, call.after));
    }
    case "write rows": {
      const { db, table } = await tableOf(env, call);
      const unknown = call.columns.find((column) => !table.columns.includes(column));
      if (unknown !== undefined) throw unknownHere(`${call.table}.${unknown}`);
      const body = await readBytes(request, ROWS_BYTES_MAX);
      // R2 and the objects compare theirs.
      const found = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", body)));
      if (found !== call.sha256) throw new Error("the rows are not those of the call");
      const rows = parseJson(body) as Value[][];
      return Response.json({
        written: await writeRows(db, { ...table, columns: call.columns }, rows),
      });
    }
    case "object":
      return new Response(await objectOf(env, call).dump());
    case "load object":
      return Response.json({ loaded: await loadObject(env, call, request.body) });
    case "arm":
      await objectOf(env, call).arm(call.alarm_ms);
      return Response.json({});
    case "media":
      return Response.json(await listMedia(env.MEDIA, call.after));
    case "content": {
      const object = await env.MEDIA.get(call.key);
      if (object === null) return new Response(null, { status: 204 });
      return new Response(object.body);
    }
    case "write content":
      return Response.json({ written: await writeContent(env.MEDIA, call, request.body) });
    case "audit":
      return Response.json({ inexact: await auditPages(env, call.page_ids) });
  }
}

async function describe(env: Cloudflare.Env, asked: string): Promise<Described> {
  const names = inOrderOfMoves(statsDatabases(env));
  const tables = names.map(
    async (name) => [name, await listTables(databaseOf(env, name))] as const,
  );
  const found = await env.DB.batch([
    env.DB.prepare("SELECT 1 FROM pages LIMIT 1"),
    env.DB.prepare("SELECT 1 FROM auth_users LIMIT 1"),
  ]);
  const settings = requireConfig(env, "counting");
  const keys = COMPARED_KEYS.map((name) => [
    name,
    hex(settings[name].sign(`sila-dump-key.${name}`)).slice(0, KEY_DIGITS),
  ]);
  return {
    format: FORMAT,
    schema: await readSchema(env.DB),
    is_empty: found.every(({ results }) => results.length === 0),
    origin: siteOrigin(env) || asked,
    keys: Object.fromEntries(keys),
    databases: Object.fromEntries(await Promise.all(tables)),
  };
}

/**
 * Leaving databases, the main one, and newer ones last, as pages move. So a page that moves between two reads is in
 * both. In none, its imported history would be lost, which no object has.
 */
function inOrderOfMoves({ homes, bound }: StatsDatabases): string[] {
  const leaving = [...bound.keys()].filter((name) => !homes.includes(name));
  const numberOf = (name: string) => Number(name.slice(name.lastIndexOf("_") + 1));
  return [...leaving, MAIN, ...homes.toSorted((a, b) => numberOf(a) - numberOf(b))];
}

function databaseOf(env: Cloudflare.Env, name: string): D1Database {
  const stats = statsDatabases(env);
  if (name !== MAIN && !stats.bound.has(name)) throw unknownHere(name);
  return openStats(env.DB, stats, name);
}

async function tableOf(
  env: Cloudflare.Env,
  { database, table }: { database: string; table: string },
) {
  const db = databaseOf(env, database);
  const found = (await listTables(db)).find(({ name }) => name === table);
  if (found === undefined) throw unknownHere(`${database}/${table}`);
  return { db, table: found };
}

function unknownHere(name: string): ApiError {
  return new ApiError("VALIDATION_FAILED", {
    details: { issues: [{ path: "", message: `this deployment has no ${name}` }] },
  });
}

interface Dumped {
  dump(): Promise<ReadableStream<Uint8Array>>;
  load(lines: ReadableStream<Uint8Array> | null, sha256: string): Promise<boolean>;
  arm(alarm_ms: number): Promise<void>;
}

function objectOf(env: Cloudflare.Env, { class: of, name }: { class: ObjectClass; name: string }) {
  return env[of].getByName(name) as unknown as Dumped;
}

/** Whether the object has these lines now; false where it has something else. Throws where it failed. */
async function loadObject(
  env: Cloudflare.Env,
  call: Extract<DumpCall, { do: "load object" }>,
  lines: Request["body"],
): Promise<boolean> {
  if (lines === null) throw unknownHere("object without lines");
  try {
    return await objectOf(env, call).load(lines, call.sha256);
  } catch (error) {
    // The object ends when it has stored the lines, and answers itself whether it has. A failed one is asked again
    // before the load continues: once its page exists, it would count from 0 and take no lines any more.
    if (await objectOf(env, call).load(null, call.sha256)) return true;
    throw error;
  }
}

async function listMedia(media: R2Bucket, after: string) {
  const list = await media.list({
    include: ["httpMetadata", "customMetadata"],
    ...(after === "" ? {} : { startAfter: after }),
  });
  const objects = list.objects.map(({ key, size, httpMetadata, customMetadata }) => ({
    ...{ key, size, content_type: httpMetadata?.contentType ?? null },
    metadata: customMetadata ?? {},
  }));
  return { objects, next: list.truncated ? (objects.at(-1)?.key ?? null) : null };
}

async function writeContent(
  media: R2Bucket,
  call: Extract<DumpCall, { do: "write content" }>,
  body: Request["body"],
): Promise<boolean> {
  const { key, sha256, content_type, metadata } = call;
  const put = await media.put(key, body ?? "", {
    onlyIf: { etagDoesNotMatch: "*" },
    sha256,
    customMetadata: metadata,
    ...(content_type === null ? {} : { httpMetadata: { contentType: content_type } }),
  });
  return put !== null;
}

/** Lets these pages flush, and returns those that D1 lacks or whose counts are not exact. */
async function auditPages(env: Cloudflare.Env, page_ids: readonly string[]): Promise<string[]> {
  const there = new Set(await whichExist(env.DB, page_ids));
  const audited = page_ids.map(async (page_id) => {
    if (!there.has(page_id)) return [page_id];
    // Compares D1 with what D1 confirmed, and sends what it lacks.
    await env.PAGE.getByName(page_id).sweep();
    await env.PAGE.getByName(page_id).flush();
    const { snapshot, found } = await consistentRead(env, page_id, (stats) =>
      readFlushed(stats, page_id),
    );
    return isExact(found, snapshot) ? [] : [page_id];
  });
  return (await Promise.all(audited)).flat();
}
