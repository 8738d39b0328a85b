import { dateFormat, TIME_OPTIONS } from "../views/dates.ts";
import { languageOf, type ReaderLocale } from "../views/numbering.ts";
import { counted } from "../views/numbers.ts";
import { plainText } from "../views/plain-text.ts";
import type { ReceivedTip, ReceivedTips } from "./received-tips.ts";
import { TIPS_TEXTS } from "./tips-texts.ts";
import { tipsTotal } from "./tips-total.ts";

interface Reader {
  locale: ReaderLocale;
  tz: string;
}

/** The script sets the total, and fills the list again, when there are more (`tips-live.ts`). */
export function TipsTotal(props: Reader & { received: Pick<ReceivedTips, "n" | "points"> }) {
  const { locale, received } = props;
  const { n, points } = received;
  return (
    <p class="tips-total" role="status" data-tips-total={n}>
      {tipsTotal(locale, n, points)}
    </p>
  );
}

export function TipsList(
  props: Reader & { tips: readonly ReceivedTip[]; shown_max?: number | undefined },
) {
  const { locale, tips, tz, shown_max } = props;
  const { somebody } = TIPS_TEXTS[languageOf(locale)];
  return (
    <ol class="tips" data-tips={shown_max ?? ""}>
      {tips.map(({ seq, from_name, points, message, at }) => (
        <li class="notice" data-tip={seq}>
          <p>
            <strong>{counted(locale, "point", points)}</strong>{" "}
            <bdi>{plainText(from_name) || somebody}</bdi>
          </p>
          <TipMessage message={message} />
          <TipTime {...{ locale, tz, at }} />
        </li>
      ))}
    </ol>
  );
}

export function TipMessage({ message }: { message: string }) {
  const words = plainText(message);
  if (words === "") return null;
  return (
    <blockquote class="tip-message" dir="auto">
      {words}
    </blockquote>
  );
}

export function TipTime({ locale, tz, at }: Reader & { at: number }) {
  const options = { day: "numeric", month: "long", year: "numeric", ...TIME_OPTIONS } as const;
  return (
    <p class="why">
      <time datetime={new Date(at).toISOString()}>
        {dateFormat(locale, tz, options).format(at)}
      </time>
    </p>
  );
}
