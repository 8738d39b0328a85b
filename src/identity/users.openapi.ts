import * as z from "zod";
import { User, UserId } from "../accounts/hub-answers.ts";
import { INVITATIONS_PATH, USERS_PATH } from "../http/endpoints.ts";
import { Id } from "../http/ids.ts";
import { Ok, success } from "../openapi/answers.ts";
import { described } from "../openapi/described.ts";
import { jsonBody, type Operation } from "../openapi/operation.ts";
import { BAD_BODY, json } from "../openapi/responses.ts";
import { TakedownBody } from "../operate/takedown.ts";
import { bilingual } from "../views/bilingual.ts";
import { GiftBody } from "./gift-body.ts";

const UnixMs = z
  .int()
  .nonnegative()
  .meta(bilingual("Unix time in milliseconds.", "وقت يونكس بالملّي ثانية."));

const MadeLink = success("MadeLink", {
  link: z.url().meta(bilingual("It is not shown again.", "لا يظهر مرة أخرى.")),
  expires_at: UnixMs,
});
const AskedDeletion = success("AskedDeletion", { ends_at: UnixMs });

const Plan = z
  .object({ plan: described(User.shape.plan, bilingual("The user's plan.", "باقة المستخدم.")) })
  .meta({ id: "PlanInput" });
const IsOperator = z
  .object({
    is_operator: z.boolean().meta(bilingual("Whether the user is one.", "هل يكون المستخدم مشغّلًا.")),
  })
  .meta({ id: "OperatorInput" });
const Reason = z
  .object({
    reason: described(
      TakedownBody.shape.reason,
      bilingual("For the list of what was done.", "يظهر في قائمة ما جرى."),
    ),
  })
  .meta({ id: "SuspensionInput" });

const GiftInput = z
  .object({
    key: described(
      GiftBody.shape.key,
      bilingual(
        "New for each gift: the same key gives once.",
        "جديد لكل منحة: المفتاح الواحد يمنح مرة واحدة.",
      ),
    ),
    points: described(
      GiftBody.shape.points,
      bilingual("Below 0 they are taken back.", "بعدد أقل من صفر تُسترد."),
    ),
    note: described(GiftBody.shape.note, bilingual("What for.", "السبب.")),
  })
  .meta({ id: "GiftInput" });

const of_user = {
  path: z.object({ user_id: described(UserId, bilingual("The user's id.", "معرّف المستخدم.")) }),
};
const USER_PATH = `${USERS_PATH}/:user_id`;
const ONLY = { ar: "لمشغّلي الخدمة وحدهم", en: "For operators only" };

type Text = Record<"summary" | "description", string>;

function operation(
  asked: Pick<
    Operation,
    "method" | "path" | "id" | "requestParams" | "requestBody" | "responses"
  > & {
    ar: Text;
    en: Text;
    is_of_others?: boolean;
    more_errors?: Operation["errors"];
  },
): Operation {
  const { is_of_others = false, more_errors = [], ar, en, ...rest } = asked;
  return {
    ...rest,
    ...{ tag: "operators", access: "operator and token" },
    ar: { ...ar, description: `${ONLY.ar}. ${ar.description}` },
    en: { ...en, description: `${ONLY.en}. ${en.description}` },
    errors: [
      ...(rest.requestBody ? BAD_BODY : []),
      ...(["RATE_LIMITED", "DEPENDENCY_DOWN", "CSRF_REQUIRED", "NOT_FOUND"] as const),
      ...(is_of_others ? (["OWN_ACCOUNT"] as const) : []),
      ...more_errors,
    ],
  };
}

