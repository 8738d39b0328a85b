/** Files of creators, uploaded as the editor does, and pages that offer them. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { FILE_PART_BYTES } from "../../../src/blocks/files/limits.ts";
import type { creator, PageJson } from "../authoring/authoring-kit.ts";
import { type Call, call } from "../kit/kit.ts";

export type Creator = Awaited<ReturnType<typeof creator>>;

export interface FileJson {
  file_id: string;
  name: string;
  type: string;
  size: number;
  state: "uploading" | "ready";
  part_bytes: number;
  parts?: number[];
}

/** Bytes of which none repeats at a distance that a wrong range could hide. */
export function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) bytes[i] = i * 7 + (i >> 8) * 13;
  return bytes;
}

export async function begin(user: Creator, input: Record<string, unknown>): Promise<FileJson> {
  const response = await user.send("POST", "/api/me/files", { name: "كتاب.pdf", ...input });
  expect(response.status).toBe(201);
  return (await response.json<{ file: FileJson }>()).file;
}

export function putPart(
  user: Creator,
  file_id: string,
  n: number | string,
  body: BodyInit | null,
): Promise<Response> {
  const { headers } = user;
  return call(`/api/me/files/${file_id}/parts/${n}`, { method: "PUT", body, headers });
}

export function completeFile(user: Creator, file_id: string): Promise<Response> {
  return user.send("POST", `/api/me/files/${file_id}/complete`);
}

export async function upload(
  user: Creator,
  content: Uint8Array<ArrayBuffer>,
  input: Record<string, unknown> = {},
): Promise<FileJson> {
  const file = await begin(user, { size: content.length, ...input });
  for (let at = 0, n = 1; at < content.length; at += FILE_PART_BYTES, n += 1) {
    const sent = await putPart(user, file.file_id, n, content.slice(at, at + FILE_PART_BYTES));
    expect(await sent.json()).toEqual({ ok: true, n });
  }
  const completed = await completeFile(user, file.file_id);
  expect(completed.status).toBe(200);
  return (await completed.json<{ file: FileJson }>()).file;
}

export async function offer(
  user: Creator,
  file_id: string,
  block: Record<string, unknown> = {},
): Promise<{ page: PageJson; link_id: string; path: string }> {
  const page = await user.make({
    status: "published",
    links: [{ kind: "download", label: { ar: "الكتاب" }, block: { file_id, ...block } }],
  });
  const link_id = page.links[0]?.link_id ?? "";
  const path = `/api/download/${file_id}?page_id=${page.page_id}&link_id=${link_id}`;
  return { page, link_id, path };
}

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** A request of a person's browser. */
export function visit(path: string, { headers, ...init }: Call = {}): Promise<Response> {
  return call(path, { ...init, headers: { "User-Agent": BROWSER, ...headers } });
}

export async function follow(path: string, init: Call = {}): Promise<string> {
  const response = await visit(path, init);
  expect(response.status).toBe(302);
  return response.headers.get("Location") ?? "";
}

export function uses(page_id: string) {
  return env.DOWNLOADS.getByName(page_id);
}
