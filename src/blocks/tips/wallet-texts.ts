import type { Locale } from "../../views/locale.ts";

interface WalletTexts {
  wallet: string;
  points: string;
  pending: string;
  lifetime: string;
  no_points: string;
  without_points: string;
  sent: string;
  none_sent: string;
  none_sent_why: string;
  to: string;
  gone_page: string;
}

export const WALLET_TEXTS: Readonly<Record<Locale, WalletTexts>> = {
  ar: {
    wallet: "المحفظة",
    points: "نقاطك الآن",
    pending: "نقاط لم تؤكَّد بعد",
    lifetime: "كل ما كسبته من نقاط",
    no_points: "تعذّر أن نعرف رصيدك الآن. حدّث الصفحة بعد لحظات.",
    without_points: "لا نقاط في هذه الخدمة بعد. يمنح مشغّلوها النقاط الأولى.",
    sent: "ما أرسلته",
    none_sent: "لم ترسل إكراميات بعد",
    none_sent_why: "حين ترسل نقاطًا إلى صاحب صفحة تعجبك، تجدها هنا.",
    to: "إلى",
    gone_page: "صفحة لم تعد موجودة",
  },
  en: {
    wallet: "Wallet",
    points: "Your points now",
    pending: "Points not confirmed yet",
    lifetime: "All points you have earned",
    no_points: "Your points cannot be shown right now. Reload the page in a moment.",
    without_points: "This service has no points yet. Its operators give the first ones.",
    sent: "What you have sent",
    none_sent: "You have not sent a tip yet",
    none_sent_why: "When you send points to the owner of a page you like, you find it here.",
    to: "to",
    gone_page: "a page that is gone",
  },
};
