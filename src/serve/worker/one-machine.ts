/** The module around the bundle where the service runs on one machine: what the platform has around a Worker. */
import { WorkerEntrypoint } from "cloudflare:workers";
import * as sila from "sila";
import { withEdgeCache } from "./edge-cache.ts";

export * from "sila";
export { default } from "sila";

/**
 * The Worker for whoever knows which paths are files: Miniflare's two Workers for files, in front of the other one, take
 * twice the time of a count.
 */
export class Gateway extends WorkerEntrypoint<Cloudflare.Env> {
  override async fetch(request: Request): Promise<Response> {
    return sila.default.fetch(request, this.env, this.ctx);
  }
}

export class PageRenderer extends withEdgeCache(sila.PageRenderer) {}
