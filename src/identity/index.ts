/**
 * The identity Worker: accounts of a service without an account hub of its own (docs/architecture.md "Accounts in the
 * box"). It is called by RPC; what it tells the service are the events of the hub's webhooks, which it leaves in D1.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { serve } from "./app.ts";
import type { Box, Served, Settings } from "./box.ts";
import { hubRoutes } from "./hub-routes.ts";
import { tidy } from "./tidy.ts";

export default class Identity extends WorkerEntrypoint<Box> {
  /** The answer to a browser, which the service passes on after its limits, and the mails that it sends then. */
  async serve(request: Request, settings: Settings): Promise<Served> {
    return serve(this.env, request, settings);
  }

  /** The hub's side of docs/contract.md section 8. @param secret of the signature that closes a transfer */
  async hub(request: Request, secret: string): Promise<Response> {
    return hubRoutes.fetch(request, { ...this.env, HUB_WEBHOOK_SECRET: secret });
  }

  /** Ends what is over: users whose deletion can be undone no more, sessions, links. To be called by the cron. */
  async tidy(): Promise<void> {
    await tidy(this.env, Date.now());
  }
}
