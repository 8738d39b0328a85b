/**
 * The identity Worker: accounts of a service without an account hub (docs/architecture.md "Accounts in the box"),
 * called by RPC. It leaves events in D1 for the service, like the hub's webhooks.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { serve } from "./app.ts";
import type { Box, Served, Settings } from "./box.ts";
import { hubRoutes } from "./hub-routes.ts";
import { tidy } from "./tidy.ts";

export default class Identity extends WorkerEntrypoint<Box> {
  async serve(request: Request, settings: Settings): Promise<Served> {
    return serve(this.env, request, settings);
  }

  /** The hub's side of docs/contract.md section 8. @param secret signs the close of a transfer */
  async hub(request: Request, secret: string): Promise<Response> {
    return hubRoutes.fetch(request, { ...this.env, HUB_WEBHOOK_SECRET: secret });
  }

  /** Ends users whose deletion is final, sessions and links. The cron calls it. */
  async tidy(): Promise<void> {
    await tidy(this.env, Date.now());
  }
}
