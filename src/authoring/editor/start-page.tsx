/** The first step to a new page: its name and its address. The editor asks for the rest. */
import { listAddress } from "../../dashboard/addresses.ts";
import { DashboardFrame, type Frame } from "../../dashboard/dashboard-frame.tsx";
import { PAGES_TEXTS } from "../../dashboard/pages-texts.ts";
import { NAME_CHARS_MAX } from "../../pages/document/limits.ts";
import { LINK_ADDRESS_MAX_CHARACTERS } from "../../pages/document/link-address.ts";
import { assetUrl } from "../../views/assets.ts";
import { languageOf } from "../../views/numbering.ts";
import { START_TEXTS } from "./texts.ts";

interface StartProps {
  frame: Frame;
  slug: string;
  /** The plan's number of pages if all are in use, else null. */
  full: number | null;
}

export function StartPage({ frame, slug, full }: StartProps) {
  const title =
    full === null
      ? START_TEXTS[languageOf(frame.locale)].title
      : PAGES_TEXTS[frame.locale].new_page;
  return (
    <DashboardFrame
      frame={frame}
      title={title}
      main_id="main"
      head={
        <>
          <link rel="stylesheet" href={assetUrl("editor.css")} />
          <script defer src={assetUrl("start.js")} />
        </>
      }
    >
      <main id="main" class="start" tabindex={-1}>
        <h1>{title}</h1>
        {full === null ? (
          <StartForm frame={frame} slug={slug} />
        ) : (
          <NoRoom frame={frame} max={full} />
        )}
      </main>
    </DashboardFrame>
  );
}

/** Shown instead of the form: nobody fills in a page that cannot be made. */
function NoRoom({ frame, max }: { frame: Frame; max: number }) {
  const texts = PAGES_TEXTS[frame.locale];
  return (
    <>
      <p class="start-lede">{texts.plan_full(max)}</p>
      <p>
        <a class="primary" href={listAddress(frame.url)}>
          {texts.title}
        </a>
      </p>
    </>
  );
}

function StartForm({ frame, slug }: Omit<StartProps, "full">) {
  const texts = START_TEXTS[languageOf(frame.locale)];
  return (
    <>
      <p class="start-lede">{texts.lede}</p>
      <form
        id="start"
        class="start-form"
        data-refused={texts.refused}
        data-no-answer={texts.no_answer}
        data-free={texts.free}
        data-taken={texts.taken}
        data-checking={texts.checking}
        data-impossible={texts.impossible}
      >
        <div class="field">
          <label class="label" for="name">
            {texts.name}
          </label>
          <input
            class="input"
            id="name"
            name="name"
            lang={languageOf(frame.locale)}
            dir={languageOf(frame.locale) === "ar" ? "rtl" : "ltr"}
            required
            maxlength={NAME_CHARS_MAX}
            autocomplete="name"
            placeholder={texts.name_example}
          />
        </div>
        <div class="field">
          <label class="label" for="slug">
            {texts.slug}
          </label>
          <div class="input slug-input" dir="ltr">
            <span class="slug-host" aria-hidden="true">
              {frame.url.host}/
            </span>
            <input
              id="slug"
              name="slug"
              dir="auto"
              required
              maxlength={LINK_ADDRESS_MAX_CHARACTERS}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              aria-describedby="slug-state"
              value={slug}
            />
          </div>
          <p class="hint" id="slug-state" role="status">
            {texts.slug_hint}
          </p>
          <fieldset class="suggestions" data-suggestions aria-label={texts.suggestions} />
        </div>
        <Bring frame={frame} />
        <p class="error" data-problem role="alert" />
        <button class="primary" type="submit" disabled>
          {texts.next}
        </button>
        <p class="without-script">
          {texts.not_ready} <a href={frame.url.pathname + frame.url.search}>{texts.again}</a>
        </p>
        <noscript>
          <p class="error">{texts.no_script}</p>
        </noscript>
      </form>
    </>
  );
}

/** What it finds is listed by the script, with a tick each. */
function Bring({ frame }: Pick<StartProps, "frame">) {
  const { bring } = START_TEXTS[languageOf(frame.locale)];
  return (
    <details
      class="bring"
      data-reader={frame.locale}
      data-reading={bring.reading}
      data-found={bring.found}
      data-picture={bring.picture}
      data-left-out={bring.left_out}
      data-no-answer={bring.no_answer}
    >
      <summary>{bring.title}</summary>
      <p class="hint" id="bring-hint">
        {bring.hint}
      </p>
      <div class="field">
        <label class="label" for="bring-address">
          {bring.address}
        </label>
        <div class="bring-address">
          <input
            class="input"
            id="bring-address"
            dir="ltr"
            inputmode="url"
            maxlength={LINK_ADDRESS_MAX_CHARACTERS}
            autocomplete="url"
            autocapitalize="none"
            spellcheck={false}
            enterkeyhint="go"
            aria-describedby="bring-hint bring-state"
          />
          <button class="secondary" type="button" data-read>
            {bring.read}
          </button>
        </div>
      </div>
      <p id="bring-state" class="hint" role="status" />
      {/* The browser's own button speaks the browser's language. */}
      <label class="secondary bring-file" hidden>
        <input type="file" class="sr" accept=".html,.htm,text/html" />
        <span>{bring.saved_file}</span>
      </label>
      <ul class="brought" aria-label={bring.found} />
    </details>
  );
}
