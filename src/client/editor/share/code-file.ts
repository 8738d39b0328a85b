/** Apps that take no SVG need another picture of the code. */

/** Sharp on paper at 8 cm and 300 dots per inch. */
const SIDE_PX_MIN = 1_024;

/** A whole multiple of the picture's size; null if it is not loaded. */
export async function pngOf(picture: HTMLImageElement): Promise<Blob | null> {
  const { naturalWidth: own } = picture;
  if (!picture.complete || own === 0) return null;
  const side = own * Math.ceil(SIDE_PX_MIN / own);
  const canvas = document.createElement("canvas");
  canvas.width = side;
  canvas.height = side;
  canvas.getContext("2d")?.drawImage(picture, 0, 0, side, side);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
