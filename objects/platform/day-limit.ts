/**
 * Whether a limit of a free account's day is reached, until midnight UTC (docs/faults.md F42):
 * "Your account has exceeded D1's free tier daily row write limit…", "Exceeded allowed rows written
 * in Durable Objects free tier."
 */
export function isDayLimit(error: unknown): boolean {
  return String(error).includes("free tier");
}
