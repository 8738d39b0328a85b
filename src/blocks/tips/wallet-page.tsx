import type { SentTip } from "../../../objects/blocks/tips/tip.ts";
import type { Wallet } from "../../accounts/hub-answers.ts";
import { DashboardFrame, type Frame } from "../../dashboard/dashboard-frame.tsx";
import { Pager } from "../../dashboard/pager.tsx";
import { TipMessage, TipTime } from "../../dashboard/tips-list.tsx";
import { pathOf } from "../../pages/document/page-address.ts";
import { Icon } from "../../views/icons.tsx";
import { languageOf } from "../../views/numbering.ts";
import { counted, formatNumber } from "../../views/numbers.ts";
import { plainText } from "../../views/plain-text.ts";
import { WALLET_TEXTS } from "./wallet-texts.ts";

interface WalletPageProps extends Frame {
  /** Null where the hub does not answer. */
  wallet: Wallet | null;
  has_points: boolean;
  tips: readonly SentTip[];
  pages: ReadonlyMap<string, { name: string; slug: string }>;
  next_cursor: string | null;
}

export function WalletPage(props: WalletPageProps) {
  const { locale, tips } = props;
  const texts = WALLET_TEXTS[languageOf(locale)];
  return (
    <DashboardFrame frame={props} title={texts.wallet} main_id="wallet">
      <main class="dashboard narrow" id="wallet" tabindex={-1} data-locale={locale}>
        <div class="title">
          <h1>{texts.wallet}</h1>
        </div>
        <Points {...props} />
        {!props.has_points && <p class="card">{texts.without_points}</p>}
        {tips.length === 0 ? (
          <section class="card nothing">
            <Icon name="tip" />
            <h2>{texts.none_sent}</h2>
            <p>{texts.none_sent_why}</p>
          </section>
        ) : (
          <section class="card">
            <h2>{texts.sent}</h2>
            <ol class="tips">
              {tips.map((tip) => (
                <Sent {...props} tip={tip} />
              ))}
            </ol>
          </section>
        )}
        <Pager {...props} label={texts.sent} />
      </main>
    </DashboardFrame>
  );
}

function Points({ locale, wallet }: WalletPageProps) {
  const texts = WALLET_TEXTS[languageOf(locale)];
  if (wallet === null) {
    return (
      <p class="card warning" role="status">
        {texts.no_points}
      </p>
    );
  }
  return (
    <dl class="card lately">
      {(["points", "pending", "lifetime"] as const).map((name) => (
        <div class="lately-days">
          <dt class="lately-label">{texts[name]}</dt>
          <dd class="lately-count">{formatNumber(locale, wallet[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

function Sent({ locale, tz, pages, tip }: WalletPageProps & { tip: SentTip }) {
  const texts = WALLET_TEXTS[languageOf(locale)];
  const page = pages.get(tip.page_id);
  return (
    <li class="notice">
      <p>
        <strong>{counted(locale, "point", tip.points)}</strong> {texts.to}{" "}
        {page === undefined ? (
          texts.gone_page
        ) : (
          <a class="tip-page" href={pathOf(page.slug, undefined)}>
            <bdi>{plainText(page.name)}</bdi>
          </a>
        )}
      </p>
      <TipMessage message={tip.message} />
      <TipTime {...{ locale, tz, at: tip.at }} />
    </li>
  );
}
