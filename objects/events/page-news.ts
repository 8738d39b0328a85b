/** What a page's object tells the page's object for webhooks, which delivers it to endpoints. */

/** What a page's object tells; links are checked by the object for webhooks itself. */
export const PAGE_EVENTS = ["milestone.reached", "tip.received", "subscriber.confirmed"] as const;
export type PageEventType = (typeof PAGE_EVENTS)[number];

export interface PageNews {
  /** 1 for the page's first one. */
  seq: number;
  /** What the event is, among those of its page: the same for ever. */
  id: string;
  type: PageEventType;
  /** Unix milliseconds. */
  at: number;
  data: Record<string, string | number>;
}

/** What one call brings. */
export interface PageNewsBatch {
  news: PageNews[];
  /** Events so far that this object could not keep. */
  dropped: number;
}

export type SendPageNews = (batch: PageNewsBatch) => Promise<void>;
