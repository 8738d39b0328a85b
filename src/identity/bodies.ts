import * as z from "zod/mini";
import { ReturnTo } from "../accounts/return-address.ts";
import { boundedText } from "../http/bounded-text.ts";
import { Email } from "../http/email-address.ts";
import { LocaleName } from "../pages/document/page-document.ts";
import { isVisible, plainText } from "../views/plain-text.ts";
import {
  CREDENTIAL_ID_CHARS_MAX,
  LINK_CODE_CHARS_MAX,
  MAIL_CODE_CHARS_MAX,
  PASSKEY_NAME_CHARS_MAX,
  SETUP_CODE_CHARS_MAX,
  USER_NAME_CHARS_MAX,
} from "./limits.ts";
import { WebAuthnAssertion, WebAuthnRegistration } from "./passkeys.ts";

function nameOf(chars_max: number) {
  return z.pipe(
    z.pipe(boundedText(chars_max), z.transform(plainText)),
    z.string().check(z.refine(isVisible, "a name")),
  );
}

const UserName = nameOf(USER_NAME_CHARS_MAX);
const PasskeyName = nameOf(PASSKEY_NAME_CHARS_MAX);

export const CredentialId = z
  .string()
  .check(z.regex(new RegExp(`^[A-Za-z0-9_-]{1,${CREDENTIAL_ID_CHARS_MAX}}$`)));

export const Invitation = z.optional(z.string().check(z.maxLength(LINK_CODE_CHARS_MAX)));

/** Without `return_to`, people continue to their dashboard. */
export const SignInBody = z.object({
  response: WebAuthnAssertion,
  return_to: z._default(ReturnTo, "/dashboard"),
});

export const SetupOptionsBody = z.object({
  code: z.string().check(z.maxLength(SETUP_CODE_CHARS_MAX)),
  name: UserName,
});
export const SetupBody = z.extend(SetupOptionsBody, {
  locale: LocaleName,
  response: WebAuthnRegistration,
});

export const SignUpOptionsBody = z.object({
  name: UserName,
  invitation: Invitation,
});
export const SignUpBody = z.extend(SignUpOptionsBody, {
  locale: LocaleName,
  response: WebAuthnRegistration,
});

export const RecoveryBody = z.object({ code: z.string().check(z.maxLength(LINK_CODE_CHARS_MAX)) });

export const AccountBody = z.object({
  name: z.optional(UserName),
  locale: z.optional(LocaleName),
});
export const NewPasskeyBody = z.object({
  response: WebAuthnRegistration,
  name: z.optional(PasskeyName),
});
export const PasskeyBody = z.object({ name: PasskeyName });

const OwnEmail = z.pipe(
  Email,
  z.transform((email) => email.toLowerCase()),
);
export const EmailBody = z.object({ email: OwnEmail });
export const ProofBody = z.object({
  ticket: z.string().check(z.regex(/^[\w-]{43}$/)),
  /** Spaces are removed, as people type them. */
  code: z.pipe(
    z.string().check(z.maxLength(MAIL_CODE_CHARS_MAX)),
    z.transform((typed) => typed.replace(/[\s-]/g, "")),
  ),
});
export type Proof = z.output<typeof ProofBody>;
export const MailCodeBody = z.extend(EmailBody, { locale: LocaleName, invitation: Invitation });
export const MailCodeEntryBody = z.extend(ProofBody, {
  return_to: z._default(ReturnTo, "/dashboard"),
  locale: LocaleName,
  invitation: Invitation,
  name: z.optional(UserName),
});

export const IssuerBody = z.object({
  return_to: z._default(ReturnTo, "/dashboard"),
  locale: LocaleName,
  invitation: Invitation,
});
export const OwnIssuerBody = z.object({ issuer: z.string(), locale: LocaleName });
