/** A hub has points; accounts in the box have none before an operator gives some. */
export async function hasPoints(db: D1Database, hub_url: string): Promise<boolean> {
  if (hub_url !== "") return true;
  return (await db.prepare("SELECT 1 FROM auth_gifts LIMIT 1").first()) !== null;
}
