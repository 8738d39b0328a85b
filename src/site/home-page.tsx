/** The landing page in one of its languages, where creators begin. It needs no script. */
import type { Child } from "hono/jsx";
import { LINK_ADDRESS_MAX_CHARACTERS } from "../pages/document/link-address.ts";
import { assetUrl } from "../views/assets.ts";
import { Document } from "../views/document.tsx";
import { Icon, Mark } from "../views/icons.tsx";
import { LOCALES, type Locale } from "../views/locale.ts";
import { USUAL_LOOK } from "../views/look-values.ts";
import { PRESETS } from "../views/presets.ts";
import { TEXTS } from "../views/texts.ts";
import { examplePath } from "./example-page.tsx";
import { Board } from "./home-board.tsx";
import { HOME_TEXTS } from "./home-texts.ts";

/** The first step to a page, after the sign-in for a creator without a session. */
const BEGIN_PATH = "/dashboard/new";

/** Looks of the example, the first one selected. home.css has rules for as many. */
const SHOWN = ["lapis", "sila", "rosewater", "mint-tea", "midnight"];

/** `pathname` is the requested address: `/`, or one that names the language. */
export function homePage({ origin, pathname }: URL, locale: Locale, has_session: boolean): string {
  const props = { origin, pathname, locale, has_session };
  return `<!DOCTYPE html>${<HomePage {...props} />}`;
}

interface HomeProps {
  origin: string;
  pathname: string;
  locale: Locale;
  /** A creator has signed in already. */
  has_session: boolean;
}

function HomePage({ origin, pathname, locale, has_session }: HomeProps) {
  const texts = HOME_TEXTS[locale];
  const card = assetUrl(`card-${locale}.jpg`);
  return (
    <Document
      locale={locale}
      look={USUAL_LOOK}
      title={`${TEXTS[locale].product} · ${texts.headline}`}
      preview={{
        description: texts.what,
        canonical: origin + pathname,
        type: "website",
        image: { url: origin + card, alt: texts.headline },
      }}
      head={
        <>
          {LOCALES.map((one) => (
            <link rel="alternate" hreflang={one} href={`${origin}/${one}`} />
          ))}
          <link rel="alternate" hreflang="x-default" href={`${origin}/`} />
          <link rel="stylesheet" href={assetUrl("home.css")} />
          <link rel="manifest" href="/manifest.json" />
        </>
      }
    >
      <TopBar locale={locale} has_session={has_session} />
      <main class="home">
        <section class="hero">
          <div class="pitch">
            <h1>{texts.headline}</h1>
            <p class="lede">{texts.what}</p>
            <Begin locale={locale} host={new URL(origin).host} />
          </div>
          <Example locale={locale} />
        </section>
        <Exactness locale={locale} />
        <section class="privacy">
          <h2>{texts.privacy_title}</h2>
          <p>{texts.privacy}</p>
          <p>{texts.untracked}</p>
        </section>
        <section>
          <h2>{texts.more_title}</h2>
          <ul class="more">
            {texts.more.map(([icon, title, text]) => (
              <li>
                <Icon name={icon} />
                <h3>{title}</h3>
                <p>{text}</p>
              </li>
            ))}
          </ul>
        </section>
        <section class="last">
          <Mark />
          <h2>{texts.last_title}</h2>
          <p>{texts.last}</p>
          <a class="button" href={`${BEGIN_PATH}?lang=${locale}`}>
            {texts.make}
          </a>
        </section>
      </main>
      <Foot locale={locale} />
    </Document>
  );
}

function TopBar({ locale, has_session }: Pick<HomeProps, "locale" | "has_session">) {
  const { dashboard, sign_in } = HOME_TEXTS[locale];
  return (
    <header class="bar">
      <a class="name" href={`/${locale}`}>
        <Mark />
        {TEXTS[locale].product}
      </a>
      <nav aria-label={TEXTS[locale].languages}>
        <OtherLanguage locale={locale} />
      </nav>
      <a class="quiet" href={`/dashboard?lang=${locale}`}>
        {has_session ? dashboard : sign_in}
      </a>
    </header>
  );
}

function OtherLanguage({ locale }: { locale: Locale }) {
  const other = LOCALES.find((one) => one !== locale) ?? locale;
  return (
    <a class="quiet" href={`/${other}`} lang={other} hreflang={other}>
      {TEXTS[other].own_name}
    </a>
  );
}

function Begin(props: { locale: Locale; host: string }) {
  const texts = HOME_TEXTS[props.locale];
  return (
    <form class="begin" action={BEGIN_PATH} method="get">
      <label for="slug">{texts.address}</label>
      {/* An address runs from left to right, the creator's part of it by its script. */}
      <div class="field" dir="ltr">
        <span class="host" aria-hidden="true">
          {props.host}/
        </span>
        <input
          type="text"
          id="slug"
          name="slug"
          dir="auto"
          maxlength={LINK_ADDRESS_MAX_CHARACTERS}
          placeholder={texts.placeholder}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          enterkeyhint="go"
          aria-describedby="hint"
        />
      </div>
      <input type="hidden" name="lang" value={props.locale} />
      <button class="button" type="submit">
        {texts.make}
      </button>
      <p class="hint" id="hint">
        {texts.hint}
      </p>
    </form>
  );
}

/**
 * A bio page in a phone, in the look that is chosen below it. Frames that are not chosen are not
 * displayed, and browsers do not load such frames. The content of a frame can be looked at and not used:
 * its links lead nowhere real, and on a phone it would catch the finger that scrolls this page.
 */
function Example({ locale }: { locale: Locale }) {
  const texts = HOME_TEXTS[locale];
  const looks = SHOWN.flatMap((id) => PRESETS.filter((preset) => preset.id === id));
  return (
    <fieldset class="example">
      <legend>{texts.example}</legend>
      {looks.map(({ id }, i) => (
        <input type="radio" name="look" id={`look-${id}`} class="pick" checked={i === 0} />
      ))}
      <div class="phone" dir="ltr" inert>
        {looks.map((preset) => (
          <iframe
            src={examplePath(preset, locale)}
            title={texts.example_in(preset.name[locale])}
            width="390"
            height="800"
            loading="lazy"
          />
        ))}
      </div>
      <p class="try" aria-hidden="true">
        {texts.try_look}
      </p>
      <div class="swatches">
        {looks.map(({ id, name }) => (
          <label for={`look-${id}`}>
            <span class={`swatch swatch-${id}`} />
            {name[locale]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Exactness({ locale }: { locale: Locale }) {
  const texts = HOME_TEXTS[locale];
  return (
    <section class="promise">
      <div class="words">
        <h2>{texts.promise_title}</h2>
        <p class="lede">{texts.promise}</p>
      </div>
      <Board locale={locale} />
      <dl class="means">
        {texts.means.map(([title, text]) => (
          <div>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="check">
        <Icon name="check" />
        {texts.check}
      </p>
    </section>
  );
}

function Foot({ locale }: { locale: Locale }) {
  const texts = HOME_TEXTS[locale];
  const link = (href: string, words: Child) => <a href={href}>{words}</a>;
  return (
    <footer class="foot">
      {link(`/docs/${locale}`, texts.docs)}
      {link(assetUrl("licenses.txt"), texts.licenses)}
    </footer>
  );
}
