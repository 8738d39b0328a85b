import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { secretIn } from "../../objects/platform/secrets.ts";
import { readConfig, requireConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { callDependency } from "../http/dependency.ts";
import { ISSUER_PATH } from "../http/endpoints.ts";
import { BUILD } from "../views/build.ts";
import { applyAccountEvents } from "./account-events.ts";
import { hasMail, sendMails } from "./account-mails.ts";

/** The identity Worker's answer, once its effects are applied. 503 where it fails or is of another build. */
export async function askIdentity<E extends AppEnv>(c: Context<E>): Promise<Response> {
  requireConfig(c.env, "own_accounts");
  const { SITE_ORIGIN, SIGN_UP, NEW_USER_PLAN } = c.env;
  const settings = {
    ...{ SITE_ORIGIN, SIGN_UP, NEW_USER_PLAN },
    SESSION_KEY: secretIn(c.env, "SESSION_KEY") ?? "",
    SETUP_CODE: secretIn(c.env, "SETUP_CODE") ?? "",
    // A refused setting names nobody.
    OPERATORS: readConfig(c.env).operators?.OPERATORS ?? "",
    ...{ has_mail: hasMail(c.env), issuers: readConfig(c.env).issuers },
    ...{ build: BUILD, request_id: c.get("requestId") },
  };
  const { response, mails } = await callDependency("identity_failed", () =>
    c.env.IDENTITY.serve(c.req.raw, settings),
  );
  await sendMails(c, mails);
  // Before the answer: a user who was signed out is out then. Issuers send browsers back by a GET.
  const isRead = c.req.method === "GET" && !c.req.path.startsWith(`${ISSUER_PATH}/`);
  if (!isRead) await applyAccountEvents(c, Date.now());
  // `c` has the limit's headers: an answer from a binding cannot be changed.
  return c.newResponse(response.body, response as Response & { status: StatusCode });
}
