import type { Child } from "hono/jsx";
import { assetUrl } from "../views/assets.ts";
import { Document } from "../views/document.tsx";
import { Mark } from "../views/icons.tsx";
import { type Look, USUAL_LOOK } from "../views/look-values.ts";
import { languageOf, numberingOf } from "../views/numbering.ts";
import { truncated } from "../views/plain-text.ts";
import { TEXTS } from "../views/texts.ts";
import { type Account, AccountMenu } from "./account-menu.tsx";
import { listAddress } from "./addresses.ts";
import { Bell } from "./bell.tsx";
import { FRAME_TEXTS } from "./texts.ts";

/** Every signed-in page needs these; `frameOf` makes them of a request. */
export interface Frame extends Account {
  now_ms: number;
  csrf_token: string;
  unread: number;
  /** An IANA name; the reader's zone as far as the request tells. */
  tz: string;
}

/** `dashboard-palette.ts` adds colours to it. */
const LOOK: Look = { ...USUAL_LOOK, palette: "sea" };
const TITLE_MAX_CHARACTERS = 60;

/** The first paint needs them. */
function DigitFonts() {
  return (
    <>
      {(["digits-400.woff2", "digits-600.woff2"] as const).map((name) => (
        <link
          rel="preload"
          href={assetUrl(name)}
          as="font"
          type="font/woff2"
          crossorigin="anonymous"
        />
      ))}
    </>
  );
}

/** `head` holds the style sheet and the script of the page; `bar` stands in the top bar. */
export function DashboardFrame(props: {
  frame: Frame;
  title: string;
  /** The id of the page's `<main tabindex="-1">`, to which the skip link leads. */
  main_id: string;
  head?: Child;
  bar?: Child;
  children?: Child;
}) {
  const { frame, title } = props;
  const texts = FRAME_TEXTS[frame.locale];
  const language = languageOf(frame.locale);
  return (
    <Document
      locale={language}
      look={LOOK}
      title={`${truncated(title, TITLE_MAX_CHARACTERS)} · ${TEXTS[language].product}`}
      preview={null}
      head={
        <>
          <link rel="stylesheet" href={assetUrl("frame.css")} />
          {numberingOf(frame.locale) === "arab" && <DigitFonts />}
          <meta name="csrf-token" content={frame.csrf_token} />
          {props.head}
        </>
      }
      script={{ name: "frame.js" }}
    >
      <a class="skip" href={`#${props.main_id}`}>
        {texts.skip}
      </a>
      <header class="bar">
        <a class="home-link" href={listAddress(frame.url)}>
          <Mark />
          <span>{TEXTS[language].product}</span>
        </a>
        {props.bar}
        <div class="bar-end">
          <Bell {...frame} />
          <AccountMenu {...frame} />
        </div>
      </header>
      {props.children}
      {/* The scripts say here what they did. */}
      <p class="sr" role="status" data-announcer />
    </Document>
  );
}
