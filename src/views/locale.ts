/** The two languages of every text. */
export type Locale = "ar" | "en";
