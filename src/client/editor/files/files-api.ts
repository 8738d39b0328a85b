/** The API's calls for files (docs/contract.md section 11). */
import { FILES_PATH } from "../../../http/endpoints.ts";
import type { Answer, Api } from "../../api.ts";

export type CallsApi = Pick<Api, "call" | "who">;

export interface StoredFile {
  file_id: string;
  name: string;
  type: string;
  /** Bytes. */
  size: number;
  state: "uploading" | "ready";
  created_at: string;
  /** Each part but the last has this size, and the last is shorter. */
  part_bytes: number;
}

/** Numbers of stored parts begin with 1. */
export interface UploadedFile extends StoredFile {
  parts: number[];
}

export interface FileList {
  files: StoredFile[];
  used_bytes: number;
  bytes_max: number;
}

const path = (file_id: string, rest = "") => `${FILES_PATH}/${file_id}${rest}`;

export const listFiles = (api: CallsApi): Promise<Answer<FileList>> => api.call(FILES_PATH);

export const beginUpload = (
  api: CallsApi,
  { name, type, size }: File,
): Promise<Answer<{ file: UploadedFile }>> =>
  api.call(FILES_PATH, { method: "POST", json: { name, type, size } });

export const progressOf = (
  api: CallsApi,
  file_id: string,
): Promise<Answer<{ file: UploadedFile }>> => api.call(path(file_id));

export const completeUpload = (api: CallsApi, file_id: string): Promise<Answer<unknown>> =>
  api.call(path(file_id, "/complete"), { method: "POST" });

export const deleteFile = (api: CallsApi, file_id: string): Promise<Answer<unknown>> =>
  api.call(path(file_id), { method: "DELETE" });

export const partPath = (file_id: string, n: number) => path(file_id, `/parts/${n}`);

/** Anyone with the link can download the file, even one for tips or subscriptions. */
export function signedLink(
  api: CallsApi,
  { page_id, link_id }: { page_id: string; link_id: string },
  { expires_in_s, uses_max }: { expires_in_s: number; uses_max: number | null },
): Promise<Answer<{ url: string; expires_at: string }>> {
  return api.call(`/api/me/pages/${page_id}/links/${link_id}/download-link`, {
    method: "POST",
    json: { expires_in_s, uses_max },
  });
}
