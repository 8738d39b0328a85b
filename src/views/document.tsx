/** The HTML document around every page: language, colours, fonts, icons, preview tags. */
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { lookColours } from "./accent.ts";
import { accentSheet } from "./accent-sheet.ts";
import { assetUrl } from "./assets.ts";
import type { Locale } from "./locale.ts";
import { BACKGROUNDS } from "./look-colours.ts";
import { lookAttributes, lookSheets } from "./look-document.ts";
import type { Look } from "./look-values.ts";
import { SCHEMES, type Scheme } from "./palette.ts";
import { PREVIEW_PICTURE_PX } from "./preview-picture.ts";
import { TEXTS } from "./texts.ts";

const SCRIPTS = { ar: "arabic", en: "latin" } as const satisfies Record<Locale, string>;

/** Search results and link previews show this of a page. */
interface Preview {
  description: string;
  /** An absolute URL. */
  canonical: string;
  type: "profile" | "website";
  /** A picture of {@link PREVIEW_PICTURE_PX}: its absolute URL, and what it shows. */
  image: { url: string; alt: string } | null;
}

interface ScriptProps {
  name: Parameters<typeof assetUrl>[0];
  page_id?: string;
}

/** Lacks `<!DOCTYPE html>`, which JSX cannot express. Without a preview it is `noindex`. */
export function Document(props: {
  locale: Locale;
  look: Look;
  title: string;
  preview: Preview | null;
  head?: Child;
  children?: Child;
  /** Does not wait for the style. */
  script?: ScriptProps | undefined;
}) {
  const { locale, look, title, preview, script } = props;
  return (
    <html lang={locale} dir={TEXTS[locale].direction} {...lookAttributes(look)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {preview === null ? (
          <meta name="robots" content="noindex" />
        ) : (
          <PreviewTags locale={locale} title={title} preview={preview} />
        )}
        <SchemeTags look={look} />
        {/* Otherwise phones turn numbers into links, inside of our own links too. */}
        <meta name="format-detection" content="telephone=no" />
        {/* The two weights of the page's own script: the first paint needs both. */}
        {([400, 600] as const).map((weight) => (
          <link
            rel="preload"
            href={assetUrl(`${look.type}-${SCRIPTS[locale]}-${weight}.woff2`)}
            as="font"
            type="font/woff2"
            crossorigin="anonymous"
          />
        ))}
        {stylesheets(look).map((href) => (
          <link rel="stylesheet" href={href} />
        ))}
        <link rel="icon" href={assetUrl("icon.svg")} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={assetUrl("icon-180.png")} />
        {props.head}
      </head>
      <body>
        {props.children}
        {script !== undefined && <Script {...script} />}
      </body>
    </html>
  );
}

/**
 * Behind the body: where the connection ends in the middle of a page, and such a script was in front, WebKit goes on
 * loading for ever. As JSX it would be moved to the head.
 */
function Script({ name, page_id }: ScriptProps) {
  const data = page_id === undefined ? "" : html` data-page="${page_id}"`;
  return html`<script async src="${assetUrl(name)}"${data}></script>`;
}

function stylesheets(look: Look): string[] {
  const own = accentSheet(look);
  return own === null ? lookSheets(look) : [...lookSheets(look), `/assets/${own.name}`];
}

/** The colour of the browser's bars is the background's at its top. */
function SchemeTags(props: { look: Look }) {
  const { look } = props;
  const [top] = BACKGROUNDS[look.background];
  const colour = (scheme: Scheme) => lookColours(look, scheme)[top];
  if (look.scheme !== "auto") {
    return (
      <>
        <meta name="color-scheme" content={look.scheme} />
        <meta name="theme-color" content={colour(look.scheme)} />
      </>
    );
  }
  return (
    <>
      <meta name="color-scheme" content="light dark" />
      {SCHEMES.map((scheme) => (
        <meta
          name="theme-color"
          content={colour(scheme)}
          media={`(prefers-color-scheme: ${scheme})`}
        />
      ))}
    </>
  );
}

function PreviewTags(props: { locale: Locale; title: string; preview: Preview }) {
  const { locale, title, preview } = props;
  const { description, canonical, type, image } = preview;
  return (
    <>
      <meta name="description" content={description} />
      <link rel="canonical" href={canonical} />
      <meta property="og:type" content={type} />
      <meta property="og:site_name" content={TEXTS[locale].product} />
      <meta property="og:locale" content={TEXTS[locale].og_locale} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={canonical} />
      {image !== null && (
        <>
          <meta property="og:image" content={image.url} />
          <meta property="og:image:width" content={String(PREVIEW_PICTURE_PX.width)} />
          <meta property="og:image:height" content={String(PREVIEW_PICTURE_PX.height)} />
          <meta property="og:image:alt" content={image.alt} />
        </>
      )}
      <meta name="twitter:card" content={image === null ? "summary" : "summary_large_image"} />
    </>
  );
}
