import type { Child } from "hono/jsx";
import { dateFormat, TIME_OPTIONS } from "../../views/dates.ts";
import type { ReaderLocale } from "../../views/numbering.ts";

export function Act(props: {
  csrf_token: string;
  url: URL;
  action: string;
  id: string;
  label?: string;
  children?: Child;
}) {
  const { csrf_token, url, action, id, label, children } = props;
  return (
    <form method="post" action={url.pathname + url.search}>
      <input type="hidden" name="csrf_token" value={csrf_token} />
      <input type="hidden" name="id" value={id} />
      <button class="quiet" type="submit" name="action" value={action} aria-label={label}>
        {children}
      </button>
    </form>
  );
}

/** Shows seconds: attempts follow one another quickly. */
export function timeText(locale: ReaderLocale, tz: string, iso: string): string {
  const options = { day: "numeric", month: "short", ...TIME_OPTIONS, second: "2-digit" } as const;
  return dateFormat(locale, tz, options).format(Date.parse(iso));
}
