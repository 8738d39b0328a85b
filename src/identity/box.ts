import type { AccountMail } from "../accounts/account-mails.ts";
import type { Settings as SettingsOf } from "../http/config.ts";
import type { Plan } from "./limits.ts";

export interface Box {
  DB: D1Database;
  MEDIA: R2Bucket;
}

/** Settings of the service (`src/http/config.ts`), sent with each request of a browser. */
export interface Settings {
  /** Build of the service: pages link to its files. */
  build: string;
  request_id: string;
  SESSION_KEY: string;
  /** `''` for the origin of the request. */
  SITE_ORIGIN: string;
  SIGN_UP: SignUp;
  NEW_USER_PLAN: Plan;
  /** Ids of users, separated by commas: operators besides those whom an operator made one. */
  OPERATORS: string;
  /** The code that makes the first owner's account; `''` for none. */
  SETUP_CODE: string;
  has_mail: boolean;
  /** Null where a setting is refused: then nobody signs in by an issuer. */
  issuers: SettingsOf<"issuers"> | null;
}

export interface Served {
  response: Response;
  /** Empty where the request failed. */
  mails: AccountMail[];
}

export type SignUp = "invite" | "open" | "closed";
