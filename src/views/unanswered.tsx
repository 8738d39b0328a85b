/**
 * Inside a form: what is known where its answer did not come. A script shows it then
 * (`src/client/unanswered.ts`). It holds whatever became of the request, because a network may give an answer
 * of its own in place of ours, and for forms alone of which a second press does nothing more.
 */
import type { Locale } from "./locale.ts";

const TEXT: Readonly<Record<Locale, string>> = {
  ar: "إن لم تظهر لك صفحة تجيبك، فلا نعلم هل وصل طلبك. إن كانت هذه الشبكة تطلب تسجيل الدخول إليها، فسجّل أولًا ثم اضغط مرة أخرى: لا يُنفَّذ الطلب مرتين.",
  en: "If no page has answered you, it is not known whether your request arrived. If this network wants you to sign in to it, do that first, then press again: nothing is done twice.",
};

export function Unanswered({ locale }: { locale: Locale }) {
  return (
    <p class="note" role="alert" data-unanswered hidden>
      {TEXT[locale]}
    </p>
  );
}
