/** The page on which people sign in, and make an account where everybody may. */
import { PASSKEY_PATH, RECOVER_PAGE, SIGN_UP_PATH } from "../http/endpoints.ts";
import { Field, PasskeyForm, PublicFrame, type PublicPage } from "./public-frame.tsx";
import { PUBLIC_TEXTS } from "./texts.ts";

/** Another way in than a passkey: a link to where it begins. */
export interface Way {
  /** In the reader's language. */
  label: string;
  href: string;
}

export interface SignInPageProps extends PublicPage {
  /** A checked address of this site, which goes along to the server and comes back from it. */
  return_to: string | null;
  sign_up: "open" | "invite" | "closed";
  ways?: readonly Way[];
}

/** The whole page, without `<!DOCTYPE html>`. */
export function SignInPage(props: SignInPageProps) {
  const { locale, return_to, ways = [] } = props;
  const texts = PUBLIC_TEXTS[locale].sign_in;
  return (
    <PublicFrame {...props} title={texts.title} lede={texts.lede} below={<SignUp {...props} />}>
      <PasskeyForm locale={locale} step="sign-in" action={PASSKEY_PATH} button={texts.button}>
        {return_to !== null && <input type="hidden" name="return_to" value={return_to} />}
      </PasskeyForm>
      {ways.length > 0 && (
        <>
          <p class="entry-or">{texts.or}</p>
          <ul class="ways">
            {ways.map(({ label, href }) => (
              <li>
                <a class="entry-second" href={href}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
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
      <PasskeyForm
        locale={locale}
        step="sign-up"
        action={SIGN_UP_PATH}
        button={texts.sign_in.make}
        is_second
      >
        <Field label={texts.name} name="name" autocomplete="name" />
      </PasskeyForm>
    </section>
  );
}
