/** The audiences of the demo pages, from which `history.ts` draws invented visitors. */
import type { Locale } from "../../src/views/locale.ts";

/** A list of things, each with its relative frequency. */
export type Weighted<T> = readonly [T & { weight: number }, ...(T & { weight: number })[]];

export interface Country {
  /** ISO 3166-1 alpha-2. */
  code: string;
  /** In winter; daylight saving time is ignored. */
  utc_offset_h: number;
  /** Days of the week without work; 0 is Sunday. */
  weekend: readonly number[];
}

/** A post in a social network, whose visitors come within two days, most of them at first. */
export interface Post {
  days_ago: number;
  /** Of the day in UTC. */
  hour: number;
  /** Views that it brings in total. */
  views: number;
  referrer: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  /** Index of the link that it is about. */
  link: number;
}

export interface Audience {
  /** Human views on an ordinary day, at the beginning and at the end of the history. */
  views_from: number;
  views_to: number;
  /** Factor on views at weekends. */
  weekend: number;
  countries: Weighted<Country>;
  /** Hosts; null for views without a referrer. */
  referrers: Weighted<{ host: string | null }>;
  /** As the library that parses user agents names them. */
  devices: Weighted<{ type: "mobile" | "desktop" | "tablet" }>;
  posts: readonly Post[];
}

const FRIDAY_SATURDAY = [5, 6];
const SATURDAY_SUNDAY = [6, 0];

export const AUDIENCES: Record<Locale, Audience> = {
  ar: {
    views_from: 250,
    views_to: 345,
    weekend: 1.14,
    countries: [
      { code: "SA", utc_offset_h: 3, weekend: FRIDAY_SATURDAY, weight: 31 },
      { code: "EG", utc_offset_h: 2, weekend: FRIDAY_SATURDAY, weight: 19 },
      { code: "GB", utc_offset_h: 0, weekend: SATURDAY_SUNDAY, weight: 18 },
      { code: "AE", utc_offset_h: 4, weekend: SATURDAY_SUNDAY, weight: 10 },
      { code: "LB", utc_offset_h: 2, weekend: SATURDAY_SUNDAY, weight: 7 },
      { code: "JO", utc_offset_h: 3, weekend: FRIDAY_SATURDAY, weight: 5 },
      { code: "KW", utc_offset_h: 3, weekend: FRIDAY_SATURDAY, weight: 4 },
      { code: "DE", utc_offset_h: 1, weekend: SATURDAY_SUNDAY, weight: 4 },
      { code: "MA", utc_offset_h: 1, weekend: SATURDAY_SUNDAY, weight: 2 },
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
        hour: 17,
        views: 430,
        referrer: "tiktok.com",
        utm_source: "tiktok",
        utm_medium: "social",
        utm_campaign: "clay-to-cup",
        link: 1,
      },
      {
        days_ago: 9,
        hour: 16,
        views: 560,
        referrer: "instagram.com",
        utm_source: "instagram",
        utm_medium: "story",
        utm_campaign: "new-collection",
        link: 0,
      },
    ],
  },
  en: {
    views_from: 165,
    views_to: 215,
    weekend: 1.2,
    countries: [
      { code: "GB", utc_offset_h: 0, weekend: SATURDAY_SUNDAY, weight: 66 },
      { code: "IE", utc_offset_h: 0, weekend: SATURDAY_SUNDAY, weight: 8 },
      { code: "US", utc_offset_h: -5, weekend: SATURDAY_SUNDAY, weight: 8 },
      { code: "DE", utc_offset_h: 1, weekend: SATURDAY_SUNDAY, weight: 6 },
      { code: "NL", utc_offset_h: 1, weekend: SATURDAY_SUNDAY, weight: 5 },
      { code: "NO", utc_offset_h: 1, weekend: SATURDAY_SUNDAY, weight: 4 },
      { code: "AU", utc_offset_h: 10, weekend: SATURDAY_SUNDAY, weight: 3 },
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
        hour: 18,
        views: 300,
        referrer: "youtube.com",
        utm_source: "youtube",
        utm_medium: "video",
        utm_campaign: "dawn-on-the-saltmarsh",
        link: 1,
      },
      {
        days_ago: 6,
        hour: 19,
        views: 240,
        referrer: "instagram.com",
        utm_source: "instagram",
        utm_medium: "social",
        utm_campaign: "winter-tapes",
        link: 0,
      },
    ],
  },
};
