/** The total is of all time whatever the period. */

import { languageOf } from "../../views/numbering.ts";
import { tipsAddress } from "../addresses.ts";
import { TipsList, TipsTotal } from "../tips-list.tsx";
import { TIPS_TEXTS } from "../tips-texts.ts";
import type { StatsPageProps } from "./props.ts";

/** Nothing on a page that has neither a tip jar nor tips, or where they could not be read. */
export function Tips(props: StatsPageProps) {
  const { locale, url, tz, page, received } = props;
  if (received === null || (received.n === 0 && !received.has_jar)) return null;
  const texts = TIPS_TEXTS[languageOf(locale)];
  return (
    <section class="card wide">
      <h2>{texts.tips}</h2>
      <TipsTotal {...{ locale, tz, received }} />
      <TipsList {...{ locale, tz }} tips={received.tips} shown_max={TIPS_SHOWN} />
      {received.n === 0 && (
        <p class="why" data-no-tips>
          {texts.none_why}
        </p>
      )}
      <a class="quiet" href={tipsAddress(url, page.page_id)}>
        {texts.all}
      </a>
    </section>
  );
}

/** Older ones are on a page of their own. */
export const TIPS_SHOWN = 5;
