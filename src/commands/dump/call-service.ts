/** The service takes calls of a dump that BACKUP_KEY signs. */
import { setTimeout as pause } from "node:timers/promises";
import type { Secret } from "../../http/secret.ts";
import {
  CALL_HEADER,
  DUMP_PATH,
  SIGNATURE_HEADER,
  signCall,
} from "../../operate/dump/dump-call.ts";
import type { DumpCall } from "../../operate/dump/dump-steps.ts";

/** The tries of a call that fails or whose answer is lost, and the pause before the second. */
const TRIES = 6;
const PAUSE_MS = 1_000;
/** An object of 60 MB comes in one answer. */
const TIMEOUT_MS = 300_000;

/** Stops the command: another try would fail again. */
export class Refused extends Error {
  override readonly name = "Refused";
}

export type Call = <T>(
  call: DumpCall,
  body: Uint8Array | string | null,
  read: (answer: Response) => Promise<T>,
) => Promise<T>;

/** `read` is a part of each try, for answers that break off; `say` tells of failed tries. */
export function callService(origin: string, secret: Secret, say: (line: string) => void): Call {
  return async (call, body, read) => {
    for (let tried = 1; ; tried += 1) {
      let why: string;
      try {
        const answer = await ask(origin, secret, call, body);
        if (answer.ok) return await read(answer);
        why = `HTTP ${answer.status}`;
        if (answer.status < 500 && answer.status !== 429) throw await refusal(origin, answer);
        await answer.body?.cancel();
      } catch (error) {
        if (error instanceof Refused) throw error;
        why = whyFailed(error);
      }
      if (tried === TRIES) {
        throw new Error(
          `${origin} did not do the step "${call.do}" (${why}). Is it running? Then run the same command again: it goes on.`,
        );
      }
      say(`no answer from ${origin} (${why}); try ${tried + 1} of ${TRIES}`);
      await pause(PAUSE_MS * 2 ** (tried - 1));
    }
  };
}

async function refusal(origin: string, answer: Response): Promise<Refused> {
  if (answer.status === 404) {
    return new Refused(
      `${origin} does not know this BACKUP_KEY: check the key, the address and both clocks`,
    );
  }
  const { details, message_en } = (await answer.json().catch(() => ({}))) as {
    details?: { issues?: { message: string }[] };
    message_en?: string;
  };
  return new Refused(details?.issues?.[0]?.message ?? message_en ?? `HTTP ${answer.status}`);
}

function whyFailed(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}

function ask(
  origin: string,
  secret: Secret,
  call: DumpCall,
  body: Uint8Array | string | null,
): Promise<Response> {
  // A header has ASCII only.
  const asked = JSON.stringify(call).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const address = new URL(DUMP_PATH, origin);
  const signature = signCall(secret, address.host, asked, Date.now());
  return fetch(address, {
    method: "POST",
    redirect: "error",
    headers: { [CALL_HEADER]: asked, [SIGNATURE_HEADER]: signature },
    body: body as BodyInit | null,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
