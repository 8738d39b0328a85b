/** The page of a tip: what will be sent, then its outcome. It works with forms alone. */
import type { Child } from "hono/jsx";
import type { RecentTip } from "../../../objects/blocks/tips/tip.ts";
import { TIP_MESSAGE_CHARS_MAX, TIP_POINTS_MAX } from "../../pages/document/limits.ts";
import { pagePath } from "../../pages/document/page-address.ts";
import { defaultLocale, textIn } from "../../pages/document/page-words.ts";
import type { Page } from "../../pages/document/pages-store.ts";
import { OWN_AMOUNT, TIP_PATH } from "../../pages/document/tip-address.ts";
import { assetUrl } from "../../views/assets.ts";
import { Document } from "../../views/document.tsx";
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { USUAL_LOOK } from "../../views/look-values.ts";
import { readerLocale } from "../../views/numbering.ts";
import { counted, formatNumber } from "../../views/numbers.ts";
import { isolated, truncated } from "../../views/plain-text.ts";
import { ProductFooter } from "../../views/product-footer.tsx";
import { TEXTS } from "../../views/texts.ts";
import { Unanswered } from "../../views/unanswered-note.tsx";
import { type TipDraft, tipAddress } from "./tip-draft.ts";
import { TIP_TEXTS } from "./tip-texts.ts";

interface Keys {
  csrf_token: string;
  key: string;
}

export type TipStep =
  | ({ step: "confirm"; user_name: string; recent: RecentTip | null } & Keys)
  /** `address` of the login page, which leads back to this tip. */
  | { step: "sign_in"; address: string }
  | { step: "correct" }
  | { step: "own_page" }
  | { step: "sent" }
  | { step: "not_enough" }
  /** The key has expired, or was used for another tip. */
  | { step: "over" }
  | ({ step: "again"; why: string } & Keys);

export interface TipPageProps {
  locale: Locale;
  /** Null if it is not public any more, or cannot be read now. */
  page: Pick<Page, "slug" | "locales" | "name" | "look"> | null;
  draft: TipDraft;
  state: TipStep;
}

const NAME_CHARACTERS_MAX = 60;

export function TipPage(props: TipPageProps) {
  const { locale, page, state } = props;
  const title = titleOf(props);
  return (
    <Document
      locale={locale}
      look={page?.look ?? USUAL_LOOK}
      title={`${title} · ${TEXTS[locale].product}`}
      preview={null}
      head={<link rel="stylesheet" href={assetUrl("site.css")} />}
      script={{ name: "forms.js" }}
    >
      <main class="page notice" data-step={state.step}>
        <p class="portrait status">
          <Icon name={state.step === "sent" ? "check" : "tip"} class="mark" />
        </p>
        <h1>{title}</h1>
        <Step {...props} />
        {page !== null && (
          <p class="request">
            {/* The page may have dropped the language since it was opened. */}
            <a
              class="quiet"
              href={pagePath(page, page.locales.includes(locale) ? locale : defaultLocale(page))}
            >
              {TIP_TEXTS[locale].back_to(nameOf(props))}
            </a>
          </p>
        )}
      </main>
      <ProductFooter locale={locale} />
    </Document>
  );
}

function nameOf({ page, locale }: TipPageProps): string {
  return page === null ? TIP_TEXTS[locale].this_page : shortName(textIn(page.name, locale));
}

function shortName(name: string): string {
  return isolated(truncated(name, NAME_CHARACTERS_MAX));
}

function pointsIn(locale: Locale, points: number): string {
  return counted(readerLocale(locale, "arab"), "point", points);
}

function pointsOf({ draft, locale }: TipPageProps): string {
  return pointsIn(locale, draft.points ?? 0);
}

function titleOf(props: TipPageProps): string {
  const texts = TIP_TEXTS[props.locale];
  switch (props.state.step) {
    case "sent":
      return texts.sent;
    case "not_enough":
      return texts.not_enough;
    case "again":
      return texts.not_known;
    case "over":
      return texts.over;
    case "correct":
      return texts.correct;
    case "own_page":
      return texts.own_page;
    default:
      return texts.send_to(pointsOf(props), nameOf(props));
  }
}

