/** What a mail is, whoever sends it. */

export type MailLocale = "ar" | "en";

/** What `env.MAIL.send` takes. */
export interface ComposedMail {
  from: { email: string; name: string };
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}
