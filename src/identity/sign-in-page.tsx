import { PASSKEY_PATH, RECOVER_PAGE, SIGN_UP_PATH } from "../http/endpoints.ts";
import { OtherWays, type OtherWaysProps } from "./other-ways.tsx";
import { Field, PublicForm, PublicFrame, type PublicPage } from "./public-frame.tsx";
import { PUBLIC_TEXTS } from "./texts.ts";

export interface SignInPageProps extends PublicPage, OtherWaysProps {
  /** A checked address of this site. */
  return_to: string | null;
  sign_up: "open" | "invite" | "closed";
  problem?: string | null;
}

export function SignInPage(props: SignInPageProps) {
  const { locale, return_to, problem = null } = props;
  const texts = PUBLIC_TEXTS[locale].sign_in;
  return (
    <PublicFrame {...props} title={texts.title} lede={texts.lede} below={<SignUp {...props} />}>
      {problem !== null && (
        <p class="entry-problem" role="alert">
          {problem}
        </p>
      )}
      <PublicForm locale={locale} step="sign-in" action={PASSKEY_PATH} button={texts.button}>
        {return_to !== null && <input type="hidden" name="return_to" value={return_to} />}
      </PublicForm>
      <OtherWays {...props} />
      <a class="entry-link" href={`${RECOVER_PAGE}?lang=${locale}`}>
        {texts.lost}
      </a>
    </PublicFrame>
  );
}

function SignUp({ locale, sign_up }: SignInPageProps) {
  const texts = PUBLIC_TEXTS[locale];
  if (sign_up !== "open") {
    const why = sign_up === "invite" ? texts.sign_in.by_invitation : texts.sign_in.closed;
    return <p class="entry-aside">{why}</p>;
  }
  return (
    <section class="entry-aside is-open" aria-labelledby="new-here">
      <h2 id="new-here">{texts.sign_in.new_here}</h2>
      <PublicForm
        locale={locale}
        step="sign-up"
        action={SIGN_UP_PATH}
        button={texts.sign_in.make}
        is_second
      >
        <Field label={texts.name} name="name" autocomplete="name" />
      </PublicForm>
    </section>
  );
}
