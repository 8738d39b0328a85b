import { DOWNLOAD_PATH } from "../../http/endpoints.ts";

export function downloadAddress(
  url: string,
  file_id: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const address = new URL(`${DOWNLOAD_PATH}/${file_id}`, url);
  address.search = new URLSearchParams(parameters).toString();
  return address.href;
}
