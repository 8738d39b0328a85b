import { DashboardFrame, type Frame } from "../../dashboard/dashboard-frame.tsx";
import { languageIn, textIn } from "../../pages/document/page-words.ts";
import { assetUrl } from "../../views/assets.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import { languageOf } from "../../views/numbering.ts";
import { plainText } from "../../views/plain-text.ts";
import type { pageJson } from "../page-json.ts";
import { EDITOR_PAGE_TEXTS } from "./texts.ts";

export function EditorPage(props: {
  frame: Frame;
  user_id: string;
  page: ReturnType<typeof pageJson>;
  has_suggestions: boolean;
  /** A tip jar needs points, which this service may not have. */
  has_points: boolean;
}) {
  const { frame, user_id, page, has_suggestions, has_points } = props;
  const language = languageOf(frame.locale);
  const texts = EDITOR_PAGE_TEXTS[language];
  const name = plainText(textIn(page.name, language));
  const name_language = languageIn(page.name, language);
  return (
    <DashboardFrame
      frame={frame}
      title={texts.title(name)}
      main_id="main"
      head={
        <>
          <link rel="stylesheet" href={assetUrl("editor.css")} />
          <script type="module" src={assetUrl(`editor-${language}.js`)} />
        </>
      }
    >
      <main id="main" tabindex={-1}>
        <div
          id="editor"
          class="editor"
          data-page={JSON.stringify(page)}
          data-user={user_id}
          data-reader={frame.locale}
          data-ai={has_suggestions ? "on" : undefined}
          data-points={has_points ? "on" : undefined}
        >
          <div class="editor-toolbar">
            <h1>
              <bdi {...inLanguage(name_language)}>{drawn(name, name_language)}</bdi>
            </h1>
          </div>
          <p class="editor-loading">{texts.loading}</p>
          <p class="without-script">
            {texts.not_open} <a href={frame.url.pathname + frame.url.search}>{texts.again}</a>{" "}
            {texts.too_old}
          </p>
          <noscript>
            <p class="editor-loading">{texts.no_script}</p>
          </noscript>
        </div>
        <p id="announcer" class="sr" role="status" />
      </main>
    </DashboardFrame>
  );
}
