import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import type { Following } from "../http/context.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../http/limits.ts";
import { listPageIdsOf } from "../pages/document/pages-store.ts";
import { PAGES_LISTED_MAX } from "./limits.ts";

/**
 * Closes sockets after the answer: the session that admitted them may have ended. Clients that are
 * still signed in reconnect at once. If it fails, a socket ends after `WATCH_MS`.
 */
export function closeLiveSockets(c: Following, owner_id: string): void {
  const work = async () => {
    const page_ids = await listPageIdsOf(c.env.DB, owner_id, PAGES_LISTED_MAX);
    await Promise.all(
      page_ids.map((page_id) =>
        withTimeout(c.env.PAGE.getByName(page_id).disconnectWatchers(), DEPENDENCY_TIMEOUT_MS),
      ),
    );
  };
  c.executionCtx.waitUntil(work().catch((error) => logError("live_close_failed", {}, error)));
}
