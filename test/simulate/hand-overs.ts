/**
 * The numbers that routers handed over: refused events, of which clients know no id. Recorded outside
 * workerd when the router sends them, before they can reach an object.
 */

/** `n` refused events of a page or of one of its links. */
export interface HandOver {
  page_id: string;
  /** A random key made by the router. */
  key: string;
  /** `''` for views. */
  link_id: string;
  class: string;
  n: number;
}

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
