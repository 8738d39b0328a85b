/** Whether webhooks may go to this machine: in development and tests, never in production. */

/**
 * What runs the service says so, and the setting of the hub, which would break a deployment by itself: nobody could
 * sign in at a hub on its own machine (`src/http/config.ts` refuses such a hub too).
 */
export function allowsLoopback({
  ONE_MACHINE,
  HUB_URL,
}: {
  ONE_MACHINE?: true;
  HUB_URL: string;
}): boolean {
  const hub = URL.parse(HUB_URL)?.hostname ?? "";
  return ONE_MACHINE === true && (hub === "localhost" || hub === "127.0.0.1");
}
