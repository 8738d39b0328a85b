/** The creator's files, and the uploads of this tab, which go on in the background. */
import { useEffect, useState } from "hono/jsx/dom";
import type { Refusal } from "../../api.ts";
import { locale } from "../locale.ts";
import {
  type CallsApi,
  deleteFile,
  type FileList,
  listFiles,
  type StoredFile,
} from "./files-api.ts";
import { sendPart } from "./send-part.ts";
import { FileUpload } from "./upload.ts";

/** Keys end in a file's id; their values are the time of the last change of what is uploaded. */
const MARK = "sila-upload:";

export class Files {
  list: FileList | null = null;
  failure: Refusal | null = null;
  uploads: readonly FileUpload[] = [];
  readonly #api: CallsApi;
  #token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
  readonly #listeners = new Set<() => void>();

  constructor(api: CallsApi) {
    this.#api = api;
    window.addEventListener("beforeunload", (event) => {
      if (this.uploads.some(isOnItsWay)) event.preventDefault();
    });
  }

  async load(): Promise<void> {
    const answer = await listFiles(this.#api);
    this.failure = answer.ok ? null : answer;
    if (answer.ok) this.list = answer.body;
    this.#tell();
  }

  /** A file that is chosen again goes on. Resolves when the upload is ready, paused or failed. */
  async upload(file: File): Promise<StoredFile | null> {
    const is_same = (each: FileUpload) =>
      each.file.name === file.name &&
      each.file.size === file.size &&
      each.file.lastModified === file.lastModified;
    const known = this.uploads.find(is_same);
    if (known !== undefined) return isOnItsWay(known) ? null : this.resume(known);
    const upload = new FileUpload(file, {
      api: this.#api,
      token: { get: () => this.#token, renew: () => this.#renewToken() },
      locale,
      sendPart,
      wait,
      marks,
      changed: () => this.#tell(),
    });
    this.uploads = [upload, ...this.uploads];
    return this.resume(upload);
  }

  async resume(upload: FileUpload): Promise<StoredFile | null> {
    await upload.run();
    const is_ready = upload.state === "ready";
    if (is_ready) this.uploads = this.uploads.filter((each) => each !== upload);
    await this.load();
    return is_ready ? upload.stored : null;
  }

  async #renewToken(): Promise<boolean> {
    const who = await this.#api.who();
    this.#token = who?.csrf_token ?? this.#token;
    return who !== null;
  }

  /** Null, or the reason why the file is still there. */
  async remove(file_id: string): Promise<Refusal | null> {
    for (const upload of this.uploads) if (upload.stored?.file_id === file_id) this.drop(upload);
    const answer = await deleteFile(this.#api, file_id);
    await this.load();
    return answer.ok || answer.status === 404 ? null : answer;
  }

  /** Takes an upload off the list; what was sent of it stays until it is removed. */
  drop(upload: FileUpload): void {
    upload.pause();
    this.uploads = this.uploads.filter((each) => each !== upload);
    this.#tell();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function isOnItsWay({ state }: FileUpload): boolean {
  return state === "sending" || state === "waiting";
}

const stores = new WeakMap<CallsApi, Files>();

export function useFiles(api: CallsApi): Files {
  const [, setVersion] = useState(0);
  const files = stores.get(api) ?? new Files(api);
  stores.set(api, files);
  useEffect(() => {
    if (files.list === null) void files.load();
    return files.subscribe(() => setVersion((version) => version + 1));
  }, [files]);
  return files;
}

/** Also resolves when the network is back. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}

/** The name and the size have to do in a browser whose storage is switched off. */
const marks = {
  get: (file_id: string): string | null => {
    try {
      return localStorage.getItem(MARK + file_id);
    } catch {
      return null;
    }
  },
  set: (file_id: string, mark: string): void => {
    try {
      localStorage.setItem(MARK + file_id, mark);
    } catch {
      // See get().
    }
  },
};
