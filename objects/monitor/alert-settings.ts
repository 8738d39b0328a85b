/**
 * The settings ALERT_URL, ALERT_SECRET and ALERT_MAIL. A wrong one is in the log
 * (`src/http/config.ts`), and its channel gets no alerts; the other one does.
 */
import { isMailFrom } from "../mail/mail-settings.ts";
import { secretIn } from "../platform/secrets.ts";

const PREFIX = "whsec_";
/** Standard Webhooks: 24 to 64 bytes. S25 wants 32. */
const SECRET = /^whsec_[A-Za-z0-9+/]{43,88}={0,2}$/;

/** Takes http in development only; `''` means that no alerts are posted. */
export function isAlertUrl(setting: unknown): boolean {
  if (setting === "") return true;
  const url = typeof setting === "string" ? URL.parse(setting) : null;
  return (
    url !== null &&
    (url.protocol === "https:" || /^(?:localhost|127\.0\.0\.1|hub)$/.test(url.hostname)) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === ""
  );
}

export function alertKey(setting: unknown): Uint8Array | null {
  if (typeof setting !== "string" || !SECRET.test(setting)) return null;
  return Uint8Array.from(atob(setting.slice(PREFIX.length)), (char) => char.charCodeAt(0));
}

export interface AlertSettings {
  webhook: { url: string; key: Uint8Array } | null;
  mail: { to: string; from: string } | null;
}

export function alertSettings(env: {
  ALERT_URL?: string;
  ALERT_SECRET?: string;
  SILA_KEY?: string;
  ALERT_MAIL?: string;
  MAIL_FROM?: string;
  MAIL?: unknown;
}): AlertSettings {
  const url = isAlertUrl(env.ALERT_URL) ? (env.ALERT_URL ?? "") : "";
  const key = alertKey(secretIn(env, "ALERT_SECRET"));
  const to = isMailFrom(env.ALERT_MAIL) ? (env.ALERT_MAIL ?? "") : "";
  const from = isMailFrom(env.MAIL_FROM) ? (env.MAIL_FROM ?? "") : "";
  return {
    webhook: url === "" || key === null ? null : { url, key },
    mail: to === "" || from === "" || !env.MAIL ? null : { to, from },
  };
}
