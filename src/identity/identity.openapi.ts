/** Routes that exist only without an account hub (docs/contract.md section 8). */
import * as z from "zod";
import { User } from "../accounts/hub-answers.ts";
import type { ErrorCode } from "../http/api-error.ts";
import {
  CODE_PATH,
  ISSUER_PATH,
  MY_ACCOUNT_PATH,
  MY_EMAIL_PATH,
  MY_IDENTITIES_PATH,
  VERIFY_CODE_PATH,
  VERIFY_MY_EMAIL_PATH,
} from "../http/endpoints.ts";
import { Id } from "../http/ids.ts";
import { Ok, success } from "../openapi/answers.ts";
import { describe, described } from "../openapi/described.ts";
import { JsonObject, jsonBody, location, type Operation } from "../openapi/operation.ts";
import { BAD_BODY, json, LIMIT_HEADERS } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import {
  AccountBody,
  CredentialId,
  EmailBody,
  IssuerBody,
  MailCodeEntryBody,
  NewPasskeyBody,
  OwnIssuerBody,
  PasskeyBody,
  ProofBody,
  RecoveryBody,
  SetupBody,
  SetupOptionsBody,
  SignInBody,
  SignUpBody,
  SignUpOptionsBody,
} from "./bodies.ts";
import { RECOVERY_CODES } from "./limits.ts";

// WebAuthn level 3 describes the rest.
const CreationOptions = described(
  JsonObject,
  bilingual(
    "For `navigator.credentials.create`: WebAuthn’s PublicKeyCredentialCreationOptionsJSON. They can be answered once, within five minutes.",
    "لأجل `navigator.credentials.create`: ‏PublicKeyCredentialCreationOptionsJSON في WebAuthn. تُجاب مرة واحدة خلال خمس دقائق.",
  ),
);
const RequestOptions = described(
  JsonObject,
  bilingual(
    "For `navigator.credentials.get`: WebAuthn’s PublicKeyCredentialRequestOptionsJSON. They can be answered once, within five minutes.",
    "لأجل `navigator.credentials.get`: ‏PublicKeyCredentialRequestOptionsJSON في WebAuthn. تُجاب مرة واحدة خلال خمس دقائق.",
  ),
);
const Registration = described(
  JsonObject,
  bilingual(
    "What the browser made: WebAuthn’s RegistrationResponseJSON.",
    "ما أنشأه المتصفح: ‏RegistrationResponseJSON في WebAuthn.",
  ),
);
const Assertion = described(
  JsonObject,
  bilingual(
    "What the browser answered: WebAuthn’s AuthenticationResponseJSON.",
    "ما أجاب به المتصفح: ‏AuthenticationResponseJSON في WebAuthn.",
  ),
);

describe(CredentialId, { id: "CredentialId" });
describe(User.shape.plan, { id: "Plan" });
describe(ProofBody.shape.ticket, { id: "MailTicket" });

function body(id: string, members: z.ZodRawShape) {
  return jsonBody(z.object(members).meta({ id }));
}

const Millis = z.int().nonnegative();

const SetupCode = described(
  SetupOptionsBody.shape.code,
  bilingual("The deployment’s setup code.", "رمز إعداد الخدمة."),
);
const Invitation = described(
  SignUpOptionsBody.shape.invitation,
  bilingual(
    "The code of an invitation. Not needed where anybody may sign up.",
    "رمز دعوة. لا يلزم إن كان التسجيل متاحًا للجميع.",
  ),
);
const PasskeyName = described(
  PasskeyBody.shape.name,
  bilingual("By which you know it again.", "الاسم الذي تعرفه به."),
);

const Email = described(
  EmailBody.shape.email,
  bilingual("To which the code goes.", "إليه يُرسل الرمز."),
);
const PROOF = {
  ticket: described(
    ProofBody.shape.ticket,
    bilingual("Of the request for the code.", "من جواب طلب الرمز."),
  ),
  code: described(
    ProofBody.shape.code,
    bilingual(
      "The six digits of the mail, with or without spaces.",
      "الأرقام الستة في الرسالة، مع المسافات أو من غيرها.",
    ),
  ),
};
const IssuerName = described(
  OwnIssuerBody.shape.issuer,
  bilingual(
    "`google`, `github`, or `oidc` for the one that the deployment names.",
    "أحد ثلاثة: `google` أو `github`، أو `oidc` لما تسمّيه إعدادات الخدمة.",
  ),
);

