/** What a person sees where a program would get the error envelope. */
import { Document } from "./document.tsx";
import { Mark } from "./icons.tsx";
import type { Locale } from "./locale.ts";
import { TEXTS } from "./texts.ts";

/**
 * A full page without `<!DOCTYPE html>`: the message in the reader's language, the other beside it,
 * and the request id for whoever is asked about it. Never indexed, never counted as a view.
 */
export function ErrorPage(props: {
  locale: Locale;
  status: number;
  /** Arabic. */
  error: string;
  message_en: string;
  request_id: string;
  /** Where to sign in, if that is what is missing. */
  sign_in?: string | null;
}) {
  const { locale, status, error, message_en, request_id, sign_in = null } = props;
  const texts = TEXTS[locale];
  const [message, other] = locale === "ar" ? [error, message_en] : [message_en, error];
  const otherLocale: Locale = locale === "ar" ? "en" : "ar";
  return (
    <Document locale={locale} theme="sand" title={`${message} · ${texts.product}`} preview={null}>
      <main class="page notice">
        {/* Who has yet to sign in has done nothing wrong, and gets no number for it. */}
        <p class="portrait status" dir="ltr">
          {sign_in === null ? <span>{status}</span> : <Mark />}
        </p>
        <h1>{message}</h1>
        <p class="bio" lang={otherLocale} dir={TEXTS[otherLocale].direction}>
          {other}
        </p>
        {sign_in === null ? (
          <a class="contact" href="/">
            {texts.back_home}
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
      <footer class="footer">
        <span>
          <Mark />
          {texts.product}
        </span>
      </footer>
    </Document>
  );
}
