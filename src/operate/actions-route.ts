/** Operators' actions (docs/contract.md section 8). For all others these routes do not exist. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { notifyOfAction } from "../accounts/notifications-store.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { readJson } from "../http/body.ts";
import { callDependency } from "../http/dependency.ts";
import { SEEN_ERROR_PATH, TAKEDOWN_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { Id } from "../http/ids.ts";
import { onlyMethods } from "../http/methods.ts";
import { startDelivery } from "../pages/cache/page-changes.ts";
import { defaultLocale, textIn } from "../pages/document/page-words.ts";
import { type Page, readPage } from "../pages/document/pages-store.ts";
import {
  findTakedown,
  type OperatorAction,
  takeAction,
} from "../pages/document/takedowns-store.ts";
import { markError } from "./errors-store.ts";
import { operatorRoute } from "./operators.ts";
import { noticeOf, TAKEDOWN_BYTES_MAX, TakedownBody } from "./takedown.ts";

const FAILED = "operator_failed";

export const operatorActions = new Hono<SignedIn>();

for (const path of [TAKEDOWN_PATH, SEEN_ERROR_PATH])
  operatorActions.use(path, exactLimit, operatorRoute);

/**
 * Takes a page down with `{"reason"}`: it answers 410, and within 60 s its events are not counted any more. 200
 * `{ok, taken_down:{reason, at}}`; a page that is down already keeps its reason.
 */
operatorActions.post(TAKEDOWN_PATH, async (c) => {
  const { reason } = await readJson(c.req.raw, TakedownBody, TAKEDOWN_BYTES_MAX);
  return act(c, "takedown", reason);
});

/** Undoes a takedown. 200 `{ok, taken_down:null}`, also without one. */
operatorActions.delete(TAKEDOWN_PATH, (c) => act(c, "reinstate", ""));
operatorActions.all(TAKEDOWN_PATH, onlyMethods("POST", "DELETE"));

const SeenBody = z.object({ n: z.int().check(z.nonnegative()) });

/** Marks `{"n"}` reports of a group of errors as seen. 200 `{ok}`. */
operatorActions.post(SEEN_ERROR_PATH, async (c) => {
  const { n } = await readJson(c.req.raw, SeenBody, TAKEDOWN_BYTES_MAX);
  const fingerprint = c.req.param("fingerprint");
  const is_marked = await callDependency(FAILED, () =>
    markError(c.env.DB, { fingerprint, n }, Date.now()),
  );
  if (!is_marked) throw new ApiError("NOT_FOUND");
  return c.json({ ok: true });
});
operatorActions.all(SEEN_ERROR_PATH, onlyMethods("POST"));

async function act(
  c: Context<SignedIn>,
  what: OperatorAction["what"],
  reason: string,
): Promise<Response> {
  const { DB } = c.env;
  const page = await findAnyPage(c);
  const { page_id } = page;
  const at = Date.now();
  const user_id = c.get("session").user.id;
  const action = { action_id: crypto.randomUUID(), user_id, what, page_id, reason, at };
  const notice = noticeOf(what, textIn(page.name, defaultLocale(page)), reason);
  await callDependency(FAILED, () =>
    DB.batch([...takeAction(DB, action), notifyOfAction(DB, action, notice)]),
  );
  startDelivery(c);
  const taken_down = await callDependency(FAILED, () => findTakedown(DB, page_id));
  return c.json({
    ok: true,
    taken_down: taken_down && { ...taken_down, at: new Date(taken_down.at).toISOString() },
  });
}

/** A page of any owner. Throws 404. */
async function findAnyPage(c: Context<SignedIn>): Promise<Page> {
  const id = Id.safeParse(c.req.param("page_id"));
  const page = id.success ? await callDependency(FAILED, () => readPage(c.env.DB, id.data)) : null;
  if (page === null) throw new ApiError("PAGE_NOT_FOUND");
  return page;
}
