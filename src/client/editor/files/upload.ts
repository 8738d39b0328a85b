/**
 * The upload of one file, part by part. What was sent stays at the service for a day, so an upload
 * that was paused, lost its network or its tab goes on with the parts that are missing: the same
 * file chosen again is the same upload.
 */
import type { Locale } from "../../../views/locale.ts";
import {
  beginUpload,
  type CallsApi,
  completeUpload,
  deleteFile,
  listFiles,
  partPath,
  progressOf,
  type StoredFile,
  type UploadedFile,
} from "./files-api.ts";
import type { SendPart } from "./send-part.ts";

const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 30_000;

export type UploadState = "sending" | "waiting" | "paused" | "failed" | "ready";

export interface UploadPorts {
  api: CallsApi;
  /** The session's token; `renew` returns whether there is one. */
  token: { get: () => string; renew: () => Promise<boolean> };
  locale: Locale;
  sendPart: SendPart;
  /** Resolves early when the network is back or the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Tells a file from another one of its name and size, by `file_id`; kept on this device. */
  marks: { get: (file_id: string) => string | null; set: (file_id: string, mark: string) => void };
  changed: () => void;
}

interface Failure {
  status: number;
  code: string;
  message: string;
  retry_after_s: number | null;
}

export class FileUpload {
  readonly file: File;
  state: UploadState = "sending";
  failure: Failure | null = null;
  stored: StoredFile | null = null;
  /** Includes the bytes of the part on its way that have left. */
  sent = 0;
  readonly #ports: UploadPorts;
  #is_begun = false;
  #stopped = new AbortController();

  constructor(file: File, ports: UploadPorts) {
    this.file = file;
    this.#ports = ports;
  }

  async run(): Promise<void> {
    this.#stopped = new AbortController();
    const { signal } = this.#stopped;
    let is_anew = false;
    for (let retry_ms = RETRY_FIRST_MS; ; retry_ms = Math.min(2 * retry_ms, RETRY_LONGEST_MS)) {
      this.#set("sending");
      const before = this.sent;
      const failure = await this.#attempt(signal);
      if (signal.aborted) return;
      this.failure = failure;
      if (failure === null) return this.#set("ready");
      if (failure.status === 404 && this.stored !== null && !is_anew) {
        // The service lost its beginning, or another tab deleted it.
        is_anew = true;
        await deleteFile(this.#ports.api, this.stored.file_id);
        this.stored = null;
      } else if (!isTemporary(failure) && !this.#isOfPart(failure)) {
        return this.#set("failed");
      }
      if (this.sent > before) retry_ms = RETRY_FIRST_MS;
      this.#set("waiting");
      await this.#ports.wait(Math.max(retry_ms, (failure.retry_after_s ?? 0) * 1_000), signal);
      if (signal.aborted) return;
    }
  }

  pause(): void {
    this.#stopped.abort();
    this.#set("paused");
  }

  #set(state: UploadState): void {
    this.state = state;
    this.#ports.changed();
  }

  /** The part did not arrive in time, or the service asks for it again. */
  #isOfPart({ status }: Failure): boolean {
    return status === 400 && this.stored !== null;
  }

  async #attempt(signal: AbortSignal): Promise<Failure | null> {
    const { api } = this.#ports;
    const found = await this.#find();
    if ("code" in found) return found;
    this.stored = found;
    const { file_id, part_bytes } = found;
    if (found.state === "ready") return null;
    const stored = new Set(found.parts);
    const count = Math.ceil(this.file.size / part_bytes);
    const partAt = (n: number) => this.file.slice((n - 1) * part_bytes, n * part_bytes);
    this.sent = [...stored].reduce((sum, n) => sum + partAt(n).size, 0);
    for (let n = 1; n <= count; n += 1) {
      if (stored.has(n)) continue;
      const failure = await this.#send(partPath(file_id, n), partAt(n), signal);
      if (signal.aborted) return null;
      if (failure !== null) return failure;
    }
    const done = await completeUpload(api, file_id);
    return done.ok ? null : done;
  }

  async #find(): Promise<UploadedFile | Failure> {
    const { api, marks } = this.#ports;
    const { name, size } = this.file;
    const mark = [name, size, this.file.lastModified].join("/");
    if (this.stored === null) {
      // An answer that was lost, or a tab that was closed, leaves an upload behind.
      const list = await listFiles(api);
      if (!list.ok) return list;
      const [begun, ...more] = list.body.files.filter((file) => {
        const known = marks.get(file.file_id);
        const is_same = known === null ? file.name === name && file.size === size : known === mark;
        return file.state === "uploading" && is_same;
      });
      // Browsers send a POST without an answer again by themselves.
      if (this.#is_begun) for (const { file_id } of more) await deleteFile(api, file_id);
      if (begun === undefined) {
        this.#is_begun = true;
        const made = await beginUpload(api, this.file);
        if (!made.ok) return made;
        marks.set(made.body.file.file_id, mark);
        return made.body.file;
      }
      this.stored = begun;
    }
    const answer = await progressOf(api, this.stored.file_id);
    return answer.ok ? answer.body.file : answer;
  }

  async #send(path: string, part: Blob, signal: AbortSignal): Promise<Failure | null> {
    const { token, sendPart, locale, changed } = this.#ports;
    const before = this.sent;
    const onProgress = (bytes: number) => {
      this.sent = before + Math.min(bytes, part.size);
      changed();
    };
    const send = () => sendPart(path, part, { csrf_token: token.get(), signal, onProgress });
    let answer = await send();
    // The token may be of a session that has ended meanwhile.
    if (answer.code === "CSRF_REQUIRED" && (await token.renew())) answer = await send();
    if (answer.status >= 200 && answer.status < 300) {
      this.sent = before + part.size;
      changed();
      return null;
    }
    this.sent = before;
    return { ...answer, message: answer.message[locale] };
  }
}

/** No answer, a limit of requests or a fault of the service: a later request may succeed. */
function isTemporary({ status }: Failure): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}
