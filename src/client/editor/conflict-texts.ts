export const CONFLICT_TEXTS =
  LOCALE === "ar"
    ? {
        title: "عُدّلت الصفحة في مكان آخر",
        why: "غُيّرت هذه الحقول هنا وفي نافذة أو جهاز آخر. اختر ما يبقى من كل حقل؛ وما سواها جُمع من المكانين. ما لا تختاره يبقى في «السجل» إن كان قد حُفظ.",
        mine: "ما كتبته هنا",
        theirs: "ما حُفظ في المكان الآخر",
        all_mine: "كل ما كتبته هنا",
        all_theirs: "كل ما في المكان الآخر",
        all: "اختيار للجميع",
        apply: "حفظ ما اخترت",
      }
    : {
        title: "The page was changed elsewhere",
        why: "These fields were changed here and in another window or on another device. Choose what stays of each; all other changes of both are kept. A saved version that you don’t pick stays in History.",
        mine: "Typed here",
        theirs: "Saved elsewhere",
        all_mine: "All typed here",
        all_theirs: "All saved elsewhere",
        all: "Choose for all",
        apply: "Save my choice",
      };
