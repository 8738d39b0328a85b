import { ApiError } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { cardPhotoKey } from "../../pages/document/picture-keys.ts";

/**
 * A `data:` URL; large pictures as their small JPEG, which every model reads. Throws 404 for a
 * picture on no page of this user (docs/security.md S22), and 503 where D1 or R2 fails.
 */
export async function ownPicture(
  { DB, MEDIA }: Pick<Cloudflare.Env, "DB" | "MEDIA">,
  owner_id: string,
  key: string,
): Promise<string> {
  return callDependency("picture_failed", async () => {
    const { results } = await DB.prepare(
      `SELECT type FROM pictures JOIN pages USING (page_id)
       WHERE key = ?1 AND owner_id = ?2 AND uploaded_at IS NOT NULL AND unused_since IS NOT 0
         AND ends_at IS NULL`,
    )
      .bind(key, owner_id)
      .all<{ type: string }>();
    const [row] = results;
    if (row === undefined) return null;
    const photo = await MEDIA.get(cardPhotoKey(key));
    const stored = photo ?? (await MEDIA.get(key));
    if (stored === null) return null;
    const type = photo === null ? row.type : "image/jpeg";
    return `data:${type};base64,${(await stored.bytes()).toBase64()}`;
  }).then((picture) => {
    if (picture === null) throw new ApiError("NOT_FOUND");
    return picture;
  });
}
