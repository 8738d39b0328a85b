/** The page object alone, by batches: what an event costs it when its router has packed a whole group. */

import type { PageEvent } from "../../../objects/events/event.ts";
import { packEvents } from "../../../objects/events/packed-events.ts";
import type { PageObject } from "../../../objects/page/page-object.ts";
import { LINK_IDS } from "../requests.ts";

const BATCH = 100;
const CLICKS_IN = 3;
const REFERRERS = 20;
const COUNTRIES = ["SA", "EG", "AE", "JO", "MA", "DE"];
const DEVICES = ["mobile", "desktop", "tablet"];
const AGENT =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/141.0.0.0 Mobile Safari/537.36";

type Batch = ReturnType<typeof packEvents>;

async function send(page: DurableObjectStub<PageObject>, batch: Batch): Promise<number> {
  const receipts = await page.recordBatch(batch);
  return receipts.filter(({ outcome }) => outcome === "counted").length;
}

let prepared: Batch[] = [];
let made = 0;

export async function prepareBatches(env: Cloudflare.Env, page_id: string, batches: number) {
  prepared = Array.from({ length: batches }, () =>
    packEvents(Array.from({ length: BATCH }, makeEvent)),
  );
  // Reads the page's links from D1, which a batch does not wait for.
  await env.PAGE.getByName(page_id).changed();
}

export async function recordBatches(env: Cloudflare.Env, page_id: string): Promise<number> {
  const page: DurableObjectStub<PageObject> = env.PAGE.getByName(page_id);
  const sent = prepared;
  prepared = [];
  let counted = 0;
  for (const batch of sent) counted += await send(page, batch);
  return counted;
}

function makeEvent(): PageEvent {
  made += 1;
  const n = made;
  const link_id = n % CLICKS_IN === 0 ? (LINK_IDS[n % LINK_IDS.length] ?? "") : "";
  return {
    key: crypto.randomUUID().replaceAll("-", "").slice(0, 16),
    link_id,
    class: "human",
    visitor: `10.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}\n${AGENT}`,
    origin: {
      referrer: `site-${n % REFERRERS}.example`,
      country: COUNTRIES[n % COUNTRIES.length] ?? "",
      device: DEVICES[n % DEVICES.length] ?? "",
      ...(link_id === "" && { language: "ar" }),
    },
  };
}
