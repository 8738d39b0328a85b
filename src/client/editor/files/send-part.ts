/** Sends a part of a file with progress: `fetch` does not say how much of a body has left. */
import { API_VERSION_HEADER, CSRF_HEADER } from "../../../http/endpoints.ts";
import { ownAnswer, retryAfter } from "../../own-answer.ts";

/** A part that moves no byte for so long is lost: a phone may have changed its network. */
const SILENCE_MS = 30_000;

export interface PartAnswer {
  /** 0 without an answer of the service. */
  status: number;
  code: string;
  message: { ar: string; en: string };
  retry_after_s: number | null;
}

export type SendPart = (
  path: string,
  part: Blob,
  options: { csrf_token: string; signal: AbortSignal; onProgress: (bytes: number) => void },
) => Promise<PartAnswer>;

/** Never rejects. */
export const sendPart: SendPart = (path, part, { csrf_token, signal, onProgress }) =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    let timer = setTimeout(stop, SILENCE_MS);
    const lives = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS);
    };
    request.upload.addEventListener("progress", ({ loaded }) => {
      lives();
      onProgress(loaded);
    });
    request.addEventListener("loadend", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve(answerOf(request));
    });
    signal.addEventListener("abort", stop);
    request.open("PUT", path);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader(CSRF_HEADER, csrf_token);
    if (signal.aborted) stop();
    else request.send(part);
  });

function answerOf(request: XMLHttpRequest): PartAnswer {
  const headers = new Headers();
  for (const name of [API_VERSION_HEADER, "Retry-After"]) {
    headers.set(name, request.getResponseHeader(name) ?? "");
  }
  const answer = ownAnswer(request.status, headers, request.responseText);
  const { status = 0 } = answer ?? {};
  const {
    code = "",
    error: ar = "",
    message_en: en = "",
  } = answer?.ok === false ? answer.body : {};
  return { status, code, message: { ar, en }, retry_after_s: retryAfter(headers) };
}
