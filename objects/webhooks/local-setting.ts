/** Whether webhooks may go to this machine: in development and tests, never in production. */

/**
 * Two settings say so, of which the second one would break a deployment by itself: nobody could sign in
 * at a hub on its own machine (`src/http/config.ts` refuses such a hub too).
 */
export function allowsLoopback({
  EDGE_CACHE,
  HUB_URL,
}: {
  EDGE_CACHE: string;
  HUB_URL: string;
}): boolean {
  const hub = URL.parse(HUB_URL)?.hostname ?? "";
  return EDGE_CACHE === "local" && (hub === "localhost" || hub === "127.0.0.1");
}
