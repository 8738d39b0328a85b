/** What a page's object tells the page's object for webhooks, which delivers it to endpoints. */

export const PAGE_EVENTS = ["milestone.reached", "tip.received", "subscriber.confirmed"] as const;
export type PageEventType = (typeof PAGE_EVENTS)[number];

export interface PageNews {
  /** The page's first news has 1. */
  seq: number;
  /** What the event is, among those of its page: the same for ever. */
  id: string;
  type: PageEventType;
  /** Unix milliseconds. */
  at: number;
  data: Record<string, string | number>;
}

export interface PageNewsBatch {
  news: PageNews[];
  /** How many events so far the page's object could not keep. */
  dropped: number;
}

/** Which of a page's events its endpoints want; `version` grows with each change of it, from 0. */
export interface WantedEvents {
  types: string[];
  version: number;
}

/** Resolves when all of it has arrived, with what is wanted now. */
export type SendPageNews = (batch: PageNewsBatch) => Promise<WantedEvents>;
