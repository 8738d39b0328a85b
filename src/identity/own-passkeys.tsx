import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { MY_CODES_PATH, MY_PASSKEYS_PATH } from "../http/endpoints.ts";
import { NAME_CHARS_MAX } from "../pages/document/limits.ts";
import { isolated, plainText } from "../views/plain-text.ts";
import { dayText, momentText, OwnForm, Part, SureForm } from "./account-parts.tsx";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { KeyIcon } from "./key-icon.tsx";

/** Times are unix milliseconds. */
export interface OwnPasskey {
  id: string;
  name: string;
  is_synced: boolean;
  created_at: number;
  used_at: number | null;
}

interface PasskeysProps {
  frame: Frame;
  passkeys: readonly OwnPasskey[];
  ways: number;
}

export function Passkeys(props: PasskeysProps) {
  const { frame, passkeys, ways } = props;
  const texts = ACCOUNT_TEXTS[frame.locale];
  return (
    <Part id="passkeys" title={texts.passkeys} why={texts.passkeys_why}>
      {passkeys.length > 0 && (
        <ul class="account-list">
          {passkeys.map((passkey) => (
            <PasskeyRow {...props} passkey={passkey} />
          ))}
        </ul>
      )}
      {passkeys.length === 1 && ways === 1 && <p class="why">{texts.last}</p>}
      <OwnForm
        action={MY_PASSKEYS_PATH}
        method="POST"
        after="passkey"
        part="passkeys"
        done={texts.added_done}
      >
        <button class="primary" type="submit" disabled>
          <KeyIcon />
          <span data-words>{texts.add}</span>
        </button>
      </OwnForm>
    </Part>
  );
}

function PasskeyRow({ frame, ways, passkey }: PasskeysProps & { passkey: OwnPasskey }) {
  const { id, name, is_synced, created_at, used_at } = passkey;
  const texts = ACCOUNT_TEXTS[frame.locale];
  const path = `${MY_PASSKEYS_PATH}/${encodeURIComponent(id)}`;
  const field = `name-${id}`;
  const used = used_at === null ? texts.never_used : texts.used(momentText(frame, used_at));
  return (
    <li class="account-row">
      <div class="account-what">
        <strong>
          <bdi>{plainText(name)}</bdi>
        </strong>
        <span class="badge is-on">{is_synced ? texts.synced : texts.one_device}</span>
        <p class="why">
          <span>{texts.added(dayText(frame, created_at))}</span>
          <span>{used}</span>
        </p>
      </div>
      <details class="account-act">
        <summary class="quiet" aria-label={texts.rename_which(isolated(name))}>
          {texts.rename}
        </summary>
        <div class="account-sure">
          <OwnForm action={path} method="PATCH" part="passkeys" done={texts.saved}>
            <div class="account-field">
              <label for={field}>{texts.name}</label>
              <input
                id={field}
                type="text"
                name="name"
                dir="auto"
                required
                maxlength={NAME_CHARS_MAX}
                autocomplete="off"
                value={name}
              />
            </div>
            <button class="primary" type="submit" disabled>
              {texts.save}
            </button>
          </OwnForm>
        </div>
      </details>
      {ways > 1 && (
        <SureForm
          open={texts.remove}
          label={texts.remove_which(isolated(name))}
          action={path}
          part="passkeys"
          done={texts.removed}
          sure={texts.remove_sure}
          yes={texts.remove_yes}
        />
      )}
    </li>
  );
}

/** The script shows new codes, once: this page never has them. */
export function RecoveryCodes({ frame, codes_left }: { frame: Frame; codes_left: number }) {
  const texts = ACCOUNT_TEXTS[frame.locale];
  const form = (
    <OwnForm action={MY_CODES_PATH} method="POST" after="codes">
      <button class="primary" type="submit" disabled>
        {codes_left === 0 ? texts.make_codes : texts.make_new_codes}
      </button>
    </OwnForm>
  );
  return (
    <Part id="codes" title={texts.codes} why={texts.codes_why}>
      <p data-codes-left>{texts.codes_left(codes_left)}</p>
      <div data-make-codes>
        {codes_left === 0 ? (
          form
        ) : (
          <details class="account-act">
            <summary class="quiet">{texts.make_new_codes}…</summary>
            <div class="account-sure">
              <p>{texts.codes_sure}</p>
              {form}
            </div>
          </details>
        )}
      </div>
      <div class="account-codes" data-codes hidden>
        <p class="account-codes-of">{texts.codes_of(frame.url.host)}</p>
        <p class="account-advice" tabindex={-1} data-codes-shown>
          {texts.codes_shown}
        </p>
        <ol class="account-code-list" dir="ltr" />
        <p class="account-actions">
          <button
            class="primary"
            type="button"
            data-copy-codes
            data-done={texts.copied}
            data-failed={texts.copy_failed}
          >
            {texts.copy}
          </button>
          <button class="quiet" type="button" data-download-codes>
            {texts.download}
          </button>
          <button class="quiet" type="button" data-print-codes>
            {texts.print}
          </button>
        </p>
      </div>
    </Part>
  );
}
