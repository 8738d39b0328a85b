/** The frame of every page of the dashboard: the top bar, the script, the styles. */
import type { Child } from "hono/jsx";
import { assetUrl } from "../../views/assets.ts";
import { Document } from "../../views/document.tsx";
import { Mark } from "../../views/icons.tsx";
import { type Look, USUAL_LOOK } from "../../views/look.ts";
import { truncated } from "../../views/plain-text.ts";
import { TEXTS } from "../../views/texts.ts";
import { changed, listAddress } from "./addresses.ts";
import type { Frame } from "./props.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

/** The look of every dashboard; `dashboard-palette.ts` adds colours to it. */
const LOOK: Look = { ...USUAL_LOOK, palette: "sea" };
const TITLE_MAX_CHARACTERS = 60;

export function DashboardFrame(props: { frame: Frame; title: string; children?: Child }) {
  const { frame, title } = props;
  const texts = DASHBOARD_TEXTS[frame.locale];
  return (
    <Document
      locale={frame.locale}
      look={LOOK}
      title={`${truncated(title, TITLE_MAX_CHARACTERS)} · ${TEXTS[frame.locale].product}`}
      preview={null}
      head={
        <>
          <link rel="stylesheet" href={assetUrl("dashboard.css")} />
          <meta name="csrf-token" content={frame.csrf_token} />
          <script defer src={assetUrl("dashboard.js")} />
        </>
      }
    >
      <a class="skip" href="#numbers">
        {texts.skip}
      </a>
      <header class="bar">
        <a class="home-link" href={listAddress(frame.url)}>
          <Mark />
          <span>{TEXTS[frame.locale].product}</span>
        </a>
        <Account frame={frame} />
      </header>
      {props.children}
    </Document>
  );
}

/** The link to the other language, and the sign-out button, which the script shows. */
function Account(props: { frame: Frame }) {
  const { locale, url, user_name } = props.frame;
  const texts = DASHBOARD_TEXTS[locale];
  const other = locale === "ar" ? "en" : "ar";
  return (
    <div class="account">
      <a
        class="quiet"
        href={changed(url, { lang: other })}
        hreflang={other}
        lang={other}
        dir={TEXTS[other].direction}
      >
        {texts.other_language}
      </a>
      <button
        class="quiet"
        type="button"
        data-sign-out
        title={texts.signed_in(truncated(user_name, TITLE_MAX_CHARACTERS))}
        hidden
      >
        {texts.sign_out}
      </button>
    </div>
  );
}
