import { drawn, inLanguage } from "./drawn-text.ts";
import type { Locale } from "./locale.ts";
import { plainText } from "./plain-text.ts";

/** A page's name, as the database has it: in the page's first language. */
export function OwnName({ page: { name, locale } }: { page: { name: string; locale: Locale } }) {
  return <bdi {...inLanguage(locale)}>{drawn(plainText(name), locale)}</bdi>;
}
