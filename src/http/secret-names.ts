import { DERIVED } from "../../objects/platform/secrets.ts";

export const SECRETS = ["SILA_KEY", ...DERIVED, "HUB_WEBHOOK_SECRET"] as const;
