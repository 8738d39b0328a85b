/** Addresses of downloads. */
import { DOWNLOAD_PATH } from "../../http/endpoints.ts";

/** The absolute address of a file, with these parameters. */
export function downloadAddress(
  url: string,
  file_id: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const address = new URL(`${DOWNLOAD_PATH}/${file_id}`, url);
  address.search = new URLSearchParams(parameters).toString();
  return address.href;
}
