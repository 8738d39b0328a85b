/** The events of the hub's webhooks (docs/contract.md section 8). Unknown members are dropped. */
import * as z from "zod";
import { boundedText } from "../http/bounded-text.ts";
import { Id } from "../http/ids.ts";
import { NOTIFICATION_CHARS_MAX } from "../http/limits.ts";
import { parseLinkAddress } from "../pages/link-address.ts";
import { bilingual } from "../views/bilingual.ts";
import { plainText } from "../views/plain-text.ts";
import { UserId } from "./hub.ts";

const Words = boundedText(NOTIFICATION_CHARS_MAX).transform(plainText).pipe(z.string().min(1));

/** A web address, or a path of this site; stored as the URL parser spells it (docs/security.md S10). */
const Address = z.string().transform((raw, ctx) => {
  const url = raw.startsWith("/") ? pathOf(raw) : parseLinkAddress(raw);
  if (url !== null && /^(?:\/|https?:)/.test(url)) return url;
  ctx.addIssue({ code: "custom", message: "an http(s) address or a path of this site" });
  return z.NEVER;
});

const OfUser = z.object({ user_id: UserId });

const Notification = OfUser.extend({
  id: Id.meta(
    bilingual("A notification is stored once for each id.", "يُحفظ الإشعار مرة واحدة لكل معرّف."),
  ),
  text: Words,
  text_en: Words,
  url: Address.nullable()
    .default(null)
    .meta(
      bilingual("An http(s) address, or a path of this site.", "عنوان ويب، أو مسار في هذا الموقع."),
    ),
  /** Not before 1970: cursors of lists contain the time without a sign. */
  created_at: z.iso
    .datetime({ offset: true })
    .transform((time) => Date.parse(time))
    .pipe(z.int().nonnegative()),
});
export type HubNotification = z.output<typeof Notification>;

const AccountEvent = z.object({
  type: z.enum(["session.revoked", "user.updated", "user.deleted"]),
  data: OfUser.meta(bilingual("Whom the event is about.", "صاحب الحساب المقصود.")),
});

const PageEvent = z.object({
  type: z.enum(["page.suspended", "page.reinstated"]),
  data: OfUser.extend({ page_id: Id }).meta(
    bilingual("The page, and who owns it.", "الصفحة وصاحبها."),
  ),
});

export type PageEvent = z.output<typeof PageEvent>;

const NotificationEvent = z.object({
  type: z.literal("notification.created"),
  data: Notification.meta(bilingual("The notification.", "الإشعار.")),
});

/** The events that this service handles. */
export const HubEvent = z.discriminatedUnion("type", [AccountEvent, PageEvent, NotificationEvent]);
export type HubEvent = z.output<typeof HubEvent>;

/** Any event, also of a type that this version does not handle. */
export const AnyEvent = z.object({ type: z.string().max(100) });

const HANDLED: ReadonlySet<string> = new Set([
  ...AccountEvent.shape.type.options,
  ...PageEvent.shape.type.options,
  NotificationEvent.shape.type.value,
]);

/** Whether this service handles the type; other events are acknowledged only. */
export function isHandled({ type }: z.output<typeof AnyEvent>): boolean {
  return HANDLED.has(type);
}

function pathOf(raw: string): string | null {
  const base = "https://sila.invalid";
  const url = URL.parse(raw, base);
  // `//host` and `/\host` are addresses of another site.
  return url?.origin === base && !url.pathname.startsWith("//")
    ? url.pathname + url.search + url.hash
    : null;
}
