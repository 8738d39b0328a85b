/**
 * The secrets that `npm run deploy` makes: HUB_WEBHOOK_SECRET where there is an account hub, SETUP_CODE where there is none.
 * The last three switch a feature on, and may be missing.
 */
export const SECRETS = [
  "SENDER_KEY",
  "SESSION_KEY",
  "HUB_WEBHOOK_SECRET",
  "SETUP_CODE",
  "BACKUP_KEY",
  "METRICS_TOKEN",
  "ALERT_SECRET",
] as const;
