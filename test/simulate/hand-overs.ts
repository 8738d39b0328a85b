/**
 * What routers handed over as numbers: events that the limit refused, which no client can name. Taken down
 * outside workerd, as the routers sent it, before it can reach an object.
 */

/** One number: `n` refused events of a page or of one of its links. */
export interface HandOver {
  page_id: string;
  /** Random, as its router made it. */
  key: string;
  /** `''` for views. */
  link_id: string;
  class: string;
  n: number;
}

/** A router's call, as `worker/distant.ts` tells of it. */
interface Call {
  page_id: string;
  events: readonly { key: string; link_id: string; class: string; n?: number }[];
}

export function parseHandOver(body: string): HandOver[] {
  const { page_id, events } = JSON.parse(body) as Call;
  return events.map(({ key, link_id, class: visitor, n = 1 }) => {
    return { page_id, key, link_id, class: visitor, n };
  });
}
