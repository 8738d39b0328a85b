/** The webhook of a demo page: it leads to the demo hub's receiver, which gets its secret. */
import type { WithHub } from "./neighbours/with-neighbours.ts";

/**
 * Makes the endpoint, through the routes as its owner would, unless the page has one. Answers the receiver's
 * address.
 */
export async function seedWebhook(
  { origin, hub }: Pick<WithHub, "origin" | "hub">,
  page_id: string,
  user_id: string,
): Promise<string> {
  const receiver = new URL("/hooks", hub.url).href;
  const { cookie } = (await hub.control("POST", "/sign-in", { user_id })) as { cookie: string };
  const Cookie = `hub_session=${cookie}`;
  const session = await fetch(`${origin}/api/auth/session`, { headers: { Cookie } });
  const { csrf_token } = (await session.json()) as { csrf_token: string };
  const path = `${origin}/api/me/pages/${page_id}/webhooks`;
  const found = await fetch(path, { headers: { Cookie } });
  const { webhooks } = (await found.json()) as { webhooks?: unknown[] };
  if (webhooks === undefined || webhooks.length > 0) return receiver;
  const made = await fetch(path, {
    method: "POST",
    headers: {
      Cookie,
      "X-CSRF-Token": csrf_token,
      Origin: origin,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({
      url: receiver,
      events: ["milestone.reached", "tip.received", "subscriber.confirmed"],
    }),
  });
  const { webhook } = (await made.json()) as { webhook?: { secret: string } };
  if (webhook !== undefined) await hub.control("POST", "/hooks", { secret: webhook.secret });
  return receiver;
}
