import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { chargeDay } from "../../accounts/day-limit.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { readStream } from "../../http/body.ts";
import { hex } from "../../http/bytes.ts";
import { callDependency } from "../../http/dependency.ts";
import { IMPORT_PATH, PAGES_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { etagOf } from "../if-match.ts";
import { pageJson } from "../page-json.ts";
import { findFreeSlug } from "./free-slug.ts";
import { importPage } from "./import-page.ts";
import { IMPORT_TYPES, ImportQuery, type ImportType } from "./import-query.ts";
import { acceptPictures } from "./imported-pictures.ts";
import { IMPORT_BODY_TIMEOUT_MS, IMPORT_BYTES_MAX, IMPORT_READ_TIMEOUT_MS } from "./limits.ts";
import type { Remark } from "./remarks.ts";

export const importing = new Hono<SignedIn>();

importing.use(IMPORT_PATH, exactLimit);

/**
 * Makes a draft of the file in the body: our own export, one of LinkStack, a saved page of links, CSV
 * or pasted lines, by Content-Type (docs/contract.md section 10). It fetches nothing
 * (docs/security.md S27).
 *
 * 201 `{ok, page, refused, refused_total, notes, notes_total, counts}`: `refused` was left out and
 * `notes` was changed, each `[{line, text, reason, reason_en}]`; `counts` is `{views, clicks}` of the
 * imported history. 200 with the first page for the same file again. 200 for `?dry_run=1`, with `page`
 * as far as it is known before it is stored. 400 VALIDATION_FAILED for a file without a page, with the
 * reason in `details.refused`; 401, 403 PLAN_LIMIT or CSRF_REQUIRED, 413, 415, 429, 502, 503, 504.
 */
importing.post(IMPORT_PATH, privateRoute, async (c) => {
  const { dry_run } = validate(ImportQuery, c.req.query());
  const type = typeOf(c.req.raw);
  const file = await readBody(c.req.raw);
  await chargeDay(c, { import_reads_day: 1 });
  const now_s = Math.floor(Date.now() / SECOND_MS);
  using read = await callDependency(
    "import_failed",
    () => c.env.WORKSHOP.readUpload(type, file, now_s),
    IMPORT_READ_TIMEOUT_MS,
  );
  const { page: imported, pictures, faults } = read;
  if (imported === null) throw refusal(faults);
  const accepted = await acceptPictures(c.env, c.get("session").user.id, imported, (key) =>
    pictures.read(key),
  );
  const { document, counts } = imported;
  const report = {
    refused: imported.refused.list.map(remarkJson),
    refused_total: imported.refused.n,
    notes: imported.notes.list.map(remarkJson),
    notes_total: imported.notes.n,
    counts: { views: counts?.views ?? 0, clicks: counts?.clicks ?? 0 },
  };
  if (dry_run) {
    const slug = await callDependency("import_failed", () =>
      findFreeSlug(c.env.DB, imported.slug, Date.now()),
    );
    const links = document.links.map(({ link_id, ...link }) => link);
    const page = { slug, status: "draft", ...document, links };
    return c.json({ ok: true, dry_run, page, ...report });
  }
  const sha256 = await crypto.subtle.digest("SHA-256", file);
  const source = hex(new Uint8Array(sha256));
  const { page, is_new } = await importPage(c, imported, accepted, source);
  c.header("ETag", etagOf(page));
  if (is_new) c.header("Location", `${PAGES_PATH}/${page.page_id}`);
  return c.json({ ok: true, page: pageJson(page), ...report }, is_new ? 201 : 200);
});
importing.all(IMPORT_PATH, onlyMethods("POST"));

function typeOf({ headers }: Request): ImportType {
  const named = (headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
  const type = IMPORT_TYPES.find((known) => known === named);
  if (type === undefined) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { details: { types: IMPORT_TYPES } });
  }
  return type;
}

/** Throws 413 past 8 MiB, whatever Content-Length says, and 400 for a body that ends early. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new ApiError("PAYLOAD_TOO_LARGE", { details: { max_bytes: IMPORT_BYTES_MAX } });
  if (Number(request.headers.get("Content-Length")) > IMPORT_BYTES_MAX) throw tooLarge();
  let file: Uint8Array<ArrayBuffer> | null;
  try {
    file = await readStream(request.body, IMPORT_BYTES_MAX, IMPORT_BODY_TIMEOUT_MS);
  } catch (cause) {
    const issues = [{ path: "", message: "the file did not arrive" }];
    throw new ApiError("VALIDATION_FAILED", { details: { issues }, cause });
  }
  if (file === null) throw tooLarge();
  return file;
}

function refusal(remarks: readonly Remark[]): ApiError {
  const issues = remarks.slice(0, 1).map(({ reason }) => ({ path: "", message: reason.en }));
  return new ApiError("VALIDATION_FAILED", {
    details: { issues, refused: remarks.map(remarkJson) },
  });
}

function remarkJson({ line, text, reason }: Remark) {
  return { line, text, reason: reason.ar, reason_en: reason.en };
}
