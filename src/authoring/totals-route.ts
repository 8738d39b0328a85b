import type { PeopleTotals } from "../../objects/page/tables/revisions.ts";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { callDependency } from "../http/dependency.ts";
import { TOTALS_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { requirePage } from "./own-pages.ts";
import { isoTime } from "./page-json.ts";

export const totals = new Hono<SignedIn>();

totals.use(TOTALS_PATH, exactLimit);

/**
 * 200 `{ok, totals:{views, clicks, links:{<link_id>: clicks}}, as_of}`: what people did since the page was
 * created, removed links included (docs/contract.md section 10). It has every event acknowledged before
 * `as_of`. Imported history is left out: D1 would have to read all hours of the page for it, and the
 * statistics show it.
 */
totals.get(TOTALS_PATH, privateRoute, async (c) => {
  const { page_id } = await requirePage(c, ownerAndPage(c));
  const { at, views, clicks, links }: PeopleTotals & { at: number } = await callDependency(
    "totals_failed",
    () => c.env.PAGE.getByName(page_id).peopleTotals(),
  );
  return c.json({ ok: true, totals: { views, clicks, links }, as_of: isoTime(at) });
});
totals.all(TOTALS_PATH, onlyMethods("GET"));
