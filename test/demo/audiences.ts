/** The audiences of the demo pages, from which `history.ts` draws invented visitors. */
import type { Locale } from "../../src/views/locale.ts";

export type Weighted<T> = readonly [T & { weight: number }, ...(T & { weight: number })[]];

interface Post {
  days_ago: number;
  views: number;
  referrer: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
}

interface Audience {
  /** Views of people a day, at the beginning and at the end of the history. */
  views_from: number;
  views_to: number;
  /** ISO 3166-1 alpha-2. */
  countries: Weighted<{ code: string }>;
  /** Hosts; null for views without a referrer. */
  referrers: Weighted<{ host: string | null }>;
  /** As the library that parses user agents names them. */
  devices: Weighted<{ type: "mobile" | "desktop" | "tablet" }>;
  posts: readonly Post[];
}

export const AUDIENCES: Record<Locale, Audience> = {
  ar: {
    views_from: 250,
    views_to: 345,
    countries: [
      { code: "SA", weight: 31 },
      { code: "EG", weight: 19 },
      { code: "GB", weight: 18 },
      { code: "AE", weight: 10 },
      { code: "LB", weight: 7 },
      { code: "JO", weight: 5 },
      { code: "KW", weight: 4 },
      { code: "DE", weight: 4 },
      { code: "MA", weight: 2 },
    ],
    referrers: [
      { host: null, weight: 33 },
      { host: "instagram.com", weight: 34 },
      { host: "tiktok.com", weight: 15 },
      { host: "youtube.com", weight: 7 },
      { host: "google.com", weight: 5 },
      { host: "t.co", weight: 3 },
      { host: "pinterest.com", weight: 2 },
      { host: "facebook.com", weight: 1 },
    ],
    devices: [
      { type: "mobile", weight: 84 },
      { type: "desktop", weight: 12 },
      { type: "tablet", weight: 4 },
    ],
    posts: [
      {
        days_ago: 23,
        views: 430,
        referrer: "tiktok.com",
        utm_source: "tiktok",
        utm_medium: "social",
        utm_campaign: "clay-to-cup",
      },
      {
        days_ago: 9,
        views: 560,
        referrer: "instagram.com",
        utm_source: "instagram",
        utm_medium: "story",
        utm_campaign: "new-collection",
      },
    ],
  },
  en: {
    views_from: 165,
    views_to: 215,
    countries: [
      { code: "GB", weight: 66 },
      { code: "IE", weight: 8 },
      { code: "US", weight: 8 },
      { code: "DE", weight: 6 },
      { code: "NL", weight: 5 },
      { code: "NO", weight: 4 },
      { code: "AU", weight: 3 },
    ],
    referrers: [
      { host: null, weight: 34 },
      { host: "youtube.com", weight: 21 },
      { host: "instagram.com", weight: 19 },
      { host: "bandcamp.com", weight: 12 },
      { host: "google.com", weight: 9 },
      { host: "reddit.com", weight: 3 },
      { host: "t.co", weight: 2 },
    ],
    devices: [
      { type: "mobile", weight: 63 },
      { type: "desktop", weight: 30 },
      { type: "tablet", weight: 7 },
    ],
    posts: [
      {
        days_ago: 19,
        views: 300,
        referrer: "youtube.com",
        utm_source: "youtube",
        utm_medium: "video",
        utm_campaign: "dawn-on-the-saltmarsh",
      },
      {
        days_ago: 6,
        views: 240,
        referrer: "instagram.com",
        utm_source: "instagram",
        utm_medium: "social",
        utm_campaign: "winter-tapes",
      },
    ],
  },
};