const NewUser = { name: SignUpBody.shape.name, locale: SignUpBody.shape.locale };

const Created = success("PasskeyToMake", { options: CreationOptions });
const Requested = success("PasskeyToUse", { options: RequestOptions });

const Account = success("Account", {
  user: z.object({
    name: User.shape.name,
    email: z.nullable(User.shape.email),
    locale: User.shape.locale,
    plan: User.shape.plan,
    ends_at: Millis.nullable().meta(
      bilingual(
        "Until when its deletion can be undone. Null where none was asked for.",
        "إلى متى يمكن التراجع عن حذف الحساب. يكون `null` إن لم يُطلب حذفه.",
      ),
    ),
  }),
  passkeys: z.array(
    z
      .object({
        id: CredentialId,
        name: z.string(),
        is_synced: z
          .boolean()
          .meta(
            bilingual(
              "Whether its provider keeps a copy, so that it outlives the device.",
              "هل لدى مزوّده نسخة منه تبقى بعد ضياع الجهاز.",
            ),
          ),
        created_at: Millis,
        used_at: Millis.nullable(),
      })
      .meta({ id: "Passkey" }),
  ),
  has_mail: z.boolean().meta(bilingual("Whether mails can be sent.", "هل يمكن إرسال بريد.")),
  issuers: z
    .array(
      z.object({ name: IssuerName, label: z.string(), address: z.url() }).meta({ id: "Issuer" }),
    )
    .meta(bilingual("By whose accounts people sign in here.", "من تصلح حساباتهم للدخول هنا.")),
  identities: z
    .array(
      z
        .object({
          id: z.string(),
          issuer: z.url(),
          name: z.string(),
          created_at: Millis,
          used_at: Millis.nullable(),
        })
        .meta({ id: "Identity" }),
    )
    .meta(bilingual("Your accounts there.", "حساباتك لديهم.")),
  sessions: z.array(
    z
      .object({
        id: z.string(),
        device: z.object({ browser: z.string(), system: z.string() }),
        place: z.object({ country: z.string(), city: z.string() }),
        created_at: Millis,
        used_at: Millis.meta(bilingual("To the day.", "باليوم.")),
        is_this: z
          .boolean()
          .meta(bilingual("Whether this request has it.", "هل هي جلسة هذا الطلب.")),
      })
      .meta({ id: "AccountSession" }),
  ),
  codes_left: z
    .int()
    .nonnegative()
    .meta(bilingual("Recovery codes not used yet.", "رموز الاسترداد التي لم تُستعمل.")),
});

const CodeSent = success("CodeSent", {
  ticket: z
    .string()
    .meta(bilingual("Without it the code is of no use.", "لا يفيد الرمز من دونها.")),
});
const IssuersPage = success("IssuersPage", {
  location: z.url().meta(bilingual("The issuer's page.", "صفحة المُصدر.")),
});
const SignedIn = success("SignedIn", {
  return_to: z
    .url()
    .meta(bilingual("Where to go now: `return_to`, absolute.", "إلى أين الآن: ‏`return_to` كاملًا.")),
});
const Deletion = success("AccountDeletion", {
  ends_at: Millis.meta(bilingual("Until when it can be undone.", "إلى متى يمكن التراجع.")),
});
const Added = success("PasskeyAdded", { id: CredentialId });
const Codes = success("RecoveryCodes", {
  codes: z
    .array(z.string())
    .length(RECOVERY_CODES)
    .meta(
      bilingual(
        "Each works once. They are not shown again.",
        "كل رمز يُستعمل مرة واحدة. لا تُعرض ثانية.",
      ),
    ),
});

/** `return_to` is missing where a new account lacks its name. */
const Entered = success("EnteredByCode", {
  return_to: SignedIn.shape.return_to.optional(),
  name_needed: z
    .literal(true)
    .optional()
    .meta(
      bilingual(
        "Nobody has the address: send the same with a `name` to make an account.",
        "لا حساب بهذا العنوان: أرسل الطلب نفسه ومعه `name` لإنشاء حساب.",
      ),
    ),
});

