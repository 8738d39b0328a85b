import * as z from "zod";
import * as mini from "zod/mini";
import { DEEP_HEALTH_PATH, HEALTH_PATH } from "../http/endpoints.ts";
import { envelope } from "../openapi/answers.ts";
import { described } from "../openapi/described.ts";
import type { Operation } from "../openapi/operation.ts";
import { answer, HEADERS, json } from "../openapi/responses.ts";
import { Checks } from "../operate/checks.ts";
import { bilingual } from "../views/bilingual.ts";

const health = {
  ok: z.literal(true),
  app: z.literal("sila"),
  version: z
    .string()
    .regex(/^3\.\d+\.\d+$/)
    .meta({ id: "Version" }),
};

const Health = z.object(health).meta({ id: "Health" });
const Check = described(Checks.shape.d1, { id: "Check" });
const DependencyChecks = described(
  mini.extend(Checks, {
    d1: Check,
    kv: Check,
    r2: Check,
    hub: Check,
    config: described(
      Check,
      bilingual(
        "Whether every secret and variable of the deployment is set and well-formed.",
        "هل كل مفاتيح النشر السرية ومتغيّراته موجودة وصحيحة الصيغة.",
      ),
    ),
  }),
  { id: "Checks" },
);

const DeepHealth = z
  .object({ ...health, status: z.literal("pass"), checks: DependencyChecks })
  .meta({ id: "DeepHealth" });

const DeepHealthError = envelope(
  "DEPENDENCY_DOWN",
  { checks: z.optional(DependencyChecks) },
  "DeepHealthError",
);

export const HEALTH: readonly Operation[] = [
  {
    method: "get",
    path: HEALTH_PATH,
    id: "getHealth",
    tag: "site",
    ar: { summary: "هل الخدمة حاضرة؟", description: "يجيب من دون أن يسأل أي مخزن." },
    en: { summary: "Is the service up?", description: "Answers without asking any store." },
    responses: { "200": answer("It is up.", "application/json", Health) },
    errors: ["RATE_LIMITED"],
  },
  {
    method: "get",
    path: DEEP_HEALTH_PATH,
    id: "getDeepHealth",
    tag: "site",
    ar: {
      summary: "هل كل ما وراءها بخير؟",
      description:
        "يسأل قاعدة البيانات ومخزن المفاتيح ومخزن الملفات ومركز الحسابات معًا، ثانيتين لكلٍّ منها، ويتحقق من أن إعدادات النشر كاملة. وتُعاد النتيجة نفسها خمس ثوانٍ.",
    },
    en: {
      summary: "Are its dependencies up?",
      description:
        "Asks the database, the key-value store, the object store and the account hub at the same time, for up to two seconds, and checks that the deployment's settings are complete. The result is reused for five seconds.",
    },
    responses: {
      "200": json("All of them answer.", DeepHealth),
      "503": {
        description: "Something failed; `details.checks` says what.",
        content: { "application/json": { schema: DeepHealthError } },
        headers: {
          "Retry-After": {
            ...HEADERS["Retry-After"],
            schema: { type: "integer", const: 30 },
            required: true,
          },
        },
      },
    },
    errors: ["RATE_LIMITED"],
  },
];
