/** A creator's files, uploaded in parts that a client may repeat (docs/contract.md section 11). */
import type { Context } from "hono";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { readJson } from "../../http/body.ts";
import { callDependency } from "../../http/dependency.ts";
import { COMPLETE_FILE_PATH, FILE_PART_PATH, FILE_PATH, FILES_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { Id } from "../../http/ids.ts";
import { onlyMethods } from "../../http/methods.ts";
import { newId } from "../../http/new-id.ts";
import { FileInput } from "./file-input.ts";
import {
  endFile,
  fileKey,
  findFile,
  listFiles,
  listParts,
  notePart,
  noteReady,
  noteUpload,
  reserveFile,
  type StoredFile,
} from "./files-store.ts";
import {
  FILE_BYTES_MAX,
  FILE_BYTES_PER_PLAN,
  FILE_INPUT_BYTES_MAX,
  FILE_PART_BYTES,
  FILES_MAX,
} from "./limits.ts";
import {
  complete,
  etagOfComplete,
  invalid,
  partBytes,
  partsOf,
  storePart,
  uploadOf,
  wrongLength,
} from "./upload.ts";

export const files = new Hono<SignedIn>();

for (const path of [FILES_PATH, FILE_PATH, FILE_PART_PATH, COMPLETE_FILE_PATH]) {
  files.use(path, exactLimit);
}

/** 200 `{ok, files, used_bytes, bytes_max, file_bytes_max}`, newest first. */
files.get(FILES_PATH, privateRoute, async (c) => {
  const stored = await store(() => listFiles(c.env.DB, c.get("session").user.id));
  return c.json({
    ok: true,
    files: stored.map(fileJson),
    used_bytes: stored.reduce((sum, { size }) => sum + size, 0),
    bytes_max: bytesMax(c),
    file_bytes_max: FILE_BYTES_MAX,
  });
});

/**
 * Reserves a file's size and begins its upload. 201 `{ok, file}`: with parts of `part_bytes`, the last one
 * shorter. 403 PLAN_LIMIT past the plan's bytes of all files; 413 for a file over 100 MB.
 */
files.post(FILES_PATH, privateRoute, async (c) => {
  const input = await readJson(c.req.raw, FileInput, FILE_INPUT_BYTES_MAX);
  if (input.size > FILE_BYTES_MAX) {
    throw new ApiError("PAYLOAD_TOO_LARGE", { details: { max_bytes: FILE_BYTES_MAX } });
  }
  const { DB, MEDIA } = c.env;
  const file = {
    file_id: newId(),
    owner_id: c.get("session").user.id,
    ...input,
    type: input.type || "application/octet-stream",
    created_at: Date.now(),
  };
  const { file_id } = file;
  if (!(await store(() => reserveFile(DB, file, bytesMax(c), file.created_at)))) throw planLimit(c);
  await store(async () => {
    const upload = await MEDIA.createMultipartUpload(fileKey(file_id), {
      httpMetadata: { contentType: file.type },
    });
    if (!(await noteUpload(DB, file_id, upload.uploadId))) await upload.abort();
  });
  c.header("Location", `${FILES_PATH}/${file_id}`);
  const json = fileJson({ ...file, state: "uploading", upload_id: null, etag: null });
  return c.json({ ok: true, file: { ...json, parts: [] } }, 201);
});
files.all(FILES_PATH, onlyMethods("GET", "POST"));

/** 200 `{ok, file}` with the numbers of the stored parts; the client sends the others. */
files.get(FILE_PATH, privateRoute, async (c) => {
  const file = await requireFile(c);
  const parts = await store(() => listParts(c.env.DB, file.file_id));
  return c.json({ ok: true, file: { ...fileJson(file), parts: parts.map(({ n }) => n) } });
});

/** Deletes a file, or gives up its upload. 200 `{ok}`; 409 FILE_IN_USE while a page names the file. */
files.delete(FILE_PATH, privateRoute, async (c) => {
  const { file_id, owner_id } = await requireFile(c);
  const outcome = await store(() => endFile(c.env.DB, owner_id, file_id));
  if (outcome === "in_use") throw new ApiError("FILE_IN_USE");
  if (outcome === "absent") throw new ApiError("NOT_FOUND");
  return c.json({ ok: true });
});
files.all(FILE_PATH, onlyMethods("GET", "DELETE"));

/**
 * Stores part `n` of an upload, from 1 on, with exactly its bytes in a file of this size; a repeat replaces
 * it. 200 `{ok, n}`; 400 for another length, a part that takes over a minute, or a complete file.
 */
files.put(FILE_PART_PATH, privateRoute, async (c) => {
  const file = await requireFile(c);
  const n = Number(c.req.param("n"));
  if (!/^[1-9]\d{0,4}$/.test(c.req.param("n")) || n > partsOf(file))
    throw new ApiError("NOT_FOUND");
  if (file.state === "ready") throw invalid("", "the file is complete");
  const bytes = partBytes(file, n);
  const declared = c.req.header("Content-Length");
  if (declared !== undefined && Number(declared) !== bytes) throw wrongLength(bytes);
  const upload = uploadOf(c.env, file);
  const part = await storePart(c.req.raw, upload, { n, bytes });
  const noted = await store(() => notePart(c.env.DB, file.file_id, part, Date.now()));
  if (!noted) throw new ApiError("NOT_FOUND");
  return c.json({ ok: true, n });
});
files.all(FILE_PART_PATH, onlyMethods("PUT"));

/** Makes the file of its parts. 200 `{ok, file}`, also if complete; 400 if parts are missing; 503. */
files.post(COMPLETE_FILE_PATH, privateRoute, async (c) => {
  const file = await requireFile(c);
  if (file.state === "ready") return c.json({ ok: true, file: fileJson(file) });
  const parts = await store(() => listParts(c.env.DB, file.file_id));
  const stored = new Set(parts.map(({ n }) => n));
  const missing = Array.from({ length: partsOf(file) }, (_, i) => i + 1).filter(
    (n) => !stored.has(n),
  );
  const etag =
    missing.length === 0
      ? await complete(c.env, file, parts)
      : await store(() => etagOfComplete(c.env, file));
  if (etag === null) {
    const issues = missing.map((n) => ({ path: `parts.${n}`, message: "missing" }));
    throw new ApiError("VALIDATION_FAILED", { details: { issues } });
  }
  if (!(await store(() => noteReady(c.env.DB, file.file_id, etag)))) {
    // It ended meanwhile, and the sweep may have run before the file was complete.
    await store(() => c.env.MEDIA.delete(fileKey(file.file_id)));
    throw new ApiError("NOT_FOUND");
  }
  return c.json({ ok: true, file: fileJson({ ...file, state: "ready", etag }) });
});
files.all(COMPLETE_FILE_PATH, onlyMethods("POST"));

function isoTime(unix_ms: number): string {
  return new Date(unix_ms).toISOString();
}

function store<T>(work: () => Promise<T>): Promise<T> {
  return callDependency("file_failed", work);
}

function bytesMax(c: Context<SignedIn>): number {
  return FILE_BYTES_PER_PLAN[c.get("session").user.plan];
}

function planLimit(c: Context<SignedIn>): ApiError {
  const { plan } = c.get("session").user;
  const details = { plan, bytes_max: bytesMax(c), files_max: FILES_MAX };
  return new ApiError("PLAN_LIMIT", { details });
}

/** Throws 404, also for a file of another user. */
async function requireFile(c: Context<SignedIn>): Promise<StoredFile> {
  const file_id = Id.safeParse(c.req.param("file_id"));
  if (!file_id.success) throw new ApiError("NOT_FOUND");
  const owner_id = c.get("session").user.id;
  const file = await store(() => findFile(c.env.DB, owner_id, file_id.data));
  if (file === null) throw new ApiError("NOT_FOUND");
  return file;
}

function fileJson({ file_id, name, type, size, state, created_at }: StoredFile) {
  const part_bytes = FILE_PART_BYTES;
  return { file_id, name, type, size, state, created_at: isoTime(created_at), part_bytes };
}