const PASSKEY = z.object({ id: CredentialId });
const SESSION = z.object({ id: Id });

type Words = Pick<Operation, "ar" | "en">;

function words(en: [string, string], ar: [string, string]): Words {
  return {
    en: { summary: en[0], description: en[1] },
    ar: { summary: ar[0], description: ar[1] },
  };
}

/** 404 with an account hub; 503 where the identity Worker or D1 fails. */
const ANY = ["RATE_LIMITED", "NOT_FOUND", "DEPENDENCY_DOWN"] as const;

function route(
  [method, path]: [Operation["method"], `/${string}`],
  id: string,
  { en, ar, ...more }: Words & Pick<Operation, "access" | "requestParams" | "requestBody">,
  responses: Operation["responses"],
  errors: readonly ErrorCode[] = [],
): Operation {
  const of_body = more.requestBody === undefined ? [] : BAD_BODY;
  const of_session = more.access === undefined ? [] : (["AUTH_REQUIRED"] as const);
  // A sign-in from another site's page is refused too.
  const of_change = method === "get" ? [] : (["CSRF_REQUIRED"] as const);
  return {
    ...{ method, path, id, tag: "own_accounts", en, ar, ...more, responses },
    errors: [...ANY, ...of_body, ...of_session, ...of_change, ...errors],
  };
}

const READING = { access: "session" } as const;
const CHANGING = { access: "session and token" } as const;

function entered(status: "200" | "201", description: string, schema: z.ZodType = Ok) {
  const Cookie = {
    ...bilingual("The session.", "الجلسة."),
    schema: { type: "string" },
    required: true,
  } as const;
  return { [status]: json(description, schema, { ...LIMIT_HEADERS, "Set-Cookie": Cookie }) };
}

const done = { "200": json("It is done.", Ok) };

