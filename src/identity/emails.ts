/**
 * Addresses that users have no more are used up, so that no D1 of a time before makes them a way in again; those that
 * they prove again are not.
 */
import type { Asked } from "./context.ts";
import { endedAt } from "./ended.ts";
import { hashOf } from "./tokens.ts";

/** By which an address is used up for its user: another one may prove it. */
export function emailKey(user_id: string, email: string): Promise<string> {
  return hashOf(`${user_id}\n${email}`);
}

export async function isEmailEnded({ env }: Asked, user_id: string, email: string) {
  return (await endedAt(env.MEDIA, "email", await emailKey(user_id, email))) !== null;
}
