/**
 * Broken on purpose, to prove that the simulator finds it: each request has an id of its own in place of
 * each tap, each tip is sent a second time under another key, and a limited download admits everybody.
 */
import * as sila from "sila";
import type { Use, UseOutcome } from "../../../objects/blocks/downloads/page-downloads.ts";
import type { TipAnswer, TipOrder } from "../../../objects/blocks/tips/tip.ts";
import { TAP_PARAMETER } from "../../../src/http/endpoints.ts";
import faulty from "./faulty.ts";

// Not through `faulty.ts`: an entry re-exports what only its own `export *` names.
export * from "sila";
export { PageObject, RateLimiter } from "./faulty.ts";

export default {
  ...faulty,
  fetch(request, near, ctx) {
    const url = new URL(request.url);
    url.searchParams.delete(TAP_PARAMETER);
    return faulty.fetch(new Request(url, request), near, ctx);
  },
} satisfies typeof faulty;

export class TipSender extends sila.TipSender {
  override async send(order: TipOrder, cookie: string): Promise<TipAnswer> {
    await super.send({ ...order, key: `again-${order.key}` }, cookie);
    return super.send(order, cookie);
  }
}

export class DownloadUses extends sila.DownloadUses {
  override use(use: Use): Promise<UseOutcome> {
    return super.use({ ...use, uses_max: null });
  }
}
