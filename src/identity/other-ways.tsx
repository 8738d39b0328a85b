import { CODE_PATH, ISSUER_PATH } from "../http/endpoints.ts";
import type { Locale } from "../views/locale.ts";
import { Field, PublicForm } from "./public-frame.tsx";
import { PUBLIC_TEXTS } from "./texts.ts";

export interface OtherWaysProps {
  has_mail: boolean;
  issuers: readonly { name: string; label: string }[];
}

/** @param return_to a checked address of this site; null where the server chooses one */
export function OtherWays(
  props: OtherWaysProps & { locale: Locale; return_to: string | null; is_first?: boolean },
) {
  const { locale, has_mail, issuers, return_to } = props;
  if (!has_mail && issuers.length === 0) return null;
  const texts = PUBLIC_TEXTS[locale];
  const hidden = return_to !== null && <input type="hidden" name="return_to" value={return_to} />;
  return (
    <>
      <p class="entry-or">{texts.sign_in.or}</p>
      {issuers.map(({ name, label }) => (
        <PublicForm
          locale={locale}
          step="issuer"
          action={`${ISSUER_PATH}/${name}`}
          button={texts.with(label)}
          is_second
        >
          {hidden}
        </PublicForm>
      ))}
      {has_mail && (
        <PublicForm
          locale={locale}
          step="mail"
          action={CODE_PATH}
          button={texts.mail.send}
          is_second
        >
          {hidden}
          <Field id="mail-email" label={texts.mail.email} name="email" autocomplete="email" />
          <fieldset class="entry-part" data-later="code" hidden disabled>
            <p class="entry-hint" role="status">
              {texts.mail.sent}
            </p>
            <Field
              id="mail-code"
              label={texts.mail.code}
              name="code"
              autocomplete="one-time-code"
              inputmode="numeric"
            />
            <button class="entry-link" type="button" data-again>
              {texts.mail.again}
            </button>
          </fieldset>
          <fieldset class="entry-part" data-later="name" hidden disabled>
            <Field
              id="mail-name"
              label={texts.name}
              hint={texts.name_hint}
              name="name"
              autocomplete="name"
            />
          </fieldset>
        </PublicForm>
      )}
    </>
  );
}