export const USERS: readonly Operation[] = [
  operation({
    method: "patch",
    path: USER_PATH,
    id: "changePlan",
    ar: { summary: "غيّر باقة مستخدم", description: "تسري الباقة فورًا." },
    en: { summary: "Change a user's plan", description: "It counts at once." },
    requestParams: of_user,
    requestBody: jsonBody(Plan, { plan: "pro" }),
    responses: { "200": json("The user has the plan.", Ok) },
  }),
  operation({
    method: "post",
    path: `${USER_PATH}/operator`,
    id: "setOperator",
    ar: { summary: "اجعل مستخدمًا مشغّلًا أو اسحب ذلك منه", description: "لا تسري على حسابك أنت." },
    en: {
      summary: "Make a user an operator, or end that",
      description: "Not for your own account.",
    },
    requestParams: of_user,
    requestBody: jsonBody(IsOperator, { is_operator: true }),
    responses: { "200": json("It is so.", Ok) },
    is_of_others: true,
  }),
  operation({
    method: "post",
    path: `${USER_PATH}/points`,
    id: "givePoints",
    ar: {
      summary: "امنح مستخدمًا نقاطًا",
      description: "مرة واحدة لكل مفتاح `key`. وبعدد أقل من صفر تستردّها.",
    },
    en: {
      summary: "Give a user points",
      description: "Once for each `key`. A number below 0 takes them back, all or none.",
    },
    requestParams: of_user,
    requestBody: jsonBody(GiftInput, { key: "gift-2026-11", points: 50, note: "Welcome" }),
    responses: { "200": json("They have the points.", Ok) },
    more_errors: ["INSUFFICIENT_POINTS", "IDEMPOTENCY_CONFLICT"],
  }),
  operation({
    method: "post",
    path: `${USER_PATH}/suspend`,
    id: "suspendUser",
    ar: {
      summary: "أوقف حساب مستخدم",
      description: "تنتهي جلساته فورًا ولا يستطيع الدخول. وتبقى صفحاته.",
    },
    en: {
      summary: "Suspend a user",
      description: "Their sessions end at once, and they cannot sign in. Their pages stay.",
    },
    requestParams: of_user,
    requestBody: jsonBody(Reason, { reason: "Spam" }),
    responses: { "200": json("The user is suspended.", Ok) },
    is_of_others: true,
  }),
  operation({
    method: "post",
    path: `${USER_PATH}/reinstate`,
    id: "reinstateUser",
    ar: { summary: "ألغِ إيقاف حساب", description: "يستطيع المستخدم الدخول من جديد." },
    en: { summary: "Reinstate a user", description: "They can sign in again." },
    requestParams: of_user,
    responses: { "200": json("The user is not suspended.", Ok) },
  }),
  operation({
    method: "post",
    path: `${USER_PATH}/end-sessions`,
    id: "endSessions",
    ar: { summary: "أنهِ جلسات مستخدم", description: "تنتهي كلها فورًا." },
    en: { summary: "End a user's sessions", description: "All of them, at once." },
    requestParams: of_user,
    responses: { "200": json("They have ended.", Ok) },
  }),
  operation({
    method: "post",
    path: `${USER_PATH}/way-in`,
    id: "makeWayIn",
    ar: {
      summary: "اصنع رابط دخول لمستخدم",
      description: "يُدخل الرابط هذا المستخدم وحده، مرة واحدة، خلال يوم.",
    },
    en: {
      summary: "Make a way in for a user",
      description: "The link signs this user in, once, within a day.",
    },
    requestParams: of_user,
    responses: { "201": json("The link.", MadeLink) },
  }),
  operation({
    method: "delete",
    path: `${USER_PATH}/way-in`,
    id: "takeWaysInBack",
    ar: { summary: "اسحب روابط الدخول", description: "تُسحب كل الروابط التي لم تُستعمل بعد." },
    en: { summary: "Take ways in back", description: "All links that were not used yet." },
    requestParams: of_user,
    responses: { "200": json("They work no more.", Ok) },
  }),
  operation({
    method: "delete",
    path: USER_PATH,
    id: "deleteUser",
    ar: {
      summary: "احذف مستخدمًا",
      description: "تنتهي جلساته فورًا، ويُحذف مع كل صفحاته عند `ends_at`. ويمكن التراجع قبل ذلك.",
    },
    en: {
      summary: "Delete a user",
      description:
        "Their sessions end at once, and at `ends_at` they are deleted with all their pages. Until then it can be undone.",
    },
    requestParams: of_user,
    responses: { "200": json("The deletion was asked for.", AskedDeletion) },
    is_of_others: true,
  }),
  operation({
    method: "post",
    path: `${USER_PATH}/keep`,
    id: "keepUser",
    ar: { summary: "تراجع عن حذف مستخدم", description: "يبقى الحساب وصفحاته." },
    en: { summary: "Undo a user's deletion", description: "The account and its pages stay." },
    requestParams: of_user,
    responses: { "200": json("The user stays.", Ok) },
  }),
  operation({
    method: "post",
    path: INVITATIONS_PATH,
    id: "invite",
    ar: {
      summary: "اصنع دعوة",
      description: "يصنع الرابط حسابًا واحدًا بهذه الباقة، خلال سبعة أيام.",
    },
    en: {
      summary: "Make an invitation",
      description: "The link makes one account of this plan, within seven days.",
    },
    requestBody: jsonBody(Plan, { plan: "free" }),
    responses: { "201": json("The link.", MadeLink) },
  }),
  operation({
    method: "delete",
    path: `${INVITATIONS_PATH}/:id`,
    id: "takeInvitationBack",
    ar: { summary: "اسحب دعوة", description: "لا تعود صالحة." },
    en: { summary: "Take an invitation back", description: "It works no more." },
    requestParams: {
      path: z.object({ id: described(Id, bilingual("The invitation's id.", "معرّف الدعوة.")) }),
    },
    responses: { "200": json("It works no more.", Ok) },
  }),
];
