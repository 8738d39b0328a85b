import type { Answer, Api, Refusal } from "../../api.ts";
import type { Aspect, Crop } from "./crop.ts";
import { smallFile } from "./picture-file.ts";
import { PICTURE_TEXTS } from "./picture-texts.ts";

export interface Failure {
  message: string;
  /** The same picture may be sent again. */
  is_lost: boolean;
  is_signed_out: boolean;
}

type Upload = { picture: { key: string } };

/**
 * Makes a small file of the kept part and stores it. Gives the new picture's key, or why there is none.
 * The page's document does not name the key yet.
 *
 * @param options.onSize is told the bytes before they are sent
 */
export async function uploadPicture(
  to: { api: Pick<Api, "call">; page_id: string },
  { bitmap, crop, aspect }: { bitmap: ImageBitmap; crop: Crop; aspect: Aspect },
  options: { signal?: AbortSignal; onSize?: (bytes: number) => void } = {},
): Promise<string | Failure> {
  const { signal, onSize } = options;
  const file = await smallFile(bitmap, crop, aspect);
  if (file === null) return refusal(PICTURE_TEXTS.no_memory);
  if (signal?.aborted !== true) onSize?.(file.size);
  const answer: Answer<Upload> = await to.api.call(`/api/me/pages/${to.page_id}/pictures`, {
    method: "PUT",
    body: file,
    ...(signal === undefined ? {} : { signal }),
  });
  return answer.ok ? answer.body.picture.key : failureOf(answer);
}

/** Another picture may do. */
export function refusal(message: string): Failure {
  return { message, is_lost: false, is_signed_out: false };
}

function failureOf({ status, code, message }: Refusal): Failure {
  const is_limited = status === 429 && code !== "DAY_LIMIT";
  return {
    message: status === 0 ? PICTURE_TEXTS.lost : message,
    is_lost: status === 0 || status === 401 || is_limited || status >= 500,
    is_signed_out: status === 401,
  };
}
