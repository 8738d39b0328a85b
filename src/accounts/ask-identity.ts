/** A request of a browser that the identity Worker answers. */
import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "../http/api-error.ts";
import { readConfig, requireConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../http/limits.ts";
import { BUILD } from "../views/build.ts";
import { applyAccountEvents } from "./account-events.ts";

/** The answer, once what follows from it is done. Throws 503 where the identity Worker fails or is of another build. */
export async function askIdentity<E extends AppEnv>(c: Context<E>): Promise<Response> {
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
