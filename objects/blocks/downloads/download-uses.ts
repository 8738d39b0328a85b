/** DownloadUses: the object that admits the uses of one page's downloads, keyed by `page_id`. */
import type { LinkDownloads } from "../../events/announced.ts";
import { flushIntervalMs } from "../../flush/flush-interval.ts";
import { logError } from "../../platform/log.ts";
import { MovableObject } from "../../platform/movable-object.ts";
import { pageIdOf, portsOf } from "../../platform/ports.ts";
import { PageDownloads, type Use, type UseOutcome } from "./page-downloads.ts";

export class DownloadUses extends MovableObject {
  readonly #downloads: PageDownloads;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    const pageId = () => pageIdOf(ctx);
    this.#downloads = new PageDownloads({
      ...portsOf(ctx),
      db: env.DB,
      pageId,
      convert: (page_id, conversions) => env.PAGE.getByName(page_id).convert(conversions),
      announce: (links, version) => env.PAGE.getByName(pageId()).downloadsAre(links, version),
      flush_interval_ms: flushIntervalMs(env.FLUSH_SECONDS),
      onFailed: (error) => logError("downloads_failed", { page_id: ctx.id.name }, error),
    });
    void ctx.blockConcurrencyWhile(() => this.#downloads.ready());
  }

  use(use: Use): Promise<UseOutcome> {
    return this.#downloads.use(use);
  }

  sent(link_id: string, bytes: number): void {
    this.#downloads.sent(link_id, bytes);
  }

  look(in_d1: readonly LinkDownloads[]): LinkDownloads[] {
    return this.#downloads.look(in_d1);
  }

  totals(): LinkDownloads[] {
    return this.#downloads.totals();
  }

  flush(): Promise<void> {
    return this.#downloads.flush();
  }

  end(): Promise<void> {
    return this.#downloads.end();
  }

  override alarm(): Promise<void> {
    return this.#downloads.onAlarm();
  }
}
