/** Opening one of these pages changes nothing: mail scanners open links. */
import { assetUrl } from "../../views/assets.ts";
import { Document } from "../../views/document.tsx";
import { Icon, type IconName } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { USUAL_LOOK } from "../../views/look-values.ts";
import { plainText, truncated } from "../../views/plain-text.ts";
import { ProductFooter } from "../../views/product-footer.tsx";
import { TEXTS } from "../../views/texts.ts";
import { Unanswered } from "../../views/unanswered-note.tsx";
import { NEWSLETTER_TEXTS, type NewsletterState } from "./newsletter-texts.ts";

const NAME_CHARACTERS_MAX = 80;

const ICONS: Readonly<Record<NewsletterState, IconName>> = {
  asked: "mail",
  invalid: "mail",
  confirm: "mail",
  confirmed: "check",
  gone: "mail",
  unsubscribe: "mail",
  unsubscribed: "check",
};

export interface NewsletterPageProps {
  locale: Locale;
  state: NewsletterState;
  page: { name: string; path: string } | null;
  /** The address to which `confirm` and `unsubscribe` post: this page's own. */
  action?: string;
  files?: readonly { label: string; href: string }[];
  leave?: string;
}

export function newsletterPage(props: NewsletterPageProps): string {
  return `<!DOCTYPE html>${<NewsletterPage {...props} />}`;
}

function NewsletterPage({ locale, state, page, action, leave, files = [] }: NewsletterPageProps) {
  const texts = NEWSLETTER_TEXTS[locale];
  const name = page === null ? null : truncated(page.name, NAME_CHARACTERS_MAX);
  const title = texts[state].title(name);
  const back = (
    <a class={action === undefined ? "contact" : "other-way"} href={page?.path ?? "/"}>
      {texts.back(name)}
    </a>
  );
  return (
    <Document
      locale={locale}
      look={USUAL_LOOK}
      title={`${title} · ${TEXTS[locale].product}`}
      preview={null}
      head={
        <>
          {/* The page's address contains the token. */}
          <meta name="referrer" content="no-referrer" />
          <link rel="stylesheet" href={assetUrl("site.css")} />
        </>
      }
      script={action === undefined ? undefined : { name: "forms.js" }}
    >
      <main class="page notice">
        <p class="portrait status">
          <Icon name={ICONS[state]} />
        </p>
        {/* The name may be in the other script. */}
        <h1>{withIsolated(title, name)}</h1>
        <p class="bio">{texts[state].text}</p>
        {action !== undefined && (
          <form method="post" action={action}>
            <button class="contact" type="submit">
              {state === "confirm" ? texts.confirm_button : texts.unsubscribe_button}
            </button>
            <Unanswered locale={locale} />
          </form>
        )}
        {files.length > 0 && (
          <>
            <h2>{texts.files}</h2>
            {files.map(({ label, href }) => (
              <a class="contact" href={href} dir="auto">
                {plainText(label) || texts.file}
              </a>
            ))}
          </>
        )}
        {back}
        {leave !== undefined && (
          <a class="other-way" href={leave}>
            {texts.unsubscribe_button}
          </a>
        )}
      </main>
      <ProductFooter locale={locale} />
    </Document>
  );
}

function withIsolated(text: string, name: string | null) {
  const at = name === null || name === "" ? -1 : text.indexOf(name);
  if (at < 0 || name === null) return text;
  return (
    <>
      {text.slice(0, at)}
      <bdi>{name}</bdi>
      {text.slice(at + name.length)}
    </>
  );
}
