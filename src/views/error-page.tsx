import { assetUrl } from "./assets.ts";
import { Document } from "./document.tsx";
import { Mark } from "./icons.tsx";
import type { Locale } from "./locale.ts";
import { USUAL_LOOK } from "./look-values.ts";
import { ProductFooter } from "./product-footer.tsx";
import { TEXTS } from "./texts.ts";

/**
 * An error for browsers, without `<!DOCTYPE html>`: the message in both languages, the reader's
 * first, and the request id. It is not indexed, and not counted as a view.
 */
export function ErrorPage(props: {
  locale: Locale;
  status: number;
  error: string;
  message_en: string;
  request_id: string;
  reason?: string | null;
  sign_in?: string | null;
  page_url?: string | null;
}) {
  const { locale, status, error, message_en, request_id, sign_in = null, page_url = null } = props;
  const texts = TEXTS[locale];
  const [message, other] = locale === "ar" ? [error, message_en] : [message_en, error];
  const otherLocale: Locale = locale === "ar" ? "en" : "ar";
  return (
    <Document
      locale={locale}
      look={USUAL_LOOK}
      title={`${message} · ${texts.product}`}
      preview={null}
      head={<link rel="stylesheet" href={assetUrl("site.css")} />}
    >
      <main class="page notice">
        {/* A missing session is no failure, so its page shows no status. */}
        <p class="portrait status" dir="ltr">
          {sign_in === null ? <span>{status}</span> : <Mark />}
        </p>
        <h1>{message}</h1>
        <p class="bio" lang={otherLocale} dir={TEXTS[otherLocale].direction}>
          {other}
        </p>
        {props.reason && (
          <p class="bio" dir="auto">
            «{props.reason}»
          </p>
        )}
        {sign_in === null ? (
          <a class="contact" href={page_url ?? "/"}>
            {page_url === null ? texts.back_home : texts.back_to_page}
          </a>
        ) : (
          <a class="contact" href={sign_in}>
            {texts.sign_in}
          </a>
        )}
        {sign_in === null && (
          <p class="request">
            {texts.request_id} <code dir="ltr">{request_id}</code>
          </p>
        )}
      </main>
      <ProductFooter locale={locale} />
    </Document>
  );
}
