import * as z from "zod";
import { STATUS_JSON_PATH, STATUS_PATH } from "../http/endpoints.ts";
import { success } from "../openapi/answers.ts";
import type { Operation } from "../openapi/operation.ts";
import { answer } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { COMPONENTS, STATUS_DAYS } from "./status.ts";

const State = z.enum(["up", "unstable", "down", "unknown"]).meta({ id: "ServiceState" });
const ComponentName = z.enum(COMPONENTS).meta({ id: "ServiceComponent" });

const StatusAnswer = success("ServiceStatus", {
  state: State.meta(bilingual("The worst of the components.", "أسوأ حال بين الأجزاء.")),
  measured_at: z.iso
    .datetime()
    .nullable()
    .meta(bilingual("Null before the first measurement.", "يكون `null` قبل أول قياس.")),
  components: z.array(
    z.object({
      id: ComponentName,
      state: State,
      days: z
        .array(z.number().min(0).max(1).nullable())
        .length(STATUS_DAYS)
        .meta(
          bilingual(
            "Part of the probes that were answered, by UTC days, the oldest first; null: not measured.",
            "نسبة الفحوص المستجابة لكل يوم بالتوقيت العالمي، الأقدم أولًا؛ و`null`: لم يُقَس.",
          ),
        ),
    }),
  ),
  incidents: z.array(
    z.object({
      components: z.array(ComponentName),
      began_at: z.iso.datetime(),
      ended_at: z.iso.datetime().nullable(),
    }),
  ),
});

export const STATUS: readonly Operation[] = [
  {
    method: "get",
    path: STATUS_JSON_PATH,
    id: "getStatus",
    tag: "site",
    ar: {
      summary: "حالة الخدمة",
      description:
        "الحال الآن لكل جزء، ونسبة الفحوص المستجابة في آخر ٩٠ يومًا، والانقطاعات. عمره دقيقة على الأكثر.",
    },
    en: {
      summary: "The state of the service",
      description:
        "Each component now, the part of its probes that were answered on each of 90 days, and incidents. At most a minute old.",
    },
    responses: { "200": answer("The state.", "application/json", StatusAnswer) },
    errors: ["RATE_LIMITED", "DEPENDENCY_DOWN"],
  },
  {
    method: "get",
    path: STATUS_PATH,
    id: "getStatusPage",
    tag: "site",
    ar: {
      summary: "حالة الخدمة للقراءة",
      description: "صفحة بلغة القارئ، وبالعربية في `/status/ar` وبالإنجليزية في `/status/en`.",
    },
    en: {
      summary: "The status page",
      description:
        "In the reader's language, in Arabic at `/status/ar` and in English at `/status/en`.",
    },
    responses: { "200": answer("The status page", "text/html", z.string()) },
    errors: ["RATE_LIMITED"],
  },
];
