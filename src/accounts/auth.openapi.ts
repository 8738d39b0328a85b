import * as z from "zod";
import { CSRF_HEADER, LOGIN_PATH, LOGOUT_PATH, SESSION_PATH } from "../http/endpoints.ts";
import { success } from "../openapi/answers.ts";
import { described } from "../openapi/described.ts";
import { location, type Operation } from "../openapi/operation.ts";
import { HUB, json, LIMIT_HEADERS } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { User } from "./hub-answers.ts";
import { ReturnTo } from "./return-address.ts";

const SessionAnswer = success("Session", {
  authenticated: z.boolean(),
  user: z.nullable(described(User, { id: "User" })),
  csrf_token: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .meta(
      bilingual(
        `Send it in the header ${CSRF_HEADER} of every request that changes something. It is bound to the session.`,
        `يوضع في الترويسة ${CSRF_HEADER} لكل طلب يغيّر شيئًا، وهو خاص بهذه الجلسة.`,
      ),
    ),
});

export const AUTH: readonly Operation[] = [
  {
    method: "get",
    path: LOGIN_PATH,
    id: "signIn",
    tag: "accounts",
    ar: {
      summary: "سجّل الدخول",
      description:
        "يحوّل المتصفح إلى صفحة الدخول في مركز الحسابات، أو إلى `/account/sign-in` من غير مركز، ومنها إلى حيث طلبت.",
    },
    en: {
      summary: "Sign in",
      description:
        "Sends the browser to the account hub's page for signing in, or without a hub to `/account/sign-in`, and from there back.",
    },
    requestParams: {
      query: z.object({
        return_to: described(ReturnTo, {
          ...bilingual(
            "Where to go after signing in: a path of this site, the home page by default. It may be absolute, and have a query and a fragment.",
            "إلى أين بعد الدخول: مسار في هذا الموقع، وإلا فالصفحة الرئيسية. ويصحّ أن تذكر العنوان كاملًا بما فيه ما بعد علامة الاستفهام.",
          ),
          example: "/demo",
        }),
      }),
    },
    responses: {
      "302": {
        description: "The hub's page for signing in.",
        headers: { ...location("The hub's page.", "صفحة مركز الحسابات."), ...LIMIT_HEADERS },
      },
    },
    errors: ["RATE_LIMITED", "VALIDATION_FAILED", "DEPENDENCY_DOWN"],
  },
  {
    method: "get",
    path: SESSION_PATH,
    id: "getSession",
    tag: "accounts",
    ar: {
      summary: "من سجّل دخوله؟",
      description: "صاحب الجلسة إن وُجدت، والرمز الذي يحمي طلباته.",
    },
    en: {
      summary: "Who is signed in?",
      description:
        "The user of the session, if there is one, and the token that protects its requests.",
    },
    responses: { "200": json("The user, or null.", SessionAnswer) },
    errors: ["RATE_LIMITED", ...HUB, "DEPENDENCY_DOWN"],
  },
  {
    method: "post",
    path: LOGOUT_PATH,
    id: "signOut",
    tag: "accounts",
    access: "session and token",
    ar: {
      summary: "سجّل الخروج",
      description:
        "ينهي الجلسة في مركز الحسابات وهنا في الحال، ويحذف ملف تعريف الارتباط `owner_of` الذي تُميَّز به زيارات صاحب الصفحة. لا يضر تكراره.",
    },
    en: {
      summary: "Sign out",
      description:
        "Ends the session at the account hub and here at once, and removes the cookie `owner_of`, which marks the owner's own visits. Repeating it is safe.",
    },
    responses: {
      "204": { description: "The session has ended.", headers: LIMIT_HEADERS },
    },
    errors: ["RATE_LIMITED", ...HUB, "CSRF_REQUIRED", "DEPENDENCY_DOWN"],
  },
];
