/** The clients of the blocks: each sends one tip, download, sign-up or request for suggestions. */
import { createHash } from "node:crypto";
import type { Serving } from "../../server/serving.ts";
import { type Answer, type Asker, type Asking, jsonOf, Stuck } from "./asker.ts";
import { BLOCKS_FILE, BLOCKS_PAGE, DOWNLOAD, JAR, VISITORS, type Visitor } from "./blocks-page.ts";
import type { Notes } from "./notes.ts";

export type Session = Record<string, string>;

export interface Scene {
  asker: Asker;
  serving: Serving;
  sessions: ReadonlyMap<Visitor, Session>;
  notes: Notes;
}

/** Points of a tip: the first visitor's 40 are used up by the ninth. */
const POINTS: Record<Visitor, number> = { "demo-free": 5, "demo-business": 2 };
/** Of the sign-ups, one in so many is never confirmed. */
const UNCONFIRMED_EVERY = 4;
/** Of the requests for suggestions, one in so many is of the visitor with the great quota. */
const GREAT_QUOTA_EVERY = 3;
const MAIL_POLL_MS = 300;
const CONFIRM = /\/newsletter\/confirm\?token=(\S+)/;

/** Repeated with the same key until it is known whether the tip was sent. */
export async function tip(n: number, { asker, sessions, notes }: Scene): Promise<void> {
  const user = VISITORS[n % VISITORS.length] ?? VISITORS[0];
  const key = `tip-${n}`;
  const note = { user, points: POINTS[user], outcome: null, id: null };
  notes.tips.set(key, note);
  const body = JSON.stringify({
    ...{ page_id: BLOCKS_PAGE, link_id: JAR, points: note.points, message: key },
  });
  const headers = { ...sessions.get(user), "Idempotency-Key": key };
  const by: Asking = { kind: "tips", n };
  const answer = await asker.ask(by, "/api/tip", { method: "POST", headers, body }, [201, 402]);
  const isSent = answer.status === 201;
  const id = isSent ? jsonOf<{ tip: { id: string } }>(answer).tip.id : null;
  notes.tips.set(key, { ...note, outcome: isSent ? "sent" : "refused", id });
}

/** One person: a token, and with it the whole file, or that it is used up. */
export async function download(n: number, { asker, notes }: Scene): Promise<void> {
  const by: Asking = { kind: "downloads", n };
  const { file_id, size } = BLOCKS_FILE;
  const first = `/api/download/${file_id}?page_id=${BLOCKS_PAGE}&link_id=${DOWNLOAD}`;
  const { location } = await asker.ask(by, first, {}, [302]);
  const { pathname, search, searchParams } = new URL(location ?? "", "http://router.example");
  const isWhole = ({ status, body }: Answer) => status === 410 || body.byteLength === size;
  const { status, body } = await asker.ask(by, pathname + search, {}, [200, 410], isWhole);
  if (status === 410) notes.used_up += 1;
  else {
    const hash = createHash("sha256").update(body).digest("hex");
    notes.files.set(searchParams.get("token") ?? "", hash);
  }
}

export async function signUp(n: number, { asker, serving, notes }: Scene): Promise<void> {
  const by: Asking = { kind: "newsletter", n };
  const email = `reader-${n}@example.com`;
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ page_id: BLOCKS_PAGE, email, locale: n % 2 === 0 ? "ar" : "en" });
  await asker.ask(by, "/api/newsletter", { method: "POST", headers, body }, [202]);
  notes.accepted.add(email);
  const begun_ms = performance.now();
  let token: string | undefined;
  while (token === undefined) {
    const { mails } = (await serving.call("control", "POST", "/mails", { to: email })) as {
      mails: { text: string }[];
    };
    token = mails.map(({ text }) => CONFIRM.exec(text)?.[1]).find((found) => found !== undefined);
    if (token !== undefined) break;
    // The judge says that this address got no mail.
    if (asker.isOver(begun_ms)) return;
    await asker.rest(MAIL_POLL_MS);
  }
  notes.mailed.add(email);
  if (n % UNCONFIRMED_EVERY === UNCONFIRMED_EVERY - 1) return;
  notes.confirming.add(email);
  await asker.ask(by, `/newsletter/confirm?token=${token}`, { method: "POST" }, [200]);
  notes.confirmed.add(email);
}

export async function suggest(n: number, { asker, sessions, notes }: Scene): Promise<void> {
  const user = VISITORS[n % GREAT_QUOTA_EVERY === GREAT_QUOTA_EVERY - 1 ? 1 : 0];
  const headers = { ...sessions.get(user) };
  const body = JSON.stringify({ locale: "en", about: "I paint harbours." });
  const by: Asking = { kind: "suggestions", n };
  const answer = await asker.ask(by, "/api/ai/bio", { method: "POST", headers, body }, [200, 429]);
  if (answer.status === 200) notes.suggested.set(user, (notes.suggested.get(user) ?? 0) + 1);
  else if (codeOf(answer) === "AI_QUOTA_EXCEEDED") notes.over_quota += 1;
  else throw new Error(`suggestions were refused with ${codeOf(answer)}`);
}

function codeOf(answer: Answer): string {
  return jsonOf<{ code: string }>(answer).code;
}

export async function noting(task: Promise<void>, { notes }: Scene): Promise<void> {
  try {
    await task;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof Stuck) notes.stuck.push(text);
    else notes.unexpected.push(text);
  }
}
