import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { MY_SESSIONS_PATH } from "../http/endpoints.ts";
import { isolated } from "../views/plain-text.ts";
import { momentText, OwnForm, Part } from "./account-parts.tsx";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import type { Device, Place } from "./sessions-store.ts";

/** Times are unix milliseconds. */
export interface OwnSession {
  id: string;
  device: Device;
  place: Place;
  created_at: number;
  used_at: number;
  is_this: boolean;
}

interface SessionsProps {
  frame: Frame;
  sessions: readonly OwnSession[];
}

export function Sessions({ frame, sessions }: SessionsProps) {
  const texts = ACCOUNT_TEXTS[frame.locale];
  const this_first = [...sessions].sort((a, b) => Number(b.is_this) - Number(a.is_this));
  return (
    <Part id="sessions" title={texts.sessions} why={texts.sessions_why}>
      <ul class="account-list">
        {this_first.map((session) => (
          <SessionRow frame={frame} session={session} />
        ))}
      </ul>
      {sessions.some(({ is_this }) => !is_this) && (
        <OwnForm
          action={MY_SESSIONS_PATH}
          method="DELETE"
          part="sessions"
          done={texts.ended_others}
        >
          <button class="quiet account-grave" type="submit" disabled>
            {texts.end_others}
          </button>
        </OwnForm>
      )}
    </Part>
  );
}

function SessionRow({ frame, session }: { frame: Frame; session: OwnSession }) {
  const { id, created_at, used_at, is_this } = session;
  const texts = ACCOUNT_TEXTS[frame.locale];
  const device = deviceText(frame, session);
  return (
    <li class="account-row">
      <div class="account-what">
        <strong>{device}</strong>
        {is_this && <span class="badge is-on">{texts.this_one}</span>}
        <p class="why">
          <span>{placeText(frame, session)}</span>
          <span>
            {is_this
              ? texts.since(momentText(frame, created_at))
              : texts.active(momentText(frame, used_at))}
          </span>
        </p>
      </div>
      {!is_this && (
        <OwnForm
          action={`${MY_SESSIONS_PATH}/${encodeURIComponent(id)}`}
          method="DELETE"
          part="sessions"
          done={texts.ended}
        >
          <button
            class="quiet"
            type="submit"
            aria-label={texts.end_which(isolated(device))}
            disabled
          >
            {texts.end}
          </button>
        </OwnForm>
      )}
    </li>
  );
}

function deviceText({ locale }: Frame, { device }: OwnSession): string {
  const texts = ACCOUNT_TEXTS[locale];
  const { browser, system } = device;
  if (browser !== "" && system !== "") return texts.on(browser, system);
  return browser || system || texts.unknown_device;
}

function placeText({ locale }: Frame, { place }: OwnSession): string {
  const parts = [place.city, place.country && countryName(locale, place.country)];
  const known = parts.filter((part) => part !== "").map(isolated);
  return known.join(locale === "en" ? ", " : "، ") || ACCOUNT_TEXTS[locale].unknown_place;
}

/** Cloudflare's codes for Tor and for unknown countries are not in ISO 3166. */
function countryName(locale: Frame["locale"], code: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}
