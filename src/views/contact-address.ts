/** The one address behind a page's contact button. */
import { parseLinkAddress } from "../link-address.ts";
import type { Contact } from "../stores/pages.ts";

/** Digits as Arabic and Persian keyboards type them; the low four bits are the digit. */
const EASTERN_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;
/** What separates the digits of a written number and is not dialled. */
const NOT_DIALLED = /[^\d+*#,;]/g;

/** The first e-mail or else phone of a contact that makes a sound address, or null. */
export function contactAddress(contact: Contact): string | null {
  const mails = contact.emails.map((email) => {
    // Whole, so that a `?` in it cannot add headers of its own to the mail.
    return `mailto:${encodeURIComponent(email.trim().toWellFormed()).replace("%40", "@")}`;
  });
  const phones = contact.phones.map((phone) => {
    const digits = phone.replace(EASTERN_DIGIT, (c) => String(c.charCodeAt(0) & 15));
    return `tel:${digits.replace(NOT_DIALLED, "")}`;
  });
  for (const address of [...mails, ...phones]) {
    const parsed = parseLinkAddress(address);
    if (parsed !== null) return parsed;
  }
  return null;
}
