/** Why a sign-in at an issuer failed. The issuer is not named: its page said who it is. */
import type { Locale } from "../views/locale.ts";

export type IssuerProblem =
  | "expired"
  | "cancelled"
  | "failed"
  | "refused"
  | "taken"
  | "known_email"
  | "no_account";

const TEXTS: Readonly<Record<IssuerProblem, Readonly<Record<Locale, string>>>> = {
  expired: {
    ar: "طال الانتظار، أو بدأ الدخول في نافذة أخرى. أعد المحاولة من هنا.",
    en: "That took too long, or the sign-in began in another window. Try again from here.",
  },
  cancelled: { ar: "لم يكتمل الدخول، فقد أُلغي هناك.", en: "The sign-in was cancelled there." },
  failed: {
    ar: "لم يكتمل الدخول: وصل ردّ لا يمكن قبوله. أعد المحاولة، أو اختر طريقة أخرى.",
    en: "The sign-in failed: the answer could not be accepted. Try again, or choose another way.",
  },
  refused: {
    ar: "تعذّر الدخول بهذا الحساب. جرّب طريقة أخرى.",
    en: "This account does not sign you in. Try another way.",
  },
  taken: {
    ar: "هذا الحساب مربوط بحساب آخر هنا. أزل الربط هناك أولًا.",
    en: "That account is connected to another account here. Disconnect it there first.",
  },
  known_email: {
    ar: "يوجد هنا حساب بعنوان البريد هذا. ادخل إليه بطريقة أخرى، ثم اربط الحسابين من صفحة حسابك.",
    en: "There is an account here with this email address. Sign in to it in another way, then connect the two on your account page.",
  },
  no_account: {
    ar: "لا حساب مربوط بهذا الحساب هنا. إن كان لك حساب فادخل إليه بطريقة أخرى واربطهما من صفحته؛ والحساب الجديد يحتاج إلى دعوة.",
    en: "No account here is connected to that one. If you have an account, sign in to it in another way and connect the two; a new one needs an invitation.",
  },
};

export function problemText(problem: string | undefined, locale: Locale): string | null {
  return problem !== undefined && Object.hasOwn(TEXTS, problem)
    ? TEXTS[problem as IssuerProblem][locale]
    : null;
}
