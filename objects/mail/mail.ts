export type MailLocale = "ar" | "en";

export interface ComposedMail {
  from: { email: string; name: string };
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}
