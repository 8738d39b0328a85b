/** The webhook of a demo page: it leads to the neighbours' receiver, which gets its secret. */
import type { Endpoint, EndpointInput } from "../../objects/blocks/webhooks/webhook.ts";
import type { WithNeighbours } from "./neighbours/with-neighbours.ts";

/** Declared here, because `workers-types` would add its globals. */
interface Webhooks {
  list(): Promise<{ endpoints: Endpoint[] }>;
  create(input: EndpointInput): Promise<Endpoint | null>;
}

export async function seedWebhook(
  { server, neighbours }: Pick<WithNeighbours, "server" | "neighbours">,
  page_id: string,
): Promise<string> {
  const url = new URL("/hooks", neighbours.url).href;
  const namespace = await server.workerd.miniflare.getDurableObjectNamespace("WEBHOOKS");
  const page = (namespace as unknown as { getByName(name: string): Webhooks }).getByName(page_id);
  if ((await page.list()).endpoints.length > 0) return url;
  const made = await page.create({
    url,
    events: ["milestone.reached", "tip.received", "subscriber.confirmed"],
  });
  if (made !== null) await neighbours.control("POST", "/hooks", { secret: made.secret });
  return url;
}
