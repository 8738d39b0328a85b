/** Calls the service's route for restores, signed with BACKUP_KEY. */
import { setTimeout as pause } from "node:timers/promises";
import type { Secret } from "../../http/secret.ts";
import { RESTORE_HEADER, RESTORE_PATH, signCall } from "../restore-call.ts";
import { type Call, RestoreRefused } from "./restore-backup.ts";

/** Tries of a call that fails or whose answer is lost, and the pause before the second, in milliseconds. */
const TRIES = 6;
const PAUSE_MS = 1_000;
/** Longest wait for an answer: a step may write a part of 4 MB. */
const TIMEOUT_MS = 120_000;

interface Refusal {
  details?: { reason?: string };
  message_en?: string;
}

/** The calls of the service at this address. */
export function callService(origin: string, secret: Secret): Call {
  return async (call) => {
    const body = JSON.stringify(call);
    for (let tried = 1; ; tried += 1) {
      const answer = await ask(origin, secret, body).catch((error: Error) => error);
      if (!(answer instanceof Error)) {
        if (answer.ok) return answer.json();
        const { details, message_en } = (await answer.json().catch(() => ({}))) as Refusal;
        if (answer.status === 404) {
          throw new RestoreRefused(
            "the service does not know this BACKUP_KEY, or has no backups: check the key, the address and both clocks",
          );
        }
        if (answer.status < 500 && answer.status !== 429) {
          throw new RestoreRefused(details?.reason ?? message_en ?? `HTTP ${answer.status}`);
        }
      }
      if (tried === TRIES) {
        const why = answer instanceof Error ? answer.message : `HTTP ${answer.status}`;
        throw new Error(`step ${call.step}: ${why}. Run the same command again: it goes on`);
      }
      await pause(PAUSE_MS * 2 ** (tried - 1));
    }
  };
}

function ask(origin: string, secret: Secret, body: string): Promise<Response> {
  return fetch(new URL(RESTORE_PATH, origin), {
    method: "POST",
    redirect: "error",
    headers: {
      "Content-Type": "application/json",
      [RESTORE_HEADER]: signCall(secret, body, Date.now()),
    },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