export const IDENTITY: readonly Operation[] = [
  route(
    ["post", "/api/auth/passkey/options"],
    "getPasskeyToUse",
    words(
      ["Begin to sign in", "What the browser asks its passkeys. It names no account."],
      ["ابدأ الدخول", "ما يسأل عنه المتصفح مفاتيح المرور. لا يذكر أي حساب."],
    ),
    { "200": json("The options.", Requested) },
  ),
  route(
    ["post", "/api/auth/passkey"],
    "signInByPasskey",
    {
      ...words(
        [
          "Sign in with a passkey",
          "Sets the session’s cookie. Whatever is wrong with the passkey or its account has one answer.",
        ],
        ["ادخل بمفتاح مرور", "يضع ملف ارتباط الجلسة. لأي خطأ في المفتاح أو في حسابه جواب واحد."],
      ),
      requestBody: body("SignInInput", {
        response: Assertion,
        return_to: SignInBody.shape.return_to,
      }),
    },
    entered("200", "You are signed in.", SignedIn),
    ["SIGN_IN_REFUSED"],
  ),
  route(
    ["post", "/api/auth/setup/options"],
    "getOwnersPasskey",
    {
      ...words(
        [
          "Begin the first owner’s account",
          "For whoever has the setup code, as long as it was not used.",
        ],
        ["ابدأ إنشاء حساب المالك الأول", "لمن لديه رمز الإعداد ما لم يُستعمل."],
      ),
      requestBody: body("SetupOptionsInput", {
        code: SetupCode,
        name: SetupOptionsBody.shape.name,
      }),
    },
    { "200": json("The options.", Created) },
    ["SETUP_REFUSED"],
  ),
  route(
    ["post", "/api/auth/setup"],
    "setUpOwner",
    {
      ...words(
        [
          "Make the first owner’s account",
          "An operator with the plan `business`, signed in. The code never works again.",
        ],
        ["أنشئ حساب المالك الأول", "مشغّل باقته `business`، ويدخل فورًا. لا يصلح الرمز بعدها أبدًا."],
      ),
      requestBody: body("SetupInput", {
        code: SetupCode,
        name: SetupBody.shape.name,
        locale: SetupBody.shape.locale,
        response: Registration,
      }),
    },
    entered("201", "The account is made."),
    ["SIGN_IN_REFUSED", "SETUP_REFUSED"],
  ),
  route(
    ["post", "/api/auth/sign-up/options"],
    "getNewUsersPasskey",
    {
      ...words(
        ["Begin a new account", "With an invitation, or without one where anybody may sign up."],
        ["ابدأ إنشاء حساب", "بدعوة، أو من غيرها إن كان التسجيل متاحًا للجميع."],
      ),
      requestBody: body("SignUpOptionsInput", { name: NewUser.name, invitation: Invitation }),
    },
    { "200": json("The options.", Created) },
    ["INVITATION_REQUIRED"],
  ),
  route(
    ["post", "/api/auth/sign-up"],
    "signUp",
    {
      ...words(
        ["Make an account", "Signed in at once. An invitation is used up by it."],
        ["أنشئ حسابًا", "مع الدخول فورًا. تُستهلك به الدعوة."],
      ),
      requestBody: body("SignUpInput", {
        ...NewUser,
        invitation: Invitation,
        response: Registration,
      }),
    },
    entered("201", "The account is made."),
    ["SIGN_IN_REFUSED", "INVITATION_REQUIRED"],
  ),
  route(
    ["post", "/api/auth/recover"],
    "recoverAccount",
    {
      ...words(
        [
          "Get back in without a passkey",
          "By a recovery code, or the code of an operator’s link. Each works once.",
        ],
        [
          "عُد إلى حسابك بلا مفتاح مرور",
          "برمز استرداد، أو برمز رابط من المشغّل. كل منهما يُستعمل مرة واحدة.",
        ],
      ),
      requestBody: body("RecoveryInput", {
        code: described(
          RecoveryBody.shape.code,
          bilingual(
            "In any case, with or without dashes and spaces.",
            "بحروف كبيرة أو صغيرة، مع الشرطات والمسافات أو من غيرها.",
          ),
        ),
      }),
    },
    entered("200", "You are signed in."),
    ["SIGN_IN_REFUSED"],
  ),
  route(
    ["post", CODE_PATH],
    "mailCode",
    {
      ...words(
        [
          "Ask for a code by mail",
          "Six digits that work for ten minutes. The answer does not tell whether the address has an account. 404 where no mail can be sent.",
        ],
        [
          "اطلب رمزًا بالبريد",
          "ستة أرقام صالحة عشر دقائق. لا يكشف الجواب هل للعنوان حساب. الجواب 404 إن تعذّر إرسال البريد.",
        ],
      ),
      requestBody: body("MailCodeInput", {
        email: Email,
        locale: NewUser.locale,
        invitation: Invitation,
      }),
    },
    { "200": json("A code is mailed where the address may sign in or up.", CodeSent) },
  ),
  route(
    ["post", VERIFY_CODE_PATH],
    "signInByCode",
    {
      ...words(
        ["Sign in or up with a code by mail", "Five tries for each code."],
        ["ادخل أو أنشئ حسابًا برمز البريد", "خمس محاولات لكل رمز."],
      ),
      requestBody: body("SignInByCodeInput", {
        ...PROOF,
        locale: NewUser.locale,
        return_to: MailCodeEntryBody.shape.return_to,
        invitation: Invitation,
        name: described(
          MailCodeEntryBody.shape.name,
          bilingual("Of a new account.", "اسم صاحب الحساب الجديد."),
        ),
      }),
    },
    entered("200", "You are signed in, or a name is needed.", Entered),
    ["SIGN_IN_REFUSED", "INVITATION_REQUIRED"],
  ),
  route(
    ["post", `${ISSUER_PATH}/:name`],
    "goToIssuer",
    {
      ...words(
        [
          "Begin to sign in at an issuer",
          "OpenID Connect, or GitHub's OAuth. Sets a cookie of ten minutes, without which the issuer's answer is of no use.",
        ],
        [
          "ابدأ الدخول لدى مُصدر",
          "عبر OpenID Connect أو OAuth في GitHub. يضع ملف ارتباط لعشر دقائق لا يفيد جواب المُصدر من دونه.",
        ],
      ),
      requestParams: { path: z.object({ name: IssuerName }) },
      requestBody: body("IssuerInput", {
        locale: IssuerBody.shape.locale,
        return_to: IssuerBody.shape.return_to,
        invitation: Invitation,
      }),
    },
    { "200": json("The issuer's page.", IssuersPage) },
  ),
  route(
    ["get", `${ISSUER_PATH}/:name/callback`],
    "returnFromIssuer",
    {
      ...words(
        [
          "Where the issuer sends the browser",
          "Leads on, signed in, or to the page that it began on with `?problem=`. The issuer's subject alone says who it is, never an address.",
        ],
        [
          "إلى هنا يعيد المُصدر المتصفح",
          "يمضي بك وقد دخلت، أو إلى صفحة البداية مع `?problem=`. يُعرف صاحب الحساب بمعرّفه لدى المُصدر وحده، لا بعنوان بريده.",
        ],
      ),
      requestParams: {
        path: z.object({ name: IssuerName }),
        query: z.object({
          code: z.string().optional(),
          state: z.string().optional(),
          iss: z.string().optional(),
          error: z.string().optional(),
        }),
      },
    },
    {
      "302": {
        description: "Where the sign-in leads.",
        headers: { ...location("The next page.", "الصفحة التالية."), ...LIMIT_HEADERS },
      },
    },
  ),
  route(
    ["get", MY_ACCOUNT_PATH],
    "getAccount",
    {
      ...READING,
      ...words(
        ["Your account", "Ways to sign in, sessions, and how many recovery codes are left."],
        ["حسابك", "طرق الدخول والجلسات وعدد رموز الاسترداد الباقية."],
      ),
    },
    { "200": json("The account.", Account) },
  ),
  route(
    ["patch", MY_ACCOUNT_PATH],
    "changeAccount",
    {
      ...CHANGING,
      ...words(
        ["Change your name or language", "Holds at once in all sessions."],
        ["غيّر اسمك أو لغتك", "يسري فورًا في كل الجلسات."],
      ),
      requestBody: body("AccountInput", { ...AccountBody.shape }),
    },
    done,
  ),
  route(
    ["delete", MY_ACCOUNT_PATH],
    "deleteAccount",
    {
      ...CHANGING,
      ...words(
        [
          "Delete your account",
          "With all its pages, in half an hour. All other sessions end at once; until then it can be undone.",
        ],
        [
          "احذف حسابك",
          "مع كل صفحاته بعد نصف ساعة. تنتهي الجلسات الأخرى فورًا، ويمكن التراجع قبل ذلك.",
        ],
      ),
    },
    { "200": json("The deletion is asked for.", Deletion) },
  ),
  route(
    ["post", `${MY_ACCOUNT_PATH}/keep`],
    "keepAccount",
    {
      ...CHANGING,
      ...words(
        ["Undo the deletion of your account", "Repeating it is safe."],
        ["تراجع عن حذف حسابك", "لا يضر تكراره."],
      ),
    },
    done,
  ),
  route(
    ["post", `${MY_ACCOUNT_PATH}/passkeys/options`],
    "getPasskeyToAdd",
    {
      ...CHANGING,
      ...words(
        ["Begin to add a passkey", "Names the passkeys that you have, so that none is made twice."],
        ["ابدأ إضافة مفتاح مرور", "يذكر مفاتيحك الموجودة كي لا يُنشأ مفتاح مرتين."],
      ),
    },
    { "200": json("The options.", Created) },
  ),
  route(
    ["post", `${MY_ACCOUNT_PATH}/passkeys`],
    "addPasskey",
    {
      ...CHANGING,
      ...words(
        ["Add a passkey", "At most twenty. You are notified of it."],
        ["أضف مفتاح مرور", "عشرون على الأكثر. يصلك إشعار بذلك."],
      ),
      requestBody: body("NewPasskeyInput", {
        response: Registration,
        name: described(
          NewPasskeyBody.shape.name,
          bilingual(
            "By default the name of what made it, where that is known.",
            "الافتراضي اسم مزوّده إن عُرف.",
          ),
        ),
      }),
    },
    { "201": json("It is added.", Added) },
    ["SIGN_IN_REFUSED"],
  ),
  route(
    ["patch", `${MY_ACCOUNT_PATH}/passkeys/:id`],
    "renamePasskey",
    {
      ...CHANGING,
      ...words(
        ["Name a passkey", "The name is for you alone."],
        ["سمِّ مفتاح مرور", "الاسم لك وحدك."],
      ),
      requestParams: { path: PASSKEY },
      requestBody: body("PasskeyInput", { name: PasskeyName }),
    },
    done,
  ),
  route(
    ["delete", `${MY_ACCOUNT_PATH}/passkeys/:id`],
    "removePasskey",
    {
      ...CHANGING,
      ...words(
        ["Remove a passkey", "Never the last one."],
        ["احذف مفتاح مرور", "إلا الأخير، فلا يُحذف."],
      ),
      requestParams: { path: PASSKEY },
    },
    done,
    ["LAST_WAY_IN"],
  ),
  route(
    ["post", MY_EMAIL_PATH],
    "mailCodeForAddress",
    {
      ...CHANGING,
      ...words(
        [
          "Begin to add or change your address",
          "A code goes there. 404 where no mail can be sent.",
        ],
        ["ابدأ إضافة عنوان بريدك أو تغييره", "يُرسل إليه رمز. الجواب 404 إن تعذّر إرسال البريد."],
      ),
      requestBody: body("AddressInput", { email: Email }),
    },
    { "200": json("A code is mailed.", CodeSent) },
  ),
  route(
    ["post", VERIFY_MY_EMAIL_PATH],
    "proveAddress",
    {
      ...CHANGING,
      ...words(
        [
          "Prove your address",
          "It takes the place of the one before, which is told. An address of another account is refused with the reason `taken`.",
        ],
        [
          "أثبت عنوان بريدك",
          "يحلّ محلّ السابق، ويُخبر السابق بذلك. يُرفض عنوان حساب آخر بالسبب `taken`.",
        ],
      ),
      requestBody: body("ProofInput", PROOF),
    },
    done,
    ["SIGN_IN_REFUSED"],
  ),
  route(
    ["delete", MY_EMAIL_PATH],
    "removeAddress",
    {
      ...CHANGING,
      ...words(
        ["Remove your address", "Never the last way in."],
        ["احذف عنوان بريدك", "إلا إن كان آخر طريقة للدخول."],
      ),
    },
    done,
    ["LAST_WAY_IN"],
  ),
  route(
    ["post", MY_IDENTITIES_PATH],
    "connectIdentity",
    {
      ...CHANGING,
      ...words(
        ["Begin to connect your account at an issuer", "Then you can sign in with it here."],
        ["ابدأ ربط حسابك لدى مُصدر", "فيصلح للدخول هنا."],
      ),
      requestBody: body("OwnIssuerInput", {
        issuer: IssuerName,
        locale: OwnIssuerBody.shape.locale,
      }),
    },
    { "200": json("The issuer's page.", IssuersPage) },
  ),
  route(
    ["delete", `${MY_IDENTITIES_PATH}/:id`],
    "removeIdentity",
    {
      ...CHANGING,
      ...words(
        ["Disconnect your account at an issuer", "Never the last way in."],
        ["افصل حسابك لدى مُصدر", "إلا إن كان آخر طريقة للدخول."],
      ),
      requestParams: { path: z.object({ id: Id }) },
    },
    done,
    ["LAST_WAY_IN"],
  ),
  route(
    ["delete", `${MY_ACCOUNT_PATH}/sessions/:id`],
    "endSession",
    {
      ...CHANGING,
      ...words(
        ["End a session", "At once. It may be this one."],
        ["أنهِ جلسة", "فورًا، ولو كانت هذه."],
      ),
      requestParams: { path: SESSION },
    },
    done,
  ),
  route(
    ["delete", `${MY_ACCOUNT_PATH}/sessions`],
    "endOtherSessions",
    {
      ...CHANGING,
      ...words(
        ["End all other sessions", "At once. This one stays."],
        ["أنهِ كل الجلسات الأخرى", "فورًا. تبقى هذه وحدها."],
      ),
    },
    done,
  ),
  route(
    ["post", `${MY_ACCOUNT_PATH}/codes`],
    "makeRecoveryCodes",
    {
      ...CHANGING,
      ...words(
        ["Make ten recovery codes", "In place of the old ones, which no longer work."],
        ["أنشئ عشرة رموز استرداد", "بدل القديمة، فلا تعود صالحة."],
      ),
    },
    { "200": json("The codes.", Codes) },
  ),
];
