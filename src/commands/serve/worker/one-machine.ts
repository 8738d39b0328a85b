/** The module around the bundle where the service runs on one machine: what the platform has around a Worker. */
import { WorkerEntrypoint } from "cloudflare:workers";
import * as sila from "sila";
import { withEdgeCache } from "./edge-cache.ts";
import { EdgeLimit } from "./edge-limit.ts";
import { withWholeBody } from "./whole-body.ts";

export * from "sila";

const edgeLimit = new EdgeLimit();

/** In place, because the service keeps its settings by the environment. A test has the binding. */
function onOneMachine(env: Cloudflare.Env): Cloudflare.Env {
  env.EDGE_LIMIT ??= edgeLimit;
  return env;
}

export default {
  ...sila.default,
  fetch: (request, env, ctx) => sila.default.fetch(request, onOneMachine(env), ctx),
} satisfies ExportedHandler<Cloudflare.Env>;

/**
 * The Worker for whoever knows which paths are files: Miniflare's two Workers for files, in front of the other one, take
 * twice the time of a count.
 */
export class Gateway extends WorkerEntrypoint<Cloudflare.Env> {
  override async fetch(request: Request): Promise<Response> {
    const env = onOneMachine(this.env);
    return withWholeBody(request, (whole) => sila.default.fetch(whole, env, this.ctx));
  }
}

export class PageRenderer extends withEdgeCache(sila.PageRenderer) {}
