/** Who watches a page's live numbers was let in by a session; when that may be over, they come again. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import type { AppContext } from "../http/context.ts";
import { DEPENDENCY_TIMEOUT_MS, PAGES_LISTED_MAX } from "../http/limits.ts";
import { listPageNames } from "../pages/pages-store.ts";

/**
 * Sends away whoever watches the pages of a user; those who may come back do so at once. It goes on behind
 * the answer, and where it fails nobody watches longer than `WATCH_MS`.
 */
export function closeLiveSockets(
  c: Pick<AppContext, "env" | "executionCtx">,
  owner_id: string,
): void {
  const work = async () => {
    const pages = await listPageNames(c.env.DB, owner_id, PAGES_LISTED_MAX);
    await Promise.all(
      pages.map(({ page_id }) =>
        withTimeout(c.env.PAGE.getByName(page_id).disconnectWatchers(), DEPENDENCY_TIMEOUT_MS),
      ),
    );
  };
  c.executionCtx.waitUntil(work().catch((error) => logError("dismissal_failed", {}, error)));
}
