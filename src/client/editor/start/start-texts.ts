export const START_TEXTS =
  LOCALE === "ar"
    ? {
        steps: { links: "أضف روابطك", look: "اختر مظهر صفحتك" },
        of: (step: string, all: string) => `الخطوة ${step} من ${all}`,
        next: "التالي: المظهر",
        back: "رجوع",
        publish: "انشر صفحتي",
        later: "أكمل لاحقًا في المحرّر",
        published: "صفحتك منشورة. شارك عنوانها.",
      }
    : {
        steps: { links: "Add your links", look: "Choose how your page looks" },
        of: (step: string, all: string) => `Step ${step} of ${all}`,
        next: "Next: look",
        back: "Back",
        publish: "Publish my page",
        later: "Finish later in the editor",
        published: "Your page is published. Share its address.",
      };
