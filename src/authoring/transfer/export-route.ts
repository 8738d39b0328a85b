import { logError } from "../../../objects/platform/log.ts";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { callDependency } from "../../http/dependency.ts";
import { EXPORT_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { requirePage } from "../own-pages.ts";
import { exportedFiles } from "./export-page.ts";
import { streamOf, zipped } from "./zip-stream.ts";

export const exporting = new Hono<SignedIn>();

exporting.use(EXPORT_PATH, exactLimit);

/**
 * 200 application/zip with all that is stored of the page (`export-format.ts`, docs/contract.md section 10),
 * counts up to this moment included. 404 for a page of another owner. Where D1 or R2 fails later, the download
 * breaks off: no reader takes a zip without its end for a whole one.
 */
exporting.get(EXPORT_PATH, privateRoute, async (c) => {
  const page = await requirePage(c, ownerAndPage(c));
  const object = c.env.PAGE.getByName(page.page_id);
  await callDependency("export_failed", () => object.flush());
  const home = async () => (await object.snapshot()).stats;
  const now = Date.now();
  const bytes = logged(zipped(exportedFiles(c.env, page, now, home), new Date(now)));
  return c.body(streamOf(bytes), 200, {
    "Content-Type": "application/zip",
    // RFC 6266: browsers prefer the second name, which may have Arabic letters.
    "Content-Disposition": `attachment; filename="sila-${page.page_id}.zip"; filename*=UTF-8''${encodeURIComponent(page.slug)}.zip`,
  });
});
exporting.all(EXPORT_PATH, onlyMethods("GET"));

async function* logged(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    logError("export_failed", {}, error);
    throw error;
  }
}
