import { statsAddress } from "../../dashboard/addresses.ts";
import { DashboardFrame, type Frame } from "../../dashboard/dashboard-frame.tsx";
import { Pager } from "../../dashboard/pager.tsx";
import type { ReceivedTips } from "../../dashboard/received-tips.ts";
import { TipsList, TipsTotal } from "../../dashboard/tips-list.tsx";
import { TIPS_TEXTS } from "../../dashboard/tips-texts.ts";
import { assetUrl } from "../../views/assets.ts";
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { languageOf } from "../../views/numbering.ts";
import { OwnName } from "../../views/own-name.tsx";

interface TipsPageProps extends Frame {
  page_id: string;
  page_name: string;
  page_locale: Locale;
  received: ReceivedTips;
  next_cursor: string | null;
}

export function TipsPage(props: TipsPageProps) {
  const { locale, url, page_id, page_name, page_locale, received } = props;
  const texts = TIPS_TEXTS[languageOf(locale)];
  const is_first = !url.searchParams.has("cursor");
  return (
    <DashboardFrame
      frame={props}
      title={texts.tips}
      main_id="tips"
      head={<script defer src={assetUrl("tips.js")} />}
    >
      <main
        class="dashboard narrow"
        id="tips"
        tabindex={-1}
        data-locale={locale}
        data-page={is_first ? page_id : undefined}
      >
        <div class="title">
          <h1>{texts.tips}</h1>
          <a class="quiet" href={statsAddress(url, page_id)}>
            <Icon name="chart" />
            <OwnName page={{ name: page_name, locale: page_locale }} />
          </a>
        </div>
        <section class="card">
          <TipsTotal {...props} />
          <TipsList {...props} tips={received.tips} />
          {received.n === 0 && (
            <p class="why" data-no-tips>
              {texts.none_why}
            </p>
          )}
        </section>
        <Pager {...props} label={texts.tips} />
      </main>
    </DashboardFrame>
  );
}
