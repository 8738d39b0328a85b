/** Removed addresses are used up, so that no restored D1 makes one a way in again, until its user proves it anew. */
import type { Asked } from "./context.ts";
import { endedAt } from "./ended.ts";
import { hashOf } from "./tokens.ts";

/** Used up for this user only: another one may prove the address. */
export function emailKey(user_id: string, email: string): Promise<string> {
  return hashOf(`${user_id}\n${email}`);
}

export async function isEmailEnded({ env }: Asked, user_id: string, email: string) {
  return (await endedAt(env.MEDIA, "email", await emailKey(user_id, email))) !== null;
}
