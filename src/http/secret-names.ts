/** The secrets that `npm run deploy` makes. The last three switch a feature on, and may be missing. */
export const SECRETS = [
  "SENDER_KEY",
  "SESSION_KEY",
  "HUB_WEBHOOK_SECRET",
  "BACKUP_KEY",
  "METRICS_TOKEN",
  "ALERT_SECRET",
] as const;
