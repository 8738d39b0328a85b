import { SETUP_PATH, SIGN_IN_PAGE } from "../http/endpoints.ts";
import { Field, PublicForm, PublicFrame, type PublicPage } from "./public-frame.tsx";
import { PUBLIC_TEXTS } from "./texts.ts";

export interface SetupPageProps extends PublicPage {
  is_done: boolean;
}

/** The script takes the code from the fragment, which no server sees. */
export function SetupPage(props: SetupPageProps) {
  const { locale, is_done } = props;
  const { setup: texts, name } = PUBLIC_TEXTS[locale];
  if (is_done) {
    return (
      <PublicFrame {...props} title={texts.done} lede={texts.done_lede}>
        <a class="contact" href={`${SIGN_IN_PAGE}?lang=${locale}`}>
          {texts.sign_in}
        </a>
      </PublicFrame>
    );
  }
  return (
    <PublicFrame {...props} title={texts.title} lede={texts.lede}>
      <PublicForm locale={locale} step="setup" action={SETUP_PATH} button={texts.button}>
        <Field label={texts.code} hint={texts.code_hint} name="code" autocomplete="off" />
        <Field label={name} name="name" autocomplete="name" />
      </PublicForm>
    </PublicFrame>
  );
}
