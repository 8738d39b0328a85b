import type { ListedSubscriber } from "../../../objects/blocks/newsletter/subscription.ts";
import {
  changed,
  editAddress,
  statsAddress,
  subscribersAddress,
} from "../../dashboard/addresses.ts";
import { DashboardFrame, type Frame } from "../../dashboard/dashboard-frame.tsx";
import { Pager } from "../../dashboard/pager.tsx";
import { SUBSCRIBERS } from "../../dashboard/subscribers-script-texts.ts";
import type { ByLocale } from "../../pages/document/page-document.ts";
import { textIn } from "../../pages/document/page-words.ts";
import { assetUrl } from "../../views/assets.ts";
import { dateFormat, TIME_OPTIONS } from "../../views/dates.ts";
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { languageOf } from "../../views/numbering.ts";
import { inForm } from "../../views/numbers.ts";
import { OwnName } from "../../views/own-name.tsx";
import { plainText } from "../../views/plain-text.ts";
import { SUBSCRIBERS_TEXTS } from "./subscribers-texts.ts";

export interface SubscribersPageProps extends Frame {
  page_id: string;
  page_name: string;
  page_locale: Locale;
  blocks: ReadonlyMap<string, ByLocale>;
  q: string;
  subscribers: readonly ListedSubscriber[];
  /** All confirmed subscribers, not only those found. */
  total: number;
  pending: number;
  next_cursor: string | null;
  has_links: boolean;
}

export function SubscribersPage(props: SubscribersPageProps) {
  const { locale, url, page_id, page_name, page_locale, total, pending } = props;
  const texts = SUBSCRIBERS_TEXTS[locale];
  return (
    <DashboardFrame
      frame={props}
      title={texts.title}
      main_id="subscribers"
      head={
        <>
          <link rel="stylesheet" href={assetUrl("subscribers.css")} />
          <script defer src={assetUrl("subscribers.js")} />
        </>
      }
    >
      <main
        class="dashboard subscribers"
        id="subscribers"
        tabindex={-1}
        data-locale={locale}
        data-page={page_id}
      >
        <div class="title">
          <h1>{texts.title}</h1>
          <a class="quiet" href={statsAddress(url, page_id)}>
            <Icon name="chart" />
            <OwnName page={{ name: page_name, locale: page_locale }} />
          </a>
        </div>
        <section class="card subscribers-count" aria-label={texts.list}>
          <p role="status">
            <strong data-subscribers={total}>
              {inForm(locale, SUBSCRIBERS[languageOf(locale)], total)}
            </strong>
          </p>
          {pending > 0 && <p class="why">{texts.waiting(pending)}</p>}
          {total > 0 && (
            <a class="quiet" href={csvAddress(page_id, languageOf(locale))} download>
              <Icon name="save" />
              {texts.csv}
            </a>
          )}
          {total > 0 && props.has_links && <p class="why">{texts.csv_links}</p>}
          <a class="quiet" href={subscribersAddress(url, page_id)} data-fresh hidden>
            <Icon name="rise" />
            {texts.fresh}
          </a>
        </section>
        {props.blocks.size === 0 && (
          <p class="card">
            {texts.no_block}{" "}
            <a class="subscribers-link" href={editAddress(url, page_id)}>
              {texts.add_block}
            </a>
          </p>
        )}
        {total > 0 && <Search {...props} />}
        <List {...props} />
        <Pager {...props} label={texts.list} />
        <SureDialog {...props} />
      </main>
    </DashboardFrame>
  );
}

function csvAddress(page_id: string, lang: Locale): string {
  return `/api/me/pages/${encodeURIComponent(page_id)}/subscribers.csv?lang=${lang}`;
}

function Search({ locale, url, q }: SubscribersPageProps) {
  const texts = SUBSCRIBERS_TEXTS[locale];
  return (
    <search>
      <form class="subscribers-search" method="get" action={url.pathname}>
        {(["lang", "tz"] as const).map((name) => {
          const value = url.searchParams.get(name);
          return value !== null && <input type="hidden" name={name} value={value} />;
        })}
        <label class="sr" for="q">
          {texts.search}
        </label>
        <input id="q" type="search" name="q" value={q} placeholder={texts.search} />
        <button class="quiet" type="submit">
          {texts.search_button}
        </button>
        {q !== "" && (
          <a class="quiet" href={changed(url, { q: null, cursor: null })}>
            {texts.all}
          </a>
        )}
      </form>
    </search>
  );
}

function List(props: SubscribersPageProps) {
  const { locale, q, subscribers, total } = props;
  const texts = SUBSCRIBERS_TEXTS[locale];
  if (subscribers.length === 0) {
    if (total > 0) return <p class="card">{q === "" ? texts.none : texts.none_found}</p>;
    return (
      <section class="card nothing">
        <Icon name="mail" />
        <h2>{texts.none}</h2>
        <p>{texts.none_why}</p>
      </section>
    );
  }
  return (
    <table class="card subscribers-list">
      <caption class={q === "" ? "sr" : undefined}>
        {q === "" ? texts.list : texts.found(q)}
      </caption>
      <thead>
        <tr>
          <th scope="col">{texts.address}</th>
          <th scope="col">{texts.since}</th>
          <th scope="col">{texts.from}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {subscribers.map((subscriber) => (
          <Row {...props} subscriber={subscriber} />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: SubscribersPageProps & { subscriber: ListedSubscriber }) {
  const { locale, tz, page_id, blocks, subscriber } = props;
  const { id, email, confirmed_at, source } = subscriber;
  const texts = SUBSCRIBERS_TEXTS[locale];
  const at = dateFormat(locale, tz, {
    day: "numeric",
    month: "short",
    year: "numeric",
    ...TIME_OPTIONS,
  });
  const label = plainText(textIn(blocks.get(source.link_id) ?? {}, languageOf(locale)));
  return (
    <tr data-row>
      <th scope="row">
        <bdi dir="ltr">{plainText(email)}</bdi>
      </th>
      <td>
        <time datetime={confirmed_at}>{at.format(Date.parse(confirmed_at))}</time>
      </td>
      <td>
        <bdi>{texts.from_block(label)}</bdi> · {texts.in_language[source.locale]}
      </td>
      <td>
        {/* The script shows the button, and sends the token that it needs. */}
        <button
          class="quiet"
          type="button"
          data-remove={`/api/me/pages/${encodeURIComponent(page_id)}/subscribers/${encodeURIComponent(id)}`}
          data-email={plainText(email)}
          aria-label={texts.remove_which(plainText(email))}
          hidden
        >
          {texts.remove}
        </button>
      </td>
    </tr>
  );
}

function SureDialog({ locale }: SubscribersPageProps) {
  const texts = SUBSCRIBERS_TEXTS[locale];
  return (
    <dialog class="card subscribers-sure" aria-labelledby="sure" data-sure>
      <form method="dialog">
        <h2 id="sure">{texts.sure}</h2>
        <p>
          <bdi dir="ltr" data-sure-email />
        </p>
        <p class="why">{texts.sure_what}</p>
        <p class="subscribers-answers">
          <button class="quiet" type="submit" value="no">
            {texts.sure_no}
          </button>
          <button class="primary" type="submit" value="yes">
            {texts.sure_yes}
          </button>
        </p>
      </form>
    </dialog>
  );
}
