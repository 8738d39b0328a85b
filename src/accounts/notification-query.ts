import * as z from "zod/mini";
import { listLimit } from "../http/list-limit.ts";
import {
  NOTIFICATION_ID_CHARS_MAX,
  NOTIFICATIONS_PER_PAGE,
  NOTIFICATIONS_PER_PAGE_MAX,
} from "./limits.ts";
import type { Cursor } from "./notifications-store.ts";

const Id = z.string().check(z.regex(new RegExp(`^[A-Za-z0-9_-]{1,${NOTIFICATION_ID_CHARS_MAX}}$`)));

const CURSOR = new RegExp(`^(\\d{1,15})\\.([A-Za-z0-9_-]{1,${NOTIFICATION_ID_CHARS_MAX}})$`);

export const NotificationQuery = z.object({
  limit: listLimit(NOTIFICATIONS_PER_PAGE, NOTIFICATIONS_PER_PAGE_MAX),
  cursor: z.optional(
    z.pipe(
      z.string().check(z.regex(CURSOR, "a next_cursor of an answer")),
      z.transform((text): Cursor => {
        const [, created_at, id = ""] = CURSOR.exec(text) ?? [];
        return { created_at: Number(created_at), id };
      }),
    ),
  ),
  unread: z.pipe(
    z._default(z.enum(["0", "1", "false", "true"]), "false"),
    z.transform((value) => value === "1" || value === "true"),
  ),
});

export const ReadMarks = z.union([
  z.object({ ids: z.array(Id).check(z.minLength(1), z.maxLength(NOTIFICATIONS_PER_PAGE_MAX)) }),
  z.object({ all: z.literal(true) }),
]);

export function cursorAfter(last: Cursor | undefined): string | null {
  return last === undefined ? null : `${last.created_at}.${last.id}`;
}
