/** The identity Worker's answers to browsers (docs/contract.md section 8), behind the service's limits. */

import { TrieRouter } from "hono/router/trie-router";
import { logError } from "../../objects/platform/log.ts";
import { isSameOrigin } from "../accounts/csrf.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { INVITE_PAGE, RECOVER_PAGE, SETUP_PAGE, SIGN_IN_PAGE } from "../http/endpoints.ts";
import { answerError, answerNotFound } from "../http/error-answer.tsx";
import { Hono } from "../http/hono.ts";
import { type Method, onlyMethods } from "../http/methods.ts";
import { BUILD } from "../views/build.ts";
import { account } from "./account-route.tsx";
import type { Box, Served, Settings } from "./box.ts";
import { type BoxEnv, relyingParty } from "./context.ts";
import { issuer } from "./issuer-route.ts";
import { mailCode } from "./mail-code-route.ts";
import { recover } from "./recover-route.tsx";
import { setup } from "./setup-route.tsx";
import { signIn } from "./sign-in-route.tsx";
import { signUp } from "./sign-up-route.tsx";
import { users } from "./users-route.tsx";

const routes = new Hono<BoxEnv>();
routes.route("/", signIn);
routes.route("/", setup);
routes.route("/", signUp);
routes.route("/", recover);
routes.route("/", mailCode);
routes.route("/", issuer);
routes.route("/", account);

const app = new Hono<BoxEnv>();

const answerKnown = answerError as unknown as Parameters<typeof app.onError>[0];
/** Errors that are not the request's are D1's or R2's: there are no other dependencies. */
app.onError((error, c) => {
  if (error instanceof ApiError) return answerKnown(error, c);
  logError("identity_failed", { request_id: c.get("requestId") }, error);
  return answerKnown(dependencyDown(error), c);
});
app.notFound(answerNotFound as unknown as Parameters<typeof app.notFound>[0]);

app.use(async (c, next) => {
  c.set("requestId", c.env.request_id);
  // Pages link to files of this build, which another build of the service lacks.
  if (c.env.build !== BUILD)
    throw dependencyDown(new Error(`the build ${c.env.build} asks ${BUILD}`));
  await next();
});
// Operators' routes do not exist for others, so their 403 comes later.
app.route("/", users);

/** The methods of each path. Paths without a parameter come first: `passkeys/options` is no id. */
const methods = new TrieRouter<Method[]>();
const registered = routes.routes.filter(({ method }) => method !== "ALL");
for (const [path, of_path] of [...Map.groupBy(registered, ({ path }) => path)].sort(
  ([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")),
)) {
  // A route with its own middleware is registered twice.
  methods.add("ALL", path, [...new Set(of_path.map(({ method }) => method))] as Method[]);
}

/** Pages for signed-out people are on the service's own origin, to which passkeys belong. */
for (const path of [SIGN_IN_PAGE, SETUP_PAGE, INVITE_PAGE, RECOVER_PAGE]) {
  app.get(path, async (c, next) => {
    const { origin, pathname, search } = new URL(c.req.url);
    const own = relyingParty(c).origin;
    return origin === own ? next() : c.redirect(own + pathname + search, 302);
  });
}

// Before a session or a token is checked, as in the service.
app.use(async (c, next) => {
  const [[own] = []] = methods.match("ALL", c.req.path)[0];
  const method = c.req.method === "HEAD" ? "GET" : c.req.method;
  if (own !== undefined && !own.includes(method as Method)) {
    return onlyMethods(...own)(c as never, next);
  }
  // Another site could sign its visitor in to an account of its own.
  if (method !== "GET" && !isSameOrigin(c)) throw new ApiError("CSRF_REQUIRED");
  await next();
});

app.route("/", routes);

export async function serve(box: Box, request: Request, settings: Settings): Promise<Served> {
  const mails: Served["mails"] = [];
  const response = await app.fetch(request, { ...box, ...settings, mails });
  return { response, mails: response.status < 400 ? mails : [] };
}
