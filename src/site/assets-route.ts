/** The files that `src/client/build.ts` makes (docs/contract.md section 4). */
import { Hono } from "hono";
import { ApiError } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { callDependency } from "../http/dependency.ts";
import { onlyMethods } from "../http/methods.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";

export const assets = new Hono<AppEnv>();

/** Scripts, styles, fonts, icons and licences, with the hash of their content in the name. 200, 304, 404 or 503. */
assets.get("/assets/*", (c) => file(c, IMMUTABLE));
assets.all("/assets/*", onlyMethods("GET"));

/** Browsers request it by themselves for answers that name no icon. */
assets.get("/favicon.ico", (c) => file(c, "public, max-age=86400"));
assets.all("/favicon.ico", onlyMethods("GET"));

async function file(c: AppContext, cache_control: string): Promise<Response> {
  const found = await callDependency("assets_failed", () =>
    c.env.ASSETS.fetch(new URL(new URL(c.req.url).pathname, c.req.url)),
  );
  if (found.status !== 200) throw new ApiError("NOT_FOUND");
  const response = new Response(found.body, found);
  response.headers.set("Cache-Control", cache_control);
  return conditional(c, response);
}
