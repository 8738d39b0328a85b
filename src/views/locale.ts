/** The languages of pages and of this service. */
export const LOCALES = ["ar", "en"] as const;

export type Locale = (typeof LOCALES)[number];
