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

/** The calls of the service at this address. `say` tells of tries that failed. */
export function callService(origin: string, secret: Secret, say: (line: string) => void): Call {
  return async (call) => {
    const body = JSON.stringify(call);
    for (let tried = 1; ; tried += 1) {
      const answer = await ask(origin, secret, body).catch((error: Error) => error);
      if (!(answer instanceof Error)) {
        if (answer.ok) return readAnswer(origin, answer);
        const { details, message_en } = (await answer.json().catch(() => ({}))) as Refusal;
        if (answer.status === 404) {
          throw new RestoreRefused(
            `${origin} does not know this BACKUP_KEY, or makes no backups: check the key, the address and both clocks`,
          );
        }
        if (answer.status < 500 && answer.status !== 429) {
          throw new RestoreRefused(details?.reason ?? message_en ?? `HTTP ${answer.status}`);
        }
      }
      const why = answer instanceof Error ? whyFailed(answer) : `HTTP ${answer.status}`;
      if (tried === TRIES) {
        throw new Error(
          `${origin} did not do the step "${call.step}" (${why}). Is it running? Then run the same command again: it goes on.`,
        );
      }
      say(`no answer from ${origin} (${why}); try ${tried + 1} of ${TRIES}`);
      await pause(PAUSE_MS * 2 ** (tried - 1));
    }
  };
}

async function readAnswer(origin: string, answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    throw new RestoreRefused(`what answers at ${origin} is not this service`);
  }
}

/** The cause of fetch's "fetch failed": `ECONNREFUSED`, or its message. */
function whyFailed(error: Error): string {
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
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
