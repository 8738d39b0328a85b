/** What the identity Worker has, and what comes with each call. */
import type { AccountMail } from "../accounts/account-mails.ts";
import type { Settings as SettingsOf } from "../http/config.ts";
import type { Plan } from "./limits.ts";

/** Its bindings: those of the service. */
export interface Box {
  DB: D1Database;
  MEDIA: R2Bucket;
}

/** Settings of the service (`src/http/config.ts`), for one request of a browser. */
export interface Settings {
  /** Of the sources of the service: pages link to its files. */
  build: string;
  request_id: string;
  SESSION_KEY: string;
  /** `''`: the origin of the request. */
  SITE_ORIGIN: string;
  SIGN_UP: SignUp;
  NEW_USER_PLAN: Plan;
  /** Ids of users, separated by commas: who is an operator besides those whom an operator made one. */
  OPERATORS: string;
  /** With which the first owner's account is made; `''`: none can be made. */
  SETUP_CODE: string;
  /** Whether mails can be sent. */
  has_mail: boolean;
  /** By whose accounts people sign in; null where a setting is refused, so that nobody does. */
  issuers: SettingsOf<"issuers"> | null;
}

/** What the service gets for a request of a browser. */
export interface Served {
  response: Response;
  /** None where the request failed. */
  mails: AccountMail[];
}

/** Who may make an account: whoever has an invitation, everybody, or nobody. */
export type SignUp = "invite" | "open" | "closed";
