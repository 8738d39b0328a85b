/** The landing page at `/`, in Arabic and English. */
import { assetUrl } from "../views/assets.ts";
import { Document } from "../views/document.tsx";
import { Icon, Mark } from "../views/icons.tsx";
import type { Locale } from "../views/locale.ts";
import { USUAL_LOOK } from "../views/look.ts";
import { HOME_TEXTS, TEXTS } from "../views/texts.ts";

export function homePage(origin: string): string {
  return `<!DOCTYPE html>${<HomePage origin={origin} />}`;
}

function HomePage(props: { origin: string }) {
  return (
    <Document
      locale="ar"
      look={USUAL_LOOK}
      title={`${TEXTS.ar.product} · ${HOME_TEXTS.ar.headline}`}
      preview={{
        description: HOME_TEXTS.ar.what,
        canonical: `${props.origin}/`,
        type: "website",
        image: null,
      }}
      head={
        <>
          <link rel="stylesheet" href={assetUrl("site.css")} />
          <link rel="manifest" href="/manifest.json" />
        </>
      }
    >
      <main class="home">
        <p class="brand">
          <Mark />
          <span>{TEXTS.ar.product}</span>
          <span lang="en" dir="ltr">
            {TEXTS.en.product}
          </span>
        </p>
        <Pitch locale="ar" />
        <Specimen />
        <Pitch locale="en" />
      </main>
      <footer class="footer">
        <FooterLink href="/docs" text="docs" />
        <FooterLink href={assetUrl("licenses.txt")} text="licenses" />
      </footer>
    </Document>
  );
}

function FooterLink(props: { href: string; text: "docs" | "licenses" }) {
  return (
    <a href={props.href}>
      {HOME_TEXTS.ar[props.text]}{" "}
      <bdi lang="en" dir="ltr">
        {HOME_TEXTS.en[props.text]}
      </bdi>
    </a>
  );
}

function Specimen() {
  return (
    <div class="specimen" aria-hidden="true">
      <div class="portrait">
        <span class="initials">ص</span>
      </div>
      <span class="stroke" />
      <span class="stroke short" />
      {(["web", "mail", "phone"] as const).map((icon) => (
        <span class="link">
          <span class="chip">
            <Icon name={icon} />
          </span>
          <span class="stroke" />
        </span>
      ))}
    </div>
  );
}

function Pitch(props: { locale: Locale }) {
  const { locale } = props;
  const texts = HOME_TEXTS[locale];
  const [Headline, Heading] = locale === "ar" ? (["h1", "h2"] as const) : (["h2", "h3"] as const);
  return (
    <section class="pitch" lang={locale} dir={TEXTS[locale].direction}>
      <Headline class="headline">{texts.headline}</Headline>
      <p>{texts.what}</p>
      <Heading>{texts.promise_title}</Heading>
      <p>{texts.promise}</p>
      <Heading>{texts.privacy_title}</Heading>
      <p>{texts.privacy}</p>
      <a class="contact" href={`/dashboard?lang=${locale}`}>
        {texts.dashboard}
      </a>
    </section>
  );
}
