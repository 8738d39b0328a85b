import { DERIVED } from "../../objects/platform/secrets.ts";

/** The secrets that `npm run deploy` may make. */
export const SECRETS = ["SILA_KEY", ...DERIVED, "HUB_WEBHOOK_SECRET"] as const;
