import { DERIVED } from "../../objects/platform/secrets.ts";

/** The secrets that `npm run deploy` may make: the one from which others are derived, those, and the account hub's. */
export const SECRETS = ["SILA_KEY", ...DERIVED, "HUB_WEBHOOK_SECRET"] as const;
