import { SIGN_UP_PATH } from "../http/endpoints.ts";
import { OtherWays, type OtherWaysProps } from "./other-ways.tsx";
import { Field, PublicForm, PublicFrame, type PublicPage } from "./public-frame.tsx";
import { PUBLIC_TEXTS } from "./texts.ts";

/**
 * The script takes the invitation from the fragment and hides its field: the server does not see it before
 * its use.
 */
export function InvitePage(props: PublicPage & OtherWaysProps) {
  const { locale } = props;
  const texts = PUBLIC_TEXTS[locale];
  return (
    <PublicFrame {...props} title={texts.invite.title} lede={texts.invite.lede}>
      <PublicForm locale={locale} step="sign-up" action={SIGN_UP_PATH} button={texts.invite.button}>
        <Field
          label={texts.invite.code}
          hint={texts.invite.code_hint}
          name="invitation"
          autocomplete="off"
        />
        <Field label={texts.name} hint={texts.name_hint} name="name" autocomplete="name" />
      </PublicForm>
      <OtherWays {...props} return_to={null} />
    </PublicFrame>
  );
}
