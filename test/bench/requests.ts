/** The clients' requests: each is one string, made as cheaply as possible. */

/** The requests of a load; plain data, because it is sent to the clients' process. */
export interface Requests {
  kind: "beacon" | "redirect" | "page";
  /** The value of `X-Bench`, which chooses a route of the bench's Worker; null for the product's. */
  lane: "framed" | "naive" | "limit" | "far" | null;
  /** What beacons are about: views only, clicks only, or one view and then clicks of each sender. */
  targets: "views" | "clicks" | "both";
  /** Pages are named `<prefix><n>`. */
  page_prefix: string;
  pages: number;
  /** First page; the next ones follow if `in_order`, else in a scattered order. */
  page_from: number;
  in_order: boolean;
  /** Senders, as numbers for `address`. */
  sender_from: number;
  senders: number;
  /** Senders come in groups of this many, who take turns until each has sent `visits` requests. */
  company: number;
  visits: number;
}

/** The links of every page (`site.ts`); `undefined` is a view. */
export const LINK_IDS = ["shop", "video", "songs"] as const;
const TARGETS = [undefined, ...LINK_IDS];

/** User agents of real browsers, because the Worker parses them. */
const USER_AGENTS = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 401.0.0.0",
];

/** The number of addresses: 10.0.0.0/8. */
export const ADDRESSES = 2 ** 24;

export function address(n: number): string {
  return `10.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`;
}

/** Scatters the numbers, so that requests close in time are not of neighbouring pages. */
function scatter(n: number): number {
  return Math.imul(n + 1, 0x9e3779b1) >>> 8;
}

export function requestMaker(requests: Requests, run: string): (i: number) => string {
  const { kind, lane, page_prefix, pages, page_from, in_order, sender_from, senders } = requests;
  const { company, visits, targets } = requests;
  const lane_header = lane === null ? "" : `X-Bench: ${lane}\r\n`;
  return (i) => {
    const turn = i % (company * visits);
    const sender = ((i - turn) / visits + (turn % company)) % senders;
    // All events of a sender are on one page: a view first, then clicks.
    const page = page_prefix + (page_from + (in_order ? i % pages : scatter(sender) % pages));
    const nth = Math.floor(turn / company);
    const click = targets === "clicks" ? LINK_IDS[nth % LINK_IDS.length] : undefined;
    const target = targets === "both" ? TARGETS[nth % TARGETS.length] : click;
    const common =
      `Host: sila.example\r\nCF-Connecting-IP: ${address(sender_from + sender)}\r\n` +
      `User-Agent: ${USER_AGENTS[sender % USER_AGENTS.length]}\r\n${lane_header}`;
    if (kind === "page") return `GET /${page} HTTP/1.1\r\nAccept: text/html\r\n${common}\r\n`;
    const event_id = `${run}-${i}`;
    if (kind === "redirect") {
      const link_id = LINK_IDS[i % LINK_IDS.length];
      return `GET /r/${page}/${link_id}?e=${event_id} HTTP/1.1\r\n${common}\r\n`;
    }
    const link = target === undefined ? "" : `,"link_id":"${target}"`;
    const body = `{"page_id":"${page}"${link},"event_id":"${event_id}","referrer":"https://www.instagram.com/"}`;
    return (
      `POST /api/analytics/view HTTP/1.1\r\nContent-Type: text/plain\r\n` +
      `${common}Content-Length: ${body.length}\r\n\r\n${body}`
    );
  };
}
