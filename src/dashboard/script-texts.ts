import type { Locale } from "../views/locale.ts";
import type { Forms } from "../views/numbers.ts";

interface FrameScriptTexts {
  signing_out: string;
  sign_out_failed: string;
  undoing: string;
  undo_failed: string;
  undo_too_late: string;
  undo_no_room: string;
  all_read: string;
  not_read: string;
}

export const FRAME_SCRIPT_TEXTS: Readonly<Record<Locale, FrameScriptTexts>> = {
  ar: {
    signing_out: "جارٍ الخروج…",
    sign_out_failed: "تعذّر الخروج، أعد المحاولة",
    undoing: "جارٍ التراجع…",
    undo_failed: "تعذّر التراجع، أعد المحاولة",
    undo_too_late: "فات وقت التراجع",
    undo_no_room: "لا تتسع باقتك لها الآن",
    all_read: "كل الإشعارات مقروءة.",
    not_read: "تعذّر ذلك، أعد المحاولة",
  },
  en: {
    signing_out: "Signing out…",
    sign_out_failed: "Could not sign out, try again",
    undoing: "Undoing…",
    undo_failed: "Could not undo, try again",
    undo_too_late: "It is too late to undo",
    undo_no_room: "Your plan has no room for it now",
    all_read: "All notifications are read.",
    not_read: "That did not work, try again",
  },
};

export const UNREAD: Readonly<Record<Locale, Forms>> = {
  ar: {
    one: "إشعار جديد واحد",
    two: "إشعاران جديدان",
    few: "# إشعارات جديدة",
    many: "# إشعارًا جديدًا",
    other: "# إشعار جديد",
  },
  en: { one: "# new notification", other: "# new notifications" },
};
