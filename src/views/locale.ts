export type Locale = "ar" | "en";
