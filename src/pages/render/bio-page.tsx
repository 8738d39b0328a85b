import { Document } from "../../views/document.tsx";
import type { Locale } from "../../views/locale.ts";
import { truncated } from "../../views/plain-text.ts";
import { TEXTS } from "../../views/texts.ts";
import { pagePath, sharePicturePath } from "../document/page-address.ts";
import { defaultLocale, textIn } from "../document/page-words.ts";
import { BioBody } from "./bio-body.tsx";
import type { Shown, ShownPage } from "./shown.ts";

/** Search results and link previews cut a description at about this length. */
const DESCRIPTION_MAX_CHARACTERS = 160;

interface Props extends Shown {
  /** Networks keep the picture, so each save, with a new version, gives it another address. */
  page: ShownPage & { version: number };
  /** This service's own, as `URL.origin` spells it. */
  origin: string;
}

/**
 * A page in one of its languages, without `<!DOCTYPE html>`. Texts that are not translated are in
 * the other one. Depends only on its arguments, so it can be cached.
 */
export function BioPage(props: Props) {
  const { page, locale, is_preview, origin } = props;
  const texts = TEXTS[locale];
  const name = truncated(textIn(page.name, locale), DESCRIPTION_MAX_CHARACTERS);
  const bio = textIn(page.bio, locale);
  const preview = {
    description: truncated(bio, DESCRIPTION_MAX_CHARACTERS) || texts.all_links_of(name),
    canonical: origin + pagePath(page, locale),
    type: "profile",
    image: {
      url: `${origin}${sharePicturePath(page, locale)}?v=${page.version}`,
      alt: texts.page_of(name),
    },
  } as const;
  return (
    <Document
      locale={locale}
      look={page.look}
      title={name}
      preview={is_preview ? null : preview}
      head={!is_preview && <PublicHead {...props} />}
      script={is_preview ? undefined : { name: "beacon.js", page_id: page.page_id }}
    >
      <BioBody {...props} />
    </Document>
  );
}

function PublicHead(props: Props) {
  const { page, locale, origin } = props;
  const address = (one: Locale) => origin + pagePath(page, one);
  return (
    <>
      {!page.indexed && <meta name="robots" content="noindex" />}
      {page.locales.length > 1 && (
        <>
          {page.locales.map((one) => (
            <link rel="alternate" hreflang={one} href={address(one)} />
          ))}
          <link rel="alternate" hreflang="x-default" href={address(defaultLocale(page))} />
          {page.locales
            .filter((other) => other !== locale)
            .map((other) => (
              <meta property="og:locale:alternate" content={TEXTS[other].og_locale} />
            ))}
        </>
      )}
    </>
  );
}
