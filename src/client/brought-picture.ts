/** The picture of a brought page, from the first step to the step that uploads it. */

const STORED = "sila-brought-picture";

/** In base64, as the service answers it. */
export interface BroughtPicture {
  type: string;
  data: string;
}

/** Without the browser's storage, or room in it, the creator chooses a photo as others do. */
export function keepPicture(page_id: string, picture: BroughtPicture): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ page_id, ...picture }));
  } catch {
    // Nothing is half kept.
  }
}

/** Null where none was brought for this page. It is given once. */
export function takePicture(page_id: string): Blob | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORED) ?? "null");
    if (kept === null || kept.page_id !== page_id) return null;
    sessionStorage.removeItem(STORED);
    const bytes = Uint8Array.from(atob(kept.data), (byte) => byte.charCodeAt(0));
    return new Blob([bytes], { type: kept.type });
  } catch {
    return null;
  }
}
