/** The module around the bundle on one machine, in place of the platform's own parts. */
import { WorkerEntrypoint } from "cloudflare:workers";
import * as sila from "sila";
import { withEdgeCache } from "./edge-cache.ts";
import { EdgeLimit } from "./edge-limit.ts";
import { withWholeBody } from "./whole-body.ts";

export * from "sila";

const edgeLimit = new EdgeLimit();

/** Changes `env` in place, because the service keeps its settings by it. A test has the binding. */
function onOneMachine(env: Cloudflare.Env): Cloudflare.Env {
  env.EDGE_LIMIT ??= edgeLimit;
  return env;
}

export default {
  ...sila.default,
  fetch: (request, env, ctx) => sila.default.fetch(request, onOneMachine(env), ctx),
} satisfies ExportedHandler<Cloudflare.Env>;

/** For callers that know the files' paths: Miniflare's own Workers take twice a count's time. */
export class Gateway extends WorkerEntrypoint<Cloudflare.Env> {
  override async fetch(request: Request): Promise<Response> {
    const env = onOneMachine(this.env);
    return withWholeBody(request, (whole) => sila.default.fetch(whole, env, this.ctx));
  }
}

export class PageRenderer extends withEdgeCache(sila.PageRenderer) {}
