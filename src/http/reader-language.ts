import { accepts } from "hono/accepts";
import type { Locale } from "../views/locale.ts";
import type { AppContext } from "./context.ts";

/**
 * The language of pages that have none of their own: error pages and pages about Sila. It is
 * `?lang=`, which the dashboard's addresses have, else the browser's preferred one, else Arabic.
 */
export function readerLanguage(c: Pick<AppContext, "req">): Locale {
  const lang = c.req.query("lang");
  if (lang === "ar" || lang === "en") return lang;
  const accepted = accepts(c as AppContext, {
    header: "Accept-Language",
    supports: ["ar", "en"],
    default: "ar",
    // Hono's own match compares whole tags: it does not find English in `en-GB`. The ranges come in
    // the order of their weights.
    match: (ranges, { supports, default: other }) =>
      ranges
        .filter(({ q }) => q > 0)
        .map(({ type }) => type.split("-", 1)[0]?.toLowerCase() ?? "")
        .find((tag) => supports.includes(tag)) ?? other,
  });
  return accepted === "en" ? "en" : "ar";
}
