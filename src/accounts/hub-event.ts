/** Events of the hub's webhooks (docs/contract.md section 8). Unknown members are dropped. */
import * as z from "zod/mini";
import { boundedText } from "../http/bounded-text.ts";
import { Id } from "../http/ids.ts";
import { parseLinkAddress } from "../pages/document/link-address.ts";
import { plainText } from "../views/plain-text.ts";
import { UserId } from "./hub-answers.ts";
import { NOTIFICATION_CHARS_MAX } from "./limits.ts";

const Words = z.pipe(
  z.pipe(boundedText(NOTIFICATION_CHARS_MAX), z.transform(plainText)),
  z.string().check(z.minLength(1)),
);

/** A web address, or a path of this site; stored as the URL parser spells it (docs/security.md S10). */
const Address = z.pipe(
  z.string(),
  z.transform((raw, ctx) => {
    const url = raw.startsWith("/") ? pathOf(raw) : parseLinkAddress(raw);
    if (url !== null && /^(?:\/|https?:)/.test(url)) return url;
    const message = "an http(s) address or a path of this site";
    ctx.issues.push({ code: "custom", message, input: raw });
    return z.NEVER;
  }),
);

const OfUser = z.object({ user_id: UserId });

const Notification = z.extend(OfUser, {
  id: Id,
  text: Words,
  text_en: Words,
  url: z._default(z.nullable(Address), null),
  /** Not before 1970: cursors of lists contain the time without a sign. */
  created_at: z.pipe(
    z.pipe(
      z.iso.datetime({ offset: true }),
      z.transform((time) => Date.parse(time)),
    ),
    z.int().check(z.nonnegative()),
  ),
});
export type HubNotification = z.output<typeof Notification>;

const AccountEvent = z.object({
  type: z.enum(["session.revoked", "user.updated", "user.deleted"]),
  data: OfUser,
});

const PageEvent = z.object({
  type: z.enum(["page.suspended", "page.reinstated"]),
  data: z.extend(OfUser, { page_id: Id }),
});

export type PageEvent = z.output<typeof PageEvent>;

const NotificationEvent = z.object({
  type: z.literal("notification.created"),
  data: Notification,
});

export const HubEvent = z.discriminatedUnion("type", [AccountEvent, PageEvent, NotificationEvent]);
export type HubEvent = z.output<typeof HubEvent>;

export const AnyEvent = z.object({ type: z.string().check(z.maxLength(100)) });

const HANDLED: ReadonlySet<string> = new Set([
  ...AccountEvent.shape.type.options,
  ...PageEvent.shape.type.options,
  ...NotificationEvent.shape.type.def.values,
]);

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
