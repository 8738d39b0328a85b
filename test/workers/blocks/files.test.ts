/** Creators' files: uploads in parts, what a plan allows, and what becomes of files that nobody needs. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fileKey, findReadyFiles } from "../../../src/blocks/files/files-store.ts";
import {
  FILE_BYTES_MAX,
  FILE_BYTES_PER_PLAN,
  FILE_NAME_CHARS_MAX,
  FILE_PART_BYTES,
  FILES_MAX,
  STALE_UPLOAD_HOURS,
} from "../../../src/blocks/files/limits.ts";
import { sweepFiles } from "../../../src/blocks/files/sweep-files.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { call, errorOf, expectErrors } from "../kit/kit.ts";
import {
  begin,
  bytesOf,
  type Creator,
  completeFile,
  type FileJson,
  offer,
  putPart,
  upload,
} from "./files-kit.ts";

const [me, other] = [await creator("demo-business"), await creator("demo-free")];
afterEach(async () => {
  await env.DB.batch([env.DB.prepare("UPDATE files SET state = 'ended'")]);
  await sweepFiles(env, Date.now());
});

const keys = async () => (await env.MEDIA.list({ prefix: "files/" })).objects.map(({ key }) => key);
const sha256 = async (bytes: BufferSource) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
const read = async (user: Creator, file_id: string) => {
  const response = await user.send("GET", `/api/me/files/${file_id}`);
  return (await response.json<{ file: FileJson }>()).file;
};

describe("an upload", () => {
  test("of several parts is the file, whatever order they come in and however often", async () => {
    const content = bytesOf(FILE_PART_BYTES + 1_000);
    const file = await begin(me, { size: content.length, type: "application/pdf" });
    expect(file).toMatchObject({ state: "uploading", part_bytes: FILE_PART_BYTES, parts: [] });
    const [first, second] = [content.slice(0, FILE_PART_BYTES), content.slice(FILE_PART_BYTES)];
    expect((await putPart(me, file.file_id, 2, bytesOf(1_000))).status).toBe(200);
    expect((await read(me, file.file_id)).parts).toEqual([2]);
    expect((await putPart(me, file.file_id, 1, first)).status).toBe(200);
    expect((await putPart(me, file.file_id, 2, second)).status).toBe(200);
    expect((await read(me, file.file_id)).parts).toEqual([1, 2]);
    const answers = [await completeFile(me, file.file_id), await completeFile(me, file.file_id)];
    for (const answer of answers) {
      expect(await answer.json()).toMatchObject({ ok: true, file: { state: "ready" } });
    }
    const object = await env.MEDIA.get(fileKey(file.file_id));
    // Comparing millions of elements takes many seconds.
    expect(await sha256((await object?.arrayBuffer()) ?? new ArrayBuffer())).toBe(
      await sha256(content),
    );
    // What it had is complete: nobody can change it any more.
    expect((await putPart(me, file.file_id, 2, second)).status).toBe(400);
  });

  test("of which parts are missing is not complete, and says which", async () => {
    const file = await begin(me, { size: 2 * FILE_PART_BYTES + 1 });
    await putPart(me, file.file_id, 2, bytesOf(FILE_PART_BYTES));
    const refused = await completeFile(me, file.file_id);
    expect(refused.status).toBe(400);
    expect((await errorOf(refused)).details.issues).toEqual([
      { path: "parts.1", message: "missing" },
      { path: "parts.3", message: "missing" },
    ]);
  });

  test("takes parts of exactly their length, also without Content-Length", async () => {
    const file = await begin(me, { size: 1_000 });
    const chunked = (length: number) =>
      new Blob([bytesOf(length)]).stream().pipeThrough(new TransformStream());
    for (const body of [bytesOf(999), bytesOf(1_001), null, chunked(999), chunked(1_001)]) {
      expect((await putPart(me, file.file_id, 1, body)).status).toBe(400);
    }
    expect((await read(me, file.file_id)).parts).toEqual([]);
    for (const n of [0, 2, "01", "1.0", "-1", "x"]) {
      expect((await putPart(me, file.file_id, n, bytesOf(1_000))).status).toBe(404);
    }
    expect((await putPart(me, file.file_id, 1, chunked(1_000))).status).toBe(200);
  });

  test("asks for its parts again if R2 has lost them", async () => {
    const events = expectErrors();
    const { file_id } = await begin(me, { size: 1_000 });
    await putPart(me, file_id, 1, bytesOf(1_000));
    await env.DB.prepare("UPDATE file_parts SET etag = 'lost' WHERE file_id = ?1")
      .bind(file_id)
      .run();
    expect((await completeFile(me, file_id)).status).toBe(503);
    expect((await read(me, file_id)).parts).toEqual([]);
    await putPart(me, file_id, 1, bytesOf(1_000));
    expect((await completeFile(me, file_id)).status).toBe(200);
    expect(events()).toEqual(["file_failed"]);
  });
});

describe("an upload that R2 completed after the Worker stopped waiting", () => {
  /** R2 has the file, and D1 the parts or none of them. */
  async function completedLate(keepsParts: boolean): Promise<string> {
    const { file_id } = await begin(me, { size: 1_000 });
    await putPart(me, file_id, 1, bytesOf(1_000));
    const { DB, MEDIA } = env;
    const row = await DB.prepare(
      "SELECT upload_id, etag FROM file_parts JOIN (SELECT file_id, upload_id FROM files) USING (file_id) WHERE file_id = ?1",
    )
      .bind(file_id)
      .first<{ upload_id: string; etag: string }>();
    const upload = MEDIA.resumeMultipartUpload(fileKey(file_id), row?.upload_id ?? "");
    await upload.complete([{ partNumber: 1, etag: row?.etag ?? "" }]);
    if (!keepsParts) {
      await DB.prepare("DELETE FROM file_parts WHERE file_id = ?1").bind(file_id).run();
    }
    return file_id;
  }

  test.each([true, false])(
    "takes no more parts and becomes ready, with its parts known: %s",
    async (keepsParts) => {
      const file_id = await completedLate(keepsParts);
      const refused = await putPart(me, file_id, 1, bytesOf(1_000));
      expect([refused.status, (await errorOf(refused)).code]).toEqual([404, "NOT_FOUND"]);
      const completed = await completeFile(me, file_id);
      expect(await completed.json()).toMatchObject({ ok: true, file: { state: "ready" } });
    },
  );

  test("keeps its parts where R2 fails otherwise, and completes with them later", async () => {
    const logged = expectErrors();
    const { file_id } = await begin(me, { size: 1_000 });
    await putPart(me, file_id, 1, bytesOf(1_000));
    const bucket: R2Bucket = Object.getPrototypeOf(env.MEDIA);
    const failing = vi.spyOn(bucket, "resumeMultipartUpload").mockReturnValue({
      complete: () => Promise.reject(new Error("We encountered an internal error. (10001)")),
    } as unknown as R2MultipartUpload);
    expect((await completeFile(me, file_id)).status).toBe(503);
    failing.mockRestore();
    expect((await read(me, file_id)).parts).toEqual([1]);
    expect((await completeFile(me, file_id)).status).toBe(200);
    expect(logged()).toEqual(["file_failed"]);
  });
});

