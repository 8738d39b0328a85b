import type { Child } from "hono/jsx";
import { changed, statsAddress } from "../../dashboard/addresses.ts";
import { DashboardFrame, type Frame } from "../../dashboard/dashboard-frame.tsx";
import type { ReceivedTips } from "../../dashboard/received-tips.ts";
import { TipsList, TipsTotal } from "../../dashboard/tips-list.tsx";
import { TIPS_TEXTS } from "../../dashboard/tips-texts.ts";
import { assetUrl } from "../../views/assets.ts";
import { Icon } from "../../views/icons.tsx";
import { languageOf } from "../../views/numbering.ts";
import { plainText } from "../../views/plain-text.ts";
import { WALLET_TEXTS } from "./wallet-texts.ts";

interface TipsPageProps extends Frame {
  page_id: string;
  page_name: string;
  received: ReceivedTips;
  next_cursor: string | null;
}

export function TipsPage(props: TipsPageProps) {
  const { locale, url, page_id, page_name, received } = props;
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
            <bdi>{plainText(page_name)}</bdi>
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
        <Others {...props} label={texts.tips} />
      </main>
    </DashboardFrame>
  );
}

export function Others(props: Frame & { label: string; next_cursor: string | null }): Child {
  const { locale, url, label, next_cursor } = props;
  const texts = WALLET_TEXTS[languageOf(locale)];
  const is_first = !url.searchParams.has("cursor");
  if (is_first && next_cursor === null) return null;
  return (
    <nav class="title" aria-label={label}>
      {!is_first && (
        <a class="quiet" href={changed(url, { cursor: null })}>
          {texts.newest}
        </a>
      )}
      {next_cursor !== null && (
        <a class="quiet" href={changed(url, { cursor: next_cursor })}>
          {texts.older}
        </a>
      )}
    </nav>
  );
}
