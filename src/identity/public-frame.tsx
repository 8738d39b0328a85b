import type { Child } from "hono/jsx";
import { changed } from "../dashboard/addresses.ts";
import { NAME_CHARS_MAX } from "../pages/document/limits.ts";
import { assetUrl } from "../views/assets.ts";
import { Document } from "../views/document.tsx";
import { Mark } from "../views/icons.tsx";
import type { Locale } from "../views/locale.ts";
import { USUAL_LOOK } from "../views/look-values.ts";
import { TEXTS } from "../views/texts.ts";
import { KeyIcon } from "./key-icon.tsx";
import { PUBLIC_TEXTS } from "./texts.ts";

export interface PublicPage {
  locale: Locale;
  /** The requested address: the link to the other language changes its `lang`. */
  url: URL;
}

export function PublicFrame(
  props: PublicPage & { title: string; lede: string; children?: Child; below?: Child },
) {
  const { locale, url, title, lede } = props;
  const texts = PUBLIC_TEXTS[locale];
  const other = locale === "ar" ? "en" : "ar";
  return (
    <Document
      locale={locale}
      look={USUAL_LOOK}
      title={`${title} · ${TEXTS[locale].product}`}
      preview={null}
      head={<link rel="stylesheet" href={assetUrl("sign-in.css")} />}
      script={{ name: "sign-in.js" }}
    >
      <header class="top">
        <a class="brand" href={`/${locale}`}>
          <Mark />
          {TEXTS[locale].product}
        </a>
        <nav class="languages" aria-label={TEXTS[locale].languages}>
          <a href={changed(url, { lang: other })} lang={other} hreflang={other} data-other-language>
            {TEXTS[other].own_name}
          </a>
        </nav>
      </header>
      <main class="page entry">
        <p class="portrait" aria-hidden="true">
          <span>
            <KeyIcon />
          </span>
        </p>
        <h1 tabindex={-1}>{title}</h1>
        <p class="bio" data-lede>
          {lede}
        </p>
        {props.children}
        {props.below}
        <details class="what">
          <summary>{texts.what}</summary>
          <p>{texts.what_it_is}</p>
        </details>
      </main>
    </Document>
  );
}

/**
 * A form that the script sends (src/client/sign-in.ts) and switches on. For a passkey it asks `action` with `/options`
 * appended, then sends the answer to `action`.
 */
export function PublicForm(props: {
  locale: Locale;
  step: "sign-in" | "setup" | "sign-up" | "recover" | "add" | "mail" | "issuer";
  action: string;
  button: string;
  next?: string;
  is_second?: boolean;
  children?: Child;
}) {
  const { locale, step, action, button, next } = props;
  const texts = PUBLIC_TEXTS[locale];
  return (
    <form class="entry-form" data-step={step} data-action={action} data-next={next}>
      {props.children}
      <button class={props.is_second ? "entry-second" : "contact"} type="submit" disabled>
        {!WITHOUT_PASSKEY.has(step) && <KeyIcon />}
        <span data-words>{button}</span>
      </button>
      <p class="entry-problem" role="alert" data-problem />
      <p class="not-ready" data-not-ready>
        {texts.not_ready}
      </p>
      <noscript>
        <p class="entry-problem">{texts.no_script}</p>
      </noscript>
    </form>
  );
}

const WITHOUT_PASSKEY: ReadonlySet<string> = new Set(["recover", "mail", "issuer"]);

/** The standard has none for the type `email`, where browsers capitalize nothing. */
function autocapitalizeOf(name: string): "none" | "words" | undefined {
  if (name === "email") return undefined;
  return name === "name" ? "words" : "none";
}

/** Longer than a code: people paste the whole link with the code in its fragment. */
const CODE_FIELD_CHARS_MAX = 512;

export function Field(props: {
  name: "name" | "code" | "invitation" | "email";
  /** Needed where a page has two fields of one name. */
  id?: string;
  label: string;
  hint?: string;
  autocomplete: "name" | "off" | "one-time-code" | "email";
  inputmode?: "numeric";
}) {
  const { name, id = name, label, hint, autocomplete, inputmode } = props;
  const is_code = name !== "name";
  return (
    <div class="entry-field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={name === "email" ? "email" : "text"}
        name={name}
        dir={is_code ? "ltr" : "auto"}
        required
        maxlength={is_code ? CODE_FIELD_CHARS_MAX : NAME_CHARS_MAX}
        autocomplete={autocomplete}
        inputmode={inputmode}
        autocapitalize={autocapitalizeOf(name)}
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint !== undefined && (
        <p class="entry-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
