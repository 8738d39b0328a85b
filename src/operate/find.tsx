import type { Frame } from "../dashboard/dashboard-frame.tsx";

/** The form that finds one of many. It keeps the language that was chosen for this page. */
export function Find(props: {
  frame: Frame;
  action: string;
  q: string;
  texts: { search: string; search_button: string };
  /** What is typed has this direction; absent: the page's. */
  dir?: "auto";
}) {
  const { frame, action, q, texts, dir } = props;
  const lang = frame.url.searchParams.get("lang");
  return (
    <search>
      <form class="find" method="get" action={action}>
        {lang !== null && <input type="hidden" name="lang" value={lang} />}
        <label class="sr" for="q">
          {texts.search}
        </label>
        <input id="q" type="search" name="q" value={q} placeholder={texts.search} dir={dir} />
        <button class="quiet" type="submit">
          {texts.search_button}
        </button>
      </form>
    </search>
  );
}
