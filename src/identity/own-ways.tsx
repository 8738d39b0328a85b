import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { MY_EMAIL_PATH, MY_IDENTITIES_PATH, VERIFY_MY_EMAIL_PATH } from "../http/endpoints.ts";
import { EMAIL_CHARS_MAX } from "../http/limits.ts";
import { languageOf } from "../views/numbering.ts";
import { isolated, plainText } from "../views/plain-text.ts";
import { dayText, momentText, OwnForm, Part, SureForm } from "./account-parts.tsx";
import { ACCOUNT_TEXTS } from "./account-texts.ts";

/** Times are unix milliseconds. */
export interface OwnWaysProps {
  frame: Frame;
  user: { email: string | null };
  has_mail: boolean;
  issuers: readonly { name: string; label: string; address: string }[];
  identities: readonly {
    id: string;
    issuer: string;
    name: string;
    created_at: number;
    used_at: number | null;
  }[];
  passkeys: readonly unknown[];
}

export function countWays({ user, has_mail, issuers, identities, passkeys }: OwnWaysProps): number {
  const usable = identities.filter(({ issuer }) =>
    issuers.some(({ address }) => address === issuer),
  );
  return passkeys.length + usable.length + (has_mail && user.email !== null ? 1 : 0);
}

/** Without mail, an address can only be removed. */
export function OwnEmail(props: OwnWaysProps) {
  const { frame, user, has_mail } = props;
  const texts = ACCOUNT_TEXTS[frame.locale];
  if (!has_mail && user.email === null) return null;
  return (
    <Part id="email" title={texts.email} why={has_mail ? texts.email_why : texts.email_unused}>
      {user.email !== null && (
        <ul class="account-list">
          <li class="account-row">
            <div class="account-what">
              <strong>
                <bdi dir="ltr">{user.email}</bdi>
              </strong>
            </div>
            {countWays(props) > (has_mail ? 1 : 0) && (
              <SureForm
                open={texts.remove}
                label={texts.remove_which(isolated(user.email))}
                action={MY_EMAIL_PATH}
                part="email"
                done={texts.email_removed}
                sure={texts.email_remove_sure}
                yes={texts.email_remove_yes}
              />
            )}
          </li>
        </ul>
      )}
      {has_mail && (
        <>
          <OwnForm action={MY_EMAIL_PATH} method="POST" after="code">
            <div class="account-field">
              <label for="own-email">{user.email === null ? texts.email : texts.email_new}</label>
              <input
                id="own-email"
                type="email"
                name="email"
                dir="ltr"
                required
                maxlength={EMAIL_CHARS_MAX}
                autocomplete="email"
              />
            </div>
            <button class="primary" type="submit" disabled>
              {texts.email_send}
            </button>
          </OwnForm>
          <div data-email-code hidden>
            <OwnForm
              action={VERIFY_MY_EMAIL_PATH}
              method="POST"
              part="email"
              done={texts.email_done}
            >
              <p class="why">{texts.email_sent}</p>
              <input type="hidden" name="ticket" />
              <div class="account-field">
                <label for="own-email-code">{texts.email_code}</label>
                <input
                  id="own-email-code"
                  type="text"
                  name="code"
                  dir="ltr"
                  required
                  inputmode="numeric"
                  autocomplete="one-time-code"
                />
              </div>
              <button class="primary" type="submit" disabled>
                {texts.save}
              </button>
            </OwnForm>
          </div>
        </>
      )}
    </Part>
  );
}

export function OwnIdentities(props: OwnWaysProps) {
  const { frame, issuers, identities } = props;
  const texts = ACCOUNT_TEXTS[frame.locale];
  if (issuers.length === 0 && identities.length === 0) return null;
  return (
    <Part id="identities" title={texts.identities} why={texts.identities_why}>
      {identities.length > 0 && (
        <ul class="account-list">
          {identities.map((identity) => (
            <IdentityRow {...props} identity={identity} />
          ))}
        </ul>
      )}
      {issuers.map(({ name, label }) => (
        <OwnForm action={MY_IDENTITIES_PATH} method="POST" after="leave">
          <input type="hidden" name="issuer" value={name} />
          <input type="hidden" name="locale" value={languageOf(frame.locale)} />
          <button class="quiet" type="submit" disabled>
            {texts.connect(label)}
          </button>
        </OwnForm>
      ))}
    </Part>
  );
}

function IdentityRow(props: OwnWaysProps & { identity: OwnWaysProps["identities"][number] }) {
  const { frame, issuers, identity } = props;
  const { id, name, created_at, used_at } = identity;
  const texts = ACCOUNT_TEXTS[frame.locale];
  const issuer = issuers.find(({ address }) => address === identity.issuer);
  const label = issuer?.label ?? new URL(identity.issuer).host;
  return (
    <li class="account-row">
      <div class="account-what">
        <strong>
          <bdi>{label}</bdi>
        </strong>
        <p class="why">
          <span>
            <bdi>{plainText(name)}</bdi>
          </span>
          <span>{texts.added(dayText(frame, created_at))}</span>
          <span>
            {used_at === null ? texts.never_used : texts.used(momentText(frame, used_at))}
          </span>
        </p>
      </div>
      {countWays(props) > (issuer === undefined ? 0 : 1) && (
        <SureForm
          open={texts.remove}
          label={texts.remove_which(isolated(label))}
          action={`${MY_IDENTITIES_PATH}/${encodeURIComponent(id)}`}
          part="identities"
          done={texts.identity_removed}
          sure={texts.identity_remove_sure}
          yes={texts.identity_remove_yes}
        />
      )}
    </li>
  );
}
