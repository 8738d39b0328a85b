/** The way through a long list, the newest first: to the older ones, and back to the newest. */
import { languageOf } from "../views/numbering.ts";
import { changed } from "./addresses.ts";
import type { Frame } from "./dashboard-frame.tsx";

const TEXTS = {
  ar: { older: "الأقدم", newest: "الأحدث" },
  en: { older: "Older", newest: "Newest" },
};

interface PagerProps extends Pick<Frame, "locale" | "url"> {
  /** The name of the list, for screen readers. */
  label: string;
  next_cursor: string | null;
  /** A query parameter that belongs to what is shown now, and leads nowhere on another page of the list. */
  without?: string;
}

export function Pager({ locale, url, label, next_cursor, without }: PagerProps) {
  const texts = TEXTS[languageOf(locale)];
  const is_first = !url.searchParams.has("cursor");
  if (is_first && next_cursor === null) return null;
  const at = (cursor: string | null) =>
    changed(url, { cursor, ...(without !== undefined && { [without]: null }) });
  return (
    <nav class="title" aria-label={label}>
      {!is_first && (
        <a class="quiet" href={at(null)}>
          {texts.newest}
        </a>
      )}
      {next_cursor !== null && (
        <a class="quiet" href={at(next_cursor)}>
          {texts.older}
        </a>
      )}
    </nav>
  );
}
