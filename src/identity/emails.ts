/** Notes of addresses that users have no more, so that no D1 of a time before makes them a way in again. */
import type { Asked } from "./context.ts";
import { endedAt, forgetEnded, noteEnded } from "./ended.ts";
import { hashOf } from "./tokens.ts";

export async function isEmailEnded({ env }: Asked, user_id: string, email: string) {
  return (await endedAt(env.MEDIA, "email", await noteOf(user_id, email))) !== null;
}

export async function noteEmailEnded({ env }: Asked, user_id: string, email: string, now: number) {
  await noteEnded(env.MEDIA, "email", await noteOf(user_id, email), now);
}

/** The user has proven it again. */
export async function forgetEmailEnded({ env }: Asked, user_id: string, email: string) {
  await forgetEnded(env.MEDIA, "email", await noteOf(user_id, email));
}

function noteOf(user_id: string, email: string): Promise<string> {
  return hashOf(`${user_id}\n${email}`);
}