describe("the name and type of a file", () => {
  test("are bounded, and have nothing that could act", async () => {
    const names: [string, string][] = [
      ["../../etc/passwd", ".._.._etc_passwd"],
      ["a\\b\u202egpj.exe\n", "a_bgpj.exe"],
      ["س".repeat(FILE_NAME_CHARS_MAX), "س".repeat(FILE_NAME_CHARS_MAX)],
    ];
    for (const [given, stored] of names) {
      expect((await begin(me, { name: given, size: 1 })).name).toBe(stored);
    }
    const wrong = [
      { name: "س".repeat(FILE_NAME_CHARS_MAX + 1) },
      { name: " \u202e" },
      { type: "text/html; charset=utf-8" },
      { size: 0 },
    ];
    for (const members of wrong) {
      const body = { name: "a", size: 1, ...members };
      expect((await me.send("POST", "/api/me/files", body)).status).toBe(400);
    }
  });
});

describe("a plan", () => {
  test("free allows 50 MB in all, to the byte, and those that are being uploaded count", async () => {
    const half = FILE_BYTES_PER_PLAN.free / 2;
    const first = await begin(other, { size: half });
    await begin(other, { size: half - 1 });
    const body = { name: "a", size: 2 };
    const refused = await other.send("POST", "/api/me/files", body);
    expect(refused.status).toBe(403);
    expect(await errorOf(refused)).toMatchObject({
      code: "PLAN_LIMIT",
      details: { plan: "free", bytes_max: 50_000_000, files_max: FILES_MAX },
    });
    await begin(other, { size: 1 });
    const list = await (await other.send("GET", "/api/me/files")).json();
    expect(list).toMatchObject({ used_bytes: 50_000_000, bytes_max: 50_000_000 });
    expect((await other.send("DELETE", `/api/me/files/${first.file_id}`)).status).toBe(200);
    await begin(other, { size: half });
  });

  test("allows no more to requests that come at once", async () => {
    const size = FILE_BYTES_PER_PLAN.free / 5;
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => other.send("POST", "/api/me/files", { name: "a", size })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7);
  });

  test("allows files of 100 MB each and no more, and 1,000 of them", async () => {
    await begin(me, { size: FILE_BYTES_MAX });
    const large = await me.send("POST", "/api/me/files", { name: "a", size: FILE_BYTES_MAX + 1 });
    expect(large.status).toBe(413);
    expect((await errorOf(large)).details.max_bytes).toBe(FILE_BYTES_MAX);
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO files (file_id, owner_id, name, type, size, state, created_at, touched_at)
       SELECT 'many-' || i, 'demo-business', '', '', 1, 'ready', 0, 0 FROM n`,
    )
      .bind(FILES_MAX - 1)
      .run();
    await begin(me, { size: 1 });
    expect((await me.send("POST", "/api/me/files", { name: "a", size: 1 })).status).toBe(403);
    await env.DB.prepare("DELETE FROM files WHERE file_id GLOB 'many-*'").run();
  });
});

describe("S22: a file of another user", () => {
  test("is 404 on every route, and no page may name it", async () => {
    const theirs = await upload(other, bytesOf(10));
    const { file_id } = theirs;
    const answers = [
      await me.send("GET", `/api/me/files/${file_id}`),
      await me.send("DELETE", `/api/me/files/${file_id}`),
      await putPart(me, file_id, 1, bytesOf(10)),
      await completeFile(me, file_id),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const list = await (await me.send("GET", "/api/me/files")).json<{ files: FileJson[] }>();
    expect(list.files).toEqual([]);
    const link = { kind: "download", label: { ar: "ملف" }, block: { file_id } };
    const mine = await me.make();
    for (const refused of [
      await me.send("POST", "/api/me/pages", { slug: me.slug(), name: { ar: "س" }, links: [link] }),
      await me.send(
        "PATCH",
        `/api/me/pages/${mine.page_id}`,
        { links: [link] },
        { "If-Match": "*" },
      ),
    ]) {
      expect(refused.status).toBe(400);
      expect((await errorOf(refused)).details.issues).toEqual([
        { path: "links.0.block.file_id", message: "no complete file of yours" },
      ]);
    }
  });
});

describe("a page and its file", () => {
  test("a page may name a file that is complete, and no other", async () => {
    const unfinished = await begin(me, { size: 10 });
    const link = { kind: "download", block: { file_id: unfinished.file_id } };
    const body = { slug: me.slug(), name: { ar: "س" }, links: [link] };
    expect((await me.send("POST", "/api/me/pages", body)).status).toBe(400);
    await putPart(me, unfinished.file_id, 1, bytesOf(10));
    await completeFile(me, unfinished.file_id);
    expect((await me.send("POST", "/api/me/pages", body)).status).toBe(201);
  });

  test("a file that a page names cannot be deleted until the page does without it", async () => {
    const { file_id } = await upload(me, bytesOf(10));
    const { page } = await offer(me, file_id);
    const refused = await me.send("DELETE", `/api/me/files/${file_id}`);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([409, "FILE_IN_USE"]);
    const without = await me.patch(page, { links: [] });
    expect((await me.send("DELETE", `/api/me/files/${file_id}`)).status).toBe(200);
    expect((await me.send("DELETE", `/api/me/files/${file_id}`)).status).toBe(404);
    // A restored version has no download of a file that is gone.
    const path = `/api/me/pages/${page.page_id}/revisions/1/restore`;
    const restored = await me.send("POST", path, undefined, {
      "If-Match": `"v${without.version}"`,
    });
    expect(await restored.json()).toMatchObject({ ok: true, page: { links: [] } });
  });

  test("another user's export is imported without downloads of that user's files", async () => {
    const { file_id } = await upload(me, bytesOf(10));
    const { page } = await offer(me, file_id);
    const exported = await me.send("GET", `/api/me/pages/${page.page_id}/export`);
    const zip = await exported.arrayBuffer();
    const pro = await creator("demo-pro");
    const imported = await call("/api/me/pages/import", {
      method: "POST",
      body: zip,
      headers: { ...pro.headers, "Content-Type": "application/zip" },
    });
    expect(await imported.json()).toMatchObject({ ok: true, page: { links: [] } });
    const own = await call("/api/me/pages/import", {
      method: "POST",
      body: zip,
      headers: { ...me.headers, "Content-Type": "application/zip" },
    });
    expect(await own.json()).toMatchObject({ page: { links: [{ block: { file_id } }] } });
  });
});

describe("the sweep", () => {
  test("gives up uploads without a part for 24 hours, to the millisecond, and no others", async () => {
    const stale = await begin(me, { size: 20 });
    await putPart(me, stale.file_id, 1, bytesOf(20));
    const ready = await upload(me, bytesOf(10));
    const touched = (await env.DB.prepare("SELECT touched_at AS at FROM files WHERE file_id = ?1")
      .bind(stale.file_id)
      .first<number>("at")) as number;
    const end = touched + STALE_UPLOAD_HOURS * 3_600_000;
    expect(await sweepFiles(env, end - 1)).toBe(0);
    expect(await sweepFiles(env, end)).toBe(1);
    expect((await me.send("GET", `/api/me/files/${stale.file_id}`)).status).toBe(404);
    expect((await completeFile(me, stale.file_id)).status).toBe(404);
    expect(await keys()).toEqual([fileKey(ready.file_id)]);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM file_parts").first<number>("n");
    expect(left).toBe(0);
  });

  test("deletes files that have ended from R2 before their rows", async () => {
    const { file_id } = await upload(me, bytesOf(10));
    await me.send("DELETE", `/api/me/files/${file_id}`);
    vi.spyOn(console, "error").mockImplementation(() => {});
    const bucket: R2Bucket = Object.getPrototypeOf(env.MEDIA);
    const failing = vi.spyOn(bucket, "delete").mockRejectedValue(new Error("R2 refuses"));
    expect(await sweepFiles(env, Date.now())).toBe(0);
    failing.mockRestore();
    expect(await keys()).toEqual([fileKey(file_id)]);
    expect(await sweepFiles(env, Date.now())).toBe(1);
    expect(await keys()).toEqual([]);
    expect(await sweepFiles(env, Date.now())).toBe(0);
  });

  test("deletes all files of a user whom the hub deleted", async () => {
    const pro = await creator("demo-pro");
    const file = await upload(pro, bytesOf(10));
    const { DB } = env;
    await DB.prepare(
      "INSERT INTO deleted_users (user_id, deleted_at) VALUES ('demo-pro', 0)",
    ).run();
    try {
      expect(await findReadyFiles(DB, "demo-pro", [file.file_id])).toEqual(new Set());
      expect((await pro.send("POST", "/api/me/files", { name: "a", size: 1 })).status).toBe(403);
      await sweepFiles(env, Date.now());
      expect(await keys()).toEqual([]);
    } finally {
      await DB.prepare("DELETE FROM deleted_users WHERE user_id = 'demo-pro'").run();
    }
  });
});

test("no file is served as a picture, whatever type it claims", async () => {
  const { file_id } = await upload(me, bytesOf(10), { type: "image/png" });
  expect((await call(`/media/${fileKey(file_id)}`)).status).toBe(404);
});
