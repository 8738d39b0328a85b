/** The HTML document around every page: language, colours, fonts, icons, preview tags. */
import type { Child } from "hono/jsx";
import { assetUrl } from "./assets.ts";
import type { Locale } from "./locale.ts";
import { PALETTES, type Theme } from "./palette.ts";
import { TEXTS } from "./texts.ts";

/** The two weights of the page's own script, preloaded because the first paint needs both. */
const OWN_FONTS = {
  ar: ["arabic-400.woff2", "arabic-600.woff2"],
  en: ["latin-400.woff2", "latin-600.woff2"],
} as const;

/** What search results and link previews show of a page. */
interface Preview {
  description: string;
  /** Absolute. */
  canonical: string;
  type: "profile" | "website";
  /** Absolute URL of a square picture, and what it shows. */
  image: { url: string; alt: string } | null;
}

/**
 * An HTML document without its `<!DOCTYPE html>`, which JSX cannot express; the caller puts it in
 * front. Without a preview the page is marked `noindex`.
 */
export function Document(props: {
  locale: Locale;
  theme: Theme;
  title: string;
  preview: Preview | null;
  head?: Child;
  children?: Child;
}) {
  const { locale, theme, title, preview } = props;
  const { light, dark } = PALETTES[theme];
  return (
    <html lang={locale} dir={TEXTS[locale].direction} data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {preview === null ? (
          <meta name="robots" content="noindex" />
        ) : (
          <PreviewTags locale={locale} title={title} preview={preview} />
        )}
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={light.glow} media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content={dark.glow} media="(prefers-color-scheme: dark)" />
        {/* Otherwise phones turn numbers into links, inside of our own links too. */}
        <meta name="format-detection" content="telephone=no" />
        {OWN_FONTS[locale].map((font) => (
          <link
            rel="preload"
            href={assetUrl(font)}
            as="font"
            type="font/woff2"
            crossorigin="anonymous"
          />
        ))}
        <link rel="stylesheet" href={assetUrl("bio.css")} />
        <link rel="icon" href={assetUrl("icon.svg")} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={assetUrl("icon-180.png")} />
        {props.head}
      </head>
      <body>{props.children}</body>
    </html>
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
          <meta property="og:image:alt" content={image.alt} />
        </>
      )}
      <meta name="twitter:card" content="summary" />
    </>
  );
}
