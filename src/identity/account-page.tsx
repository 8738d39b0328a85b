import { listAddress } from "../dashboard/addresses.ts";
import { DashboardFrame } from "../dashboard/dashboard-frame.tsx";
import { ACCOUNT_PAGE, KEEP_PATH, LOGIN_PATH, MY_ACCOUNT_PATH } from "../http/endpoints.ts";
import { NAME_CHARS_MAX } from "../pages/document/limits.ts";
import { assetUrl } from "../views/assets.ts";
import { Icon } from "../views/icons.tsx";
import { LOCALES, type Locale } from "../views/locale.ts";
import { TEXTS } from "../views/texts.ts";
import { momentText, OwnForm, Part } from "./account-parts.tsx";
import { ACCOUNT_TEXTS, type AccountTexts } from "./account-texts.ts";
import { type OwnPasskey, Passkeys, RecoveryCodes } from "./own-passkeys.tsx";
import { type OwnSession, Sessions } from "./own-sessions.tsx";
import { countWays, OwnEmail, OwnIdentities, type OwnWaysProps } from "./own-ways.tsx";

/** Times are unix milliseconds. */
export interface AccountPageProps extends OwnWaysProps {
  user: {
    name: string;
    email: string | null;
    locale: Locale;
    plan: string;
    ends_at: number | null;
  };
  passkeys: readonly OwnPasskey[];
  sessions: readonly OwnSession[];
  codes_left: number;
  problem?: string | null;
}

export function AccountPage(props: AccountPageProps) {
  const { frame, user, passkeys, codes_left, problem = null } = props;
  const ways = countWays(props);
  const texts = ACCOUNT_TEXTS[frame.locale];
  return (
    <DashboardFrame
      frame={frame}
      title={texts.title}
      main_id="account"
      head={
        <>
          <link rel="stylesheet" href={assetUrl("account.css")} />
          <script defer src={assetUrl("account.js")} />
        </>
      }
    >
      <main class="dashboard narrow" id="account" tabindex={-1}>
        <div class="title">
          <h1>{texts.title}</h1>
        </div>
        <noscript>
          <p class="card warning">{texts.needs_script}</p>
        </noscript>
        {user.ends_at !== null && <Ending {...props} ends_at={user.ends_at} />}
        {problem !== null && (
          <p class="card warning" role="alert">
            {problem}
          </p>
        )}
        {ways === 0 && codes_left === 0 && <p class="card account-advice">{texts.no_way}</p>}
        {ways === 1 && passkeys[0]?.is_synced === false && codes_left === 0 && (
          <p class="card account-advice">{texts.only_way}</p>
        )}
        <Profile {...props} />
        <Passkeys {...props} ways={ways} />
        <OwnEmail {...props} />
        <OwnIdentities {...props} />
        <RecoveryCodes {...props} />
        <Sessions {...props} />
        <section class="card account-part">
          <h2>{texts.export}</h2>
          <p class="why">{texts.export_why}</p>
          <a class="account-link" href={listAddress(frame.url)}>
            {texts.my_pages}
            <Icon name="onward" />
          </a>
          <a class="account-link" href={MY_ACCOUNT_PATH} download="sila-account.json">
            {texts.account_file}
          </a>
        </section>
        {user.ends_at === null && <Deletion texts={texts} />}
        <Deleted {...props} />
      </main>
    </DashboardFrame>
  );
}

function Ending({ frame, ends_at }: AccountPageProps & { ends_at: number }) {
  const texts = ACCOUNT_TEXTS[frame.locale];
  return (
    <section class="card warning account-part" aria-labelledby="ending">
      <h2 id="ending" tabindex={-1}>
        {texts.ends(momentText(frame, ends_at))}
      </h2>
      <OwnForm action={KEEP_PATH} method="POST">
        <button class="primary" type="submit" disabled>
          {texts.keep}
        </button>
      </OwnForm>
    </section>
  );
}

function Profile({ frame, user }: AccountPageProps) {
  const texts = ACCOUNT_TEXTS[frame.locale];
  return (
    <Part id="profile" title={texts.profile}>
      <OwnForm action={MY_ACCOUNT_PATH} method="PATCH" part="profile" done={texts.saved}>
        <div class="account-field">
          <label for="own-name">{texts.name}</label>
          <input
            id="own-name"
            type="text"
            name="name"
            dir="auto"
            required
            maxlength={NAME_CHARS_MAX}
            autocomplete="name"
            value={user.name}
          />
        </div>
        <div class="account-field">
          <label for="own-locale">{texts.language}</label>
          <div class="account-choice">
            <select id="own-locale" name="locale">
              {LOCALES.map((locale) => (
                <option value={locale} lang={locale} selected={locale === user.locale}>
                  {TEXTS[locale].own_name}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </div>
        </div>
        <button class="primary" type="submit" disabled>
          {texts.save}
        </button>
      </OwnForm>
      <dl class="account-facts">
        <div>
          <dt>{texts.plan}</dt>
          <dd>{texts.plans[user.plan] ?? user.plan}</dd>
        </div>
      </dl>
    </Part>
  );
}

function Deletion({ texts }: { texts: AccountTexts }) {
  return (
    <Part id="delete" title={texts.delete}>
      <details class="account-act">
        <summary class="quiet account-grave">{texts.delete_open}</summary>
        <div class="account-sure">
          <p>{texts.delete_what}</p>
          <OwnForm action={MY_ACCOUNT_PATH} method="DELETE" after="deleted">
            <button class="primary account-danger" type="submit" disabled>
              {texts.delete_yes}
            </button>
          </OwnForm>
        </div>
      </details>
    </Part>
  );
}

/** Shown alone while the account is being deleted: its sessions are over. */
function Deleted({ frame }: AccountPageProps) {
  const texts = ACCOUNT_TEXTS[frame.locale];
  const query = new URLSearchParams({ return_to: ACCOUNT_PAGE });
  return (
    <section class="card nothing" data-deleted hidden>
      <h2 tabindex={-1}>{texts.deleted}</h2>
      <p>{texts.deleted_what}</p>
      <a class="primary" href={`${LOGIN_PATH}?${query}`}>
        {texts.sign_in}
      </a>
    </section>
  );
}
