/**
 * The mailbox that gets the mails to an address, for limits on mails. Only a limit may depend on it: two
 * mailboxes that are taken for one share a limit, and each address stays a subscriber of its own.
 */

/** Both are one provider, which delivers to one mailbox whatever dots are in the part before the `@`. */
const DOTS_IGNORED = /@(?:gmail|googlemail)\.com$/;

/** Of an address as `src/http/email-address.ts` answers it, with a domain in ASCII. */
export function mailboxOf(email: string): string {
  const address = email.toLowerCase().replace(/\+.*@/, "@");
  const [local = ""] = address.split("@");
  return DOTS_IGNORED.test(address) ? `${local.replaceAll(".", "")}@gmail.com` : address;
}
