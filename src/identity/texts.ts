import type { Locale } from "../views/locale.ts";

interface PublicTexts {
  no_script: string;
  not_ready: string;
  what: string;
  what_it_is: string;
  name: string;
  name_hint: string;
  with: (issuer: string) => string;
  mail: { email: string; send: string; sent: string; code: string; again: string };
  sign_in: {
    title: string;
    lede: string;
    button: string;
    or: string;
    lost: string;
    new_here: string;
    make: string;
    by_invitation: string;
    closed: string;
  };
  setup: {
    title: string;
    lede: string;
    code: string;
    code_hint: string;
    button: string;
    done: string;
    done_lede: string;
    sign_in: string;
  };
  invite: { title: string; lede: string; code: string; code_hint: string; button: string };
  recover: {
    title: string;
    lede: string;
    code: string;
    code_hint: string;
    button: string;
    back: string;
    is_in: string;
    add_why: string;
    add: string;
    later: string;
  };
}

export const PUBLIC_TEXTS: Readonly<Record<Locale, PublicTexts>> = {
  ar: {
    no_script: "يحتاج الدخول إلى JavaScript. فعّلها في متصفحك ثم حدّث الصفحة.",
    not_ready: "لم تكتمل الصفحة بعد. إن طال الانتظار فحدّثها.",
    what: "ما مفتاح المرور؟",
    what_it_is:
      "مفتاح المرور يغني عن كلمة المرور. يحفظه هاتفك أو حاسوبك أو مدير كلمات المرور، وتؤكّد استخدامه ببصمتك أو وجهك أو رمز قفل الجهاز. لا يُنسى، ولا يعمل إلا في هذا الموقع، ولا تصل بصمتك إلى أحد.",
    name: "اسمك",
    name_hint: "يمكن تغييره لاحقًا.",
    with: (issuer) => `المتابعة بحساب \u2068${issuer}\u2069`,
    mail: {
      email: "البريد الإلكتروني",
      send: "المتابعة برمز في البريد",
      sent: "إن كان الدخول بهذا العنوان ممكنًا هنا، فسيصله رمز من ستة أرقام خلال دقيقة. تفقّد الرسائل غير المرغوبة أيضًا.",
      code: "الرمز",
      again: "إرسال رمز جديد",
    },
    sign_in: {
      title: "تسجيل الدخول",
      lede: "بلا كلمة مرور: تكفي بصمتك أو وجهك أو رمز قفل جهازك.",
      button: "المتابعة بمفتاح مرور",
      or: "أو",
      lost: "فقدت مفتاح المرور؟",
      new_here: "ليس لديك حساب؟",
      make: "إنشاء حساب بمفتاح مرور",
      by_invitation: "الحسابات الجديدة هنا بدعوة. اطلب رابط دعوة ممن يدير هذا الموقع.",
      closed: "لا تُفتح حسابات جديدة هنا الآن.",
    },
    setup: {
      title: "مرحبًا بك في صلة",
      lede: "هذا الموقع جديد ولا حساب فيه بعد. أنشئ حسابك، وبه تدير الموقع كله.",
      code: "رمز الإعداد",
      code_hint:
        "يظهر الرمز في آخر ما يكتبه الأمر \u2066npm run deploy\u2069 أو عند تشغيل الخادم. وإن ثبّتّ صلة بزر النشر فهو ما كتبته في خانة \u2066SILA_KEY\u2069.",
      button: "إنشاء حسابي بمفتاح مرور",
      done: "اكتمل الإعداد",
      done_lede:
        "أُنشئ الحساب الأول في هذا الموقع، ورمز الإعداد لا يعمل بعده. إن كان لك حساب هنا فسجّل الدخول.",
      sign_in: "تسجيل الدخول",
    },
    invite: {
      title: "وصلتك دعوة إلى صلة",
      lede: "صفحة واحدة لكل روابطك. لإنشاء حسابك يكفي اسمك ومفتاح مرور، بلا كلمة مرور.",
      code: "رابط الدعوة",
      code_hint: "ألصق الرابط الذي وصلك.",
      button: "إنشاء حسابي بمفتاح مرور",
    },
    recover: {
      title: "الدخول برمز استرداد",
      lede: "إن فقدت مفتاح المرور فاستخدم أحد رموز الاسترداد العشرة التي حفظتها. كل رمز يعمل مرة واحدة.",
      code: "رمز الاسترداد",
      code_hint: "لا رمز لديك؟ اطلب ممن يدير هذا الموقع رابطًا للدخول.",
      button: "الدخول بالرمز",
      back: "العودة إلى تسجيل الدخول",
      is_in: "تم الدخول إلى حسابك",
      add_why: "أضف مفتاح مرور على هذا الجهاز الآن، حتى لا تحتاج إلى رمز في المرة القادمة.",
      add: "إضافة مفتاح مرور",
      later: "لاحقًا، إلى حسابي",
    },
  },
  en: {
    no_script: "Signing in needs JavaScript. Switch it on in your browser and reload the page.",
    not_ready: "The page is not ready yet. If this takes long, reload it.",
    what: "What is a passkey?",
    what_it_is:
      "A passkey replaces your password. Your phone, computer or password manager keeps it, and you confirm it with your fingerprint, face or screen lock. You cannot forget it, it works on this site only, and your fingerprint never leaves your device.",
    name: "Your name",
    name_hint: "You can change it later.",
    with: (issuer) => `Continue with ${issuer}`,
    mail: {
      email: "Email",
      send: "Continue with a code by mail",
      sent: "If this address can sign in here, it gets a six-digit code within a minute. Look in your spam folder, too.",
      code: "Code",
      again: "Send a new code",
    },
    sign_in: {
      title: "Sign in",
      lede: "No password: your fingerprint, face or screen lock is enough.",
      button: "Continue with a passkey",
      or: "or",
      lost: "Lost your passkey?",
      new_here: "New here?",
      make: "Create an account with a passkey",
      by_invitation: "New accounts need an invitation. Ask whoever runs this site for a link.",
      closed: "New accounts are closed at the moment.",
    },
    setup: {
      title: "Welcome to Sila",
      lede: "This site is new and has no account yet. Create yours: it manages the whole site.",
      code: "Setup code",
      code_hint:
        "The code is at the end of what \u2066npm run deploy\u2069 prints, or what the server prints when it starts. If you used the Deploy button, it is what you typed as \u2066SILA_KEY\u2069.",
      button: "Create my account with a passkey",
      done: "Setup is complete",
      done_lede:
        "The first account of this site has been created, and the setup code no longer works. If you have an account here, sign in.",
      sign_in: "Sign in",
    },
    invite: {
      title: "You are invited to Sila",
      lede: "One page for all your links. Your name and a passkey are all you need, no password.",
      code: "Invitation link",
      code_hint: "Paste the link that you got.",
      button: "Create my account with a passkey",
    },
    recover: {
      title: "Sign in with a recovery code",
      lede: "If you have lost your passkey, use one of the ten recovery codes that you saved. Each works once.",
      code: "Recovery code",
      code_hint: "No code? Ask whoever runs this site for a sign-in link.",
      button: "Sign in with the code",
      back: "Back to sign-in",
      is_in: "You are signed in",
      add_why: "Add a passkey on this device now, so that you need no code next time.",
      add: "Add a passkey",
      later: "Later, go to my account",
    },
  },
};
