import type { Locale } from "../views/locale.ts";

interface NotificationsTexts {
  title: string;
  fresh: string;
  read_all: string;
  none: string;
  none_why: string;
}

export const NOTIFICATIONS_TEXTS: Readonly<Record<Locale, NotificationsTexts>> = {
  ar: {
    title: "الإشعارات",
    fresh: "جديد",
    read_all: "تعليم الكل كمقروء",
    none: "لا إشعارات بعد",
    none_why: "حين تبلغ إحدى صفحاتك عددًا بارزًا من المشاهدات أو النقرات، تعرف ذلك هنا.",
  },
  en: {
    title: "Notifications",
    fresh: "New",
    read_all: "Mark all as read",
    none: "No notifications yet",
    none_why:
      "When one of your pages reaches a round number of views or clicks, you learn it here.",
  },
};
