export const START_TEXTS =
  LOCALE === "ar"
    ? {
        steps: { photo: "إضافة صورتك", links: "إضافة روابطك", look: "اختيار مظهر صفحتك" },
        of: (step: string, all: string) => `الخطوة ${step} من ${all}`,
        next: { photo: "التالي: الروابط", links: "التالي: المظهر", look: "نشر صفحتي" },
        photo: {
          hint: "يعرفك بها زوارك. ويمكنك إضافتها لاحقًا.",
          sending: "جارٍ رفع الصورة…",
          camera: "التقاط صورة",
          choose: "اختيار صورة",
          crop: "ضبط القصّ",
          skip: "التخطي إلى الروابط",
        },
        back: "رجوع",
        later: "الإكمال لاحقًا في المحرّر",
        published: "صفحتك منشورة. شارك رابطها.",
      }
    : {
        steps: {
          photo: "Add your photo",
          links: "Add your links",
          look: "Choose how your page looks",
        },
        of: (step: string, all: string) => `Step ${step} of ${all}`,
        next: { photo: "Next: links", links: "Next: look", look: "Publish my page" },
        photo: {
          hint: "Your visitors know you by it. You can add it later.",
          sending: "Uploading the picture…",
          camera: "Take a photo",
          choose: "Choose a photo",
          crop: "Adjust the crop",
          skip: "Skip to links",
        },
        back: "Back",
        later: "Finish later in the editor",
        published: "Your page is live. Share its link.",
      };
