/** Answers of the account hub (docs/contract.md section 8). */
import * as z from "zod/mini";
import { LocaleName } from "../pages/document/page-document.ts";
import { plainText } from "../views/plain-text.ts";

export const UserId = z.string().check(z.regex(/^[\x21-\x7e]{1,128}$/));

export const User = z.object({
  id: UserId,
  // The hub allows any characters in a name.
  name: z.string().check(z.maxLength(200), z.overwrite(plainText)),
  email: z.string().check(z.maxLength(320)),
  plan: z.enum(["free", "pro", "business"]),
  locale: LocaleName,
});
export type User = z.infer<typeof User>;

const HubTime = z.iso.datetime({ offset: true });

export const HubSession = z.object({
  // Only accounts in the box have operators of their own: an outside hub names none.
  user: z.extend(User, { is_operator: z._default(z.boolean(), false) }),
  expires_at: HubTime,
});

/** Spendable points, unconfirmed ones, and all ever earned. */
export const Wallet = z.object({
  points: z.int().check(z.nonnegative()),
  pending: z.int().check(z.nonnegative()),
  lifetime: z.int().check(z.nonnegative()),
  updated_at: HubTime,
});
export type Wallet = z.infer<typeof Wallet>;
