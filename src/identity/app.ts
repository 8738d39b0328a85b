/**
 * What the identity Worker answers browsers (docs/contract.md section 8). The service passes each request on after its
 * limits, and sets the headers of the answer.
 */
import { Hono } from "hono";
import { isSameOrigin } from "../accounts/csrf.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { answerError, answerNotFound } from "../http/error-answer.tsx";
import { BUILD } from "../views/build.ts";
import { account } from "./account-route.tsx";
import type { BoxEnv } from "./context.ts";
import { recover } from "./recover-route.tsx";
import { setup } from "./setup-route.tsx";
import { signIn } from "./sign-in-route.tsx";
import { signUp } from "./sign-up-route.tsx";
import { users } from "./users-route.tsx";

export const app = new Hono<BoxEnv>();

app.onError(answerError as unknown as Parameters<typeof app.onError>[0]);
app.notFound(answerNotFound as unknown as Parameters<typeof app.notFound>[0]);

app.use(async (c, next) => {
  c.set("requestId", c.env.request_id);
  // Its pages link to the files of its own build, which the other does not have.
  if (c.env.build !== BUILD)
    throw dependencyDown(new Error(`the build ${c.env.build} asks ${BUILD}`));
  await next();
});
// To others than operators its routes do not exist, so they get no 403 of them either.
app.route("/", users);
app.use(async (c, next) => {
  // Another site could sign its visitor in to an account of its own.
  if (c.req.method !== "GET" && c.req.method !== "HEAD" && !isSameOrigin(c)) {
    throw new ApiError("CSRF_REQUIRED");
  }
  await next();
});

app.route("/", signIn);
app.route("/", setup);
app.route("/", signUp);
app.route("/", recover);
app.route("/", account);
