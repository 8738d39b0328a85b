import { ACCOUNT_PAGE, MY_PASSKEYS_PATH, RECOVER_PATH, SIGN_IN_PAGE } from "../http/endpoints.ts";
import { Field, PublicForm, PublicFrame, type PublicPage } from "./public-frame.tsx";
import { PUBLIC_TEXTS } from "./texts.ts";

/** The script shows the second part after the code. */
export function RecoverPage(props: PublicPage) {
  const { locale } = props;
  const texts = PUBLIC_TEXTS[locale].recover;
  const account = `${ACCOUNT_PAGE}?lang=${locale}`;
  return (
    <PublicFrame {...props} title={texts.title} lede={texts.lede}>
      <div class="entry-part" data-part="code">
        <PublicForm locale={locale} step="recover" action={RECOVER_PATH} button={texts.button}>
          <Field
            label={texts.code}
            hint={texts.code_hint}
            name="code"
            autocomplete="one-time-code"
          />
        </PublicForm>
        <a class="entry-link" href={`${SIGN_IN_PAGE}?lang=${locale}`}>
          {texts.back}
        </a>
      </div>
      <div
        class="entry-part"
        data-part="signed-in"
        data-title={texts.is_in}
        data-lede={texts.add_why}
        hidden
      >
        <PublicForm
          locale={locale}
          step="add"
          action={MY_PASSKEYS_PATH}
          button={texts.add}
          next={account}
        />
        <a class="entry-link" href={account}>
          {texts.later}
        </a>
      </div>
    </PublicFrame>
  );
}
