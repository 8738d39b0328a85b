/**
 * The mailbox that gets the mails to an address. Only a limit on mails may depend on it: two
 * mailboxes that are taken for one share a limit, and each address stays a subscriber of its own.
 */

/** Both are one provider, which ignores dots in the part before the `@`. */
const DOTS_IGNORED = /@(?:gmail|googlemail)\.com$/;

/** The address is one that `src/http/email-address.ts` answers, with a domain in ASCII. */
export function mailboxOf(email: string): string {
  const address = email.toLowerCase().replace(/\+.*@/, "@");
  const [local = ""] = address.split("@");
  return DOTS_IGNORED.test(address) ? `${local.replaceAll(".", "")}@gmail.com` : address;
}
