import * as z from "zod";
import { ERROR_LOG_PATH } from "../../http/endpoints.ts";
import { success } from "../../openapi/answers.ts";
import { describe, described } from "../../openapi/described.ts";
import { jsonBody, type Operation } from "../../openapi/operation.ts";
import { BAD_BODY, json } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { ErrorReport } from "./error-report.ts";

describe(
  ErrorReport.shape.message,
  bilingual("What went wrong, as the browser words it.", "ما الذي حدث، بتعبير المتصفح."),
);
describe(
  ErrorReport.shape.stack,
  bilingual("The stack trace, of whatever browser.", "تتبّع الاستدعاءات، من أي متصفح كان."),
);
describe(ErrorReport.shape.severity, bilingual("How bad it is.", "مدى خطورته."));
describe(
  ErrorReport.shape.page_id,
  bilingual("The page it happened on.", "الصفحة التي حدث فيها الخطأ."),
);
describe(
  ErrorReport.shape.url,
  bilingual(
    "The address it happened at; query and fragment are not kept.",
    "العنوان الذي حدث فيه، ولا يُحفظ ما بعد علامة الاستفهام أو المربّع.",
  ),
);

const Reported = success("Reported", {
  id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .meta(
      bilingual(
        "Fingerprint of the group of errors that this report belongs to.",
        "بصمة مجموعة الأخطاء التي حُسب فيها هذا البلاغ.",
      ),
    ),
});

export const ERROR_LOG: readonly Operation[] = [
  {
    method: "post",
    path: ERROR_LOG_PATH,
    id: "reportError",
    tag: "reports",
    ar: {
      summary: "بلّغ عن خطأ في المتصفح",
      description:
        "تُجمع البلاغات المتشابهة في مجموعة واحدة لها عدد دقيق وعيّنة واحدة، بعد أن تُحذف منها عناوين البريد والرموز السرية وما بعد علامة الاستفهام في العناوين.",
    },
    en: {
      summary: "Report an error in a browser",
      description:
        "Similar reports form one group with an exact count and one sample. E-mail addresses, tokens and queries are removed before.",
    },
    requestBody: jsonBody(described(ErrorReport, { id: "ErrorReport" })),
    responses: { "202": json("The report is in durable storage.", Reported) },
    errors: [...BAD_BODY, "RATE_LIMITED", "DEPENDENCY_DOWN"],
  },
];