function Step(props: TipPageProps) {
  const { locale, state, draft } = props;
  const texts = TIP_TEXTS[locale];
  switch (state.step) {
    case "confirm":
      return (
        <>
          <Message {...props} />
          <p class="bio">{texts.as(shortName(state.user_name))}</p>
          <p class="bio">{texts.seen(nameOf(props))}</p>
          {state.recent !== null && (
            <p class="bio">
              {(state.recent.is_sent ? texts.sent_before : texts.asked_before)(
                pointsIn(locale, state.recent.points),
              )}
            </p>
          )}
          <SendForm {...props} {...state} words={texts.send} />
        </>
      );
    case "sign_in":
      return (
        <>
          <Message {...props} />
          <p class="bio">{texts.sign_in_first}</p>
          <a class="contact" href={state.address}>
            {texts.sign_in}
          </a>
        </>
      );
    case "correct":
      return <CorrectForm {...props} />;
    case "own_page":
      return null;
    case "sent":
      return (
        <>
          <p class="bio">{texts.sent_to(pointsOf(props), nameOf(props))}</p>
          <Message {...props} />
        </>
      );
    case "not_enough":
      return (
        <>
          <p class="bio">{texts.not_enough_what(pointsOf(props))}</p>
          <a class="contact" href={tipAddress({ ...draft, points: null }, locale, null)}>
            {texts.other_amount}
          </a>
        </>
      );
    case "over":
      return (
        <>
          <p class="bio">{texts.over_why}</p>
          <a class="contact" href={`/dashboard/wallet?lang=${locale}`}>
            {texts.wallet}
          </a>
          <a class="other-way" href={tipAddress(draft, locale, null)}>
            {texts.anew}
          </a>
        </>
      );
    case "again":
      return (
        <>
          <p class="bio">{state.why}</p>
          <p class="bio">{texts.not_twice}</p>
          <SendForm {...props} {...state} words={texts.again} />
        </>
      );
  }
}

function Message({ draft, locale }: TipPageProps) {
  if (draft.message === "") return null;
  return (
    <blockquote class="bio tip-message" dir="auto" aria-label={TIP_TEXTS[locale].message}>
      {draft.message}
    </blockquote>
  );
}

/**
 * The only form that sends a tip, one tip however often. Its action differs from the page's address only by
 * the fragment: for the same address the browser would show its error page in place of the confirmation, and
 * the way back would lead past it.
 */
function SendForm({ draft, locale, csrf_token, key, words }: TipPageProps & Keys & Words) {
  return (
    <form method="post" action={`${tipAddress(draft, locale, key)}#send`}>
      <input type="hidden" name="csrf_token" value={csrf_token} />
      <button class="contact" type="submit">
        {words}
      </button>
      <Unanswered locale={locale} />
    </form>
  );
}

interface Words {
  words: Child;
}

function CorrectForm({ draft, locale }: TipPageProps) {
  const texts = TIP_TEXTS[locale];
  const max = formatNumber(readerLocale(locale, "arab"), TIP_POINTS_MAX);
  return (
    <form class="block tip-correct" method="get" action={TIP_PATH}>
      <input type="hidden" name="page_id" value={draft.page_id} />
      <input type="hidden" name="link_id" value={draft.link_id} />
      <input type="hidden" name="lang" value={locale} />
      <input type="hidden" name="points" value={OWN_AMOUNT} />
      <label class="block-label" for="own">
        {texts.points}
      </label>
      <input
        class="block-field"
        id="own"
        type="text"
        name="own"
        inputmode="numeric"
        autocomplete="off"
        required
        aria-describedby="own-rule"
        value={draft.points ?? ""}
      />
      <p class="block-small" id="own-rule">
        {texts.not_an_amount(max)}
      </p>
      <label class="block-label" for="message">
        {texts.optional_message}
      </label>
      <textarea
        class="block-field"
        id="message"
        name="message"
        rows={3}
        maxlength={TIP_MESSAGE_CHARS_MAX}
        dir="auto"
      >
        {draft.message}
      </textarea>
      <button class="contact" type="submit">
        {texts.proceed}
      </button>
      <Unanswered locale={locale} />
    </form>
  );
}
