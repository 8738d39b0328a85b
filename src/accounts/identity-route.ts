/**
 * The pages and routes of accounts in the box, which the identity Worker answers (docs/contract.md section 8). With an
 * account hub they do not exist.
 */
import { Hono } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "../http/api-error.ts";
import { hasOwnAccounts, readConfig, requireConfig } from "../http/config.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import {
  ACCOUNT_PAGE,
  INVITATIONS_PATH,
  INVITE_PAGE,
  MY_ACCOUNT_PATH,
  SETUP_PAGE,
  USERS_PAGE,
  USERS_PATH,
} from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../http/limits.ts";
import { BUILD } from "../views/build.ts";
import { applyAccountEvents } from "./account-events.ts";

export const identity = new Hono<AppEnv>();

const PATHS = [
  ...[ACCOUNT_PAGE, `${ACCOUNT_PAGE}/*`, SETUP_PAGE, INVITE_PAGE],
  ...["/api/auth/*", MY_ACCOUNT_PATH, `${MY_ACCOUNT_PATH}/*`],
  ...[USERS_PAGE, `${USERS_PAGE}/*`, USERS_PATH, `${USERS_PATH}/*`],
  ...[INVITATIONS_PATH, `${INVITATIONS_PATH}/*`],
];

for (const path of PATHS) {
  identity.use(path, async (c, next) => {
    if (!hasOwnAccounts(c.env)) return next();
    let response: Response | undefined;
    await exactLimit(c, async () => {
      response = await forward(c);
    });
    return response;
  });
}

async function forward(c: AppContext): Promise<Response> {
  requireConfig(c.env, "own_accounts");
  const { SESSION_KEY, SITE_ORIGIN, SIGN_UP, NEW_USER_PLAN, SETUP_CODE = "" } = c.env;
  const settings = {
    ...{ SESSION_KEY, SITE_ORIGIN, SIGN_UP, NEW_USER_PLAN, SETUP_CODE },
    // While it is refused it names nobody.
    OPERATORS: readConfig(c.env).operators?.OPERATORS ?? "",
    ...{ build: BUILD, request_id: c.get("requestId") },
  };
  try {
    const answer = await withTimeout(
      c.env.IDENTITY.serve(c.req.raw, settings),
      DEPENDENCY_TIMEOUT_MS,
    );
    // Before the answer: whoever was signed out is out then.
    if (c.req.method !== "GET") await applyAccountEvents(c, Date.now());
    // With the headers of the limit. Those of an answer that came over a binding cannot be changed.
    return c.newResponse(answer.body, answer as Response & { status: StatusCode });
  } catch (error) {
    logError("identity_failed", { request_id: c.get("requestId") }, error);
    throw dependencyDown(error);
  }
}
