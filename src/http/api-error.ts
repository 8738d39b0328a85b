/** Errors for clients (docs/contract.md section 3). `error-answer.tsx` alone answers with them. */
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isDayLimit } from "../../objects/platform/day-limit.ts";

export interface ErrorText {
  status: ContentfulStatusCode;
  /**
   * `WWW-Authenticate`, which every 401 must have (RFC 9110 section 11.6.1). No scheme is
   * registered for cookies or for Standard Webhooks; browsers open no dialog for a scheme that they
   * do not know.
   */
  challenge?: string;
  ar: string;
  en: string;
}

export const ERRORS = {
  INVALID_JSON: {
    status: 400,
    ar: "تعذّرت قراءة الطلب: المحتوى ليس JSON صحيحًا.",
    en: "The body is not valid JSON.",
  },
  VALIDATION_FAILED: {
    status: 400,
    ar: "بعض الحقول ناقصة أو غير صحيحة.",
    en: "Some fields are missing or wrong.",
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    status: 400,
    ar: "أرسل في الترويسة Idempotency-Key مفتاحًا جديدًا لكل إكرامية.",
    en: "Send a new key for each tip in the header Idempotency-Key.",
  },
  AUTH_REQUIRED: {
    status: 401,
    challenge: 'Cookie realm="sila"',
    ar: "سجّل الدخول أولًا.",
    en: "Sign in first.",
  },
  SIGN_IN_REFUSED: {
    status: 401,
    challenge: 'Cookie realm="sila"',
    ar: "تعذّر الدخول بهذه الطريقة: لم تعد صالحة، أو ليست لهذا الموقع. جرّب طريقة أخرى.",
    en: "This does not sign you in: it is no longer valid, or it is not for this site. Try another way.",
  },
  WEBHOOK_SIGNATURE_INVALID: {
    status: 401,
    challenge: 'StandardWebhooks realm="sila"',
    ar: "توقيع هذا الحدث غير صحيح أو فات وقته.",
    en: "The signature of this webhook is wrong or out of date.",
  },
  INSUFFICIENT_POINTS: {
    status: 402,
    ar: "نقاطك لا تكفي لهذه الإكرامية.",
    en: "You do not have enough points for this tip.",
  },
  FORBIDDEN: {
    status: 403,
    ar: "لا يُسمح بهذا الطلب من موقع آخر.",
    en: "This request is not allowed from another site.",
  },
  CSRF_REQUIRED: {
    status: 403,
    ar: "لم يأتِ الطلب من صفحاتنا، أو ينقصه رمز الحماية. حدّث الصفحة ثم أعد المحاولة.",
    en: "The request did not come from our pages, or lacks its CSRF token. Reload the page and try again.",
  },
  SETUP_REFUSED: {
    status: 403,
    ar: "رمز الإعداد غير صحيح، أو استُعمل من قبل.",
    en: "The setup code is wrong, or it was used before.",
  },
  INVITATION_REQUIRED: {
    status: 403,
    ar: "يلزمك رابط دعوة لم يُستعمل ولم تنتهِ مدته لتنشئ حسابًا.",
    en: "To make an account you need an invitation that was not used and has not expired.",
  },
  OWN_PAGE: {
    status: 403,
    ar: "لا يمكنك أن ترسل إكرامية إلى صفحتك.",
    en: "You cannot tip your own page.",
  },
  PLAN_LIMIT: {
    status: 403,
    ar: "بلغت الحدّ الذي تسمح به باقتك.",
    en: "You have as much as your plan allows.",
  },
  DOWNLOAD_REFUSED: {
    status: 403,
    ar: "لا يتيح هذا الرابط تنزيل الملف. افتح الصفحة ونزّله منها.",
    en: "This address does not let you download the file. Open the page and download it from there.",
  },
  TIP_REQUIRED: {
    status: 403,
    ar: "هذا الملف لمن أرسل إكرامية إلى صاحب الصفحة.",
    en: "This file is for those who have sent the page's owner a tip.",
  },
  SUBSCRIPTION_REQUIRED: {
    status: 403,
    ar: "هذا الملف للمشتركين في النشرة. افتح رابط التنزيل من رسالة الاشتراك.",
    en: "This file is for subscribers. Open the download link in your subscription's mail.",
  },
  NOT_FOUND: {
    status: 404,
    ar: "لا يوجد شيء في هذا الرابط.",
    en: "There is nothing at this address.",
  },
  PAGE_NOT_FOUND: {
    status: 404,
    ar: "هذه الصفحة غير موجودة.",
    en: "This page does not exist.",
  },
  LINK_NOT_FOUND: {
    status: 404,
    ar: "هذا الرابط غير موجود في الصفحة.",
    en: "This link is not on the page.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    ar: "هذه الطريقة غير مسموح بها هنا.",
    en: "This method is not allowed here.",
  },
  SLUG_TAKEN: {
    status: 409,
    ar: "هذا الرابط محجوز. اختر رابطًا آخر.",
    en: "This address is taken. Choose another one.",
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    ar: "استُعمل هذا المفتاح من قبل لإكرامية أخرى.",
    en: "This key was used for another tip.",
  },
  LAST_WAY_IN: {
    status: 409,
    ar: "هذه آخر طريقة لدخولك. أضف غيرها أولًا.",
    en: "This is your last way to sign in. Add another one first.",
  },
  OWN_ACCOUNT: {
    status: 409,
    ar: "لا يمكنك فعل هذا بحسابك أنت. اطلبه من مشغّل آخر.",
    en: "You cannot do this to your own account. Ask another operator.",
  },
  WEBHOOK_OFF: {
    status: 409,
    ar: "عنوان الاستقبال هذا متوقف. شغّله أولًا.",
    en: "This endpoint is switched off. Switch it on first.",
  },
  FILE_IN_USE: {
    status: 409,
    ar: "تستخدم إحدى صفحاتك هذا الملف. أزل كتلة التنزيل منها أولًا.",
    en: "One of your pages uses this file. Remove the download from it first.",
  },
  PAGE_SUSPENDED: {
    status: 410,
    ar: "هذه الصفحة موقوفة.",
    en: "This page is suspended.",
  },
  LINK_EXPIRED: {
    status: 410,
    ar: "هذا الرابط غير متاح الآن.",
    en: "This link is not available now.",
  },
  VERSION_CONFLICT: {
    status: 412,
    ar: "عُدّلت الصفحة في مكان آخر قبل أن يُحفظ تعديلك. راجع نسختها الحالية ثم أعد المحاولة.",
    en: "The page was changed elsewhere before your change was saved. Look at its current version and try again.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    ar: "حجم الطلب أكبر من المسموح به.",
    en: "The body is larger than allowed.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    ar: "نوع هذا المحتوى غير مقبول هنا.",
    en: "This type of content is not accepted here.",
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    ar: "الجزء المطلوب خارج الملف.",
    en: "The requested range is outside the file.",
  },
  PAGE_UNREADABLE: {
    status: 422,
    ar: "تعذّرت قراءة الصفحة من عنوانها.",
    en: "The page could not be read from its address.",
  },
  PRECONDITION_REQUIRED: {
    status: 428,
    ar: "أرسل نسخة الصفحة التي تعدّلها في الترويسة If-Match.",
    en: "Send the version of the page that you change in the header If-Match.",
  },
  RATE_LIMITED: {
    status: 429,
    ar: "طلبات كثيرة في وقت قصير. انتظر قليلًا ثم أعد المحاولة.",
    en: "Too many requests. Wait a moment and try again.",
  },
  DAY_LIMIT: {
    status: 429,
    ar: "بلغت ما تتيحه باقتك من هذا في 24 ساعة.",
    en: "You have reached what your plan allows of this in 24 hours.",
  },
  AI_QUOTA_EXCEEDED: {
    status: 429,
    ar: "استعملت كل ما تتيحه باقتك من الاقتراحات في 24 ساعة.",
    en: "You have used all the suggestions of your plan for 24 hours.",
  },
  INTERNAL: {
    status: 500,
    ar: "حدث خطأ غير متوقع من جهتنا.",
    en: "Something went wrong on our side.",
  },
  UPSTREAM_ERROR: {
    status: 502,
    ar: "تعطّلت خدمة الحسابات. أعد المحاولة بعد لحظات.",
    en: "The account service failed. Try again in a moment.",
  },
  DEPENDENCY_DOWN: {
    status: 503,
    ar: "الخدمة غير متاحة مؤقتًا. أعد المحاولة بعد لحظات.",
    en: "The service is temporarily unavailable. Try again in a moment.",
  },
  AI_UNAVAILABLE: {
    status: 503,
    ar: "الاقتراحات غير متاحة الآن. أعد المحاولة بعد قليل.",
    en: "Suggestions are not available now. Try again in a moment.",
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    ar: "تأخّرت خدمة الحسابات في الرد. أعد المحاولة بعد لحظات.",
    en: "The account service did not answer in time. Try again in a moment.",
  },
} as const satisfies Record<string, ErrorText>;

export type ErrorCode = keyof typeof ERRORS;

/** An error that a client is meant to get; any other class is a bug and answers 500. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** Sent as it is: it must not contain a stack, SQL or text from upstream. */
  readonly details: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    options: {
      details?: Record<string, unknown>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    // A client's error needs no stack trace, which would take a tenth of a refused request's time.
    const { stackTraceLimit } = Error;
    if (ERRORS[code].status < 500) Error.stackTraceLimit = 0;
    super(code, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.code = code;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}

/** `Retry-After` of a day's limit: a page's script would else ask fifty times, each a request. */
export const DAY_LIMIT_RETRY_AFTER_S = 600;

/** 503 for a failed dependency. The client may retry, with the same event id. */
export function dependencyDown(cause?: unknown): ApiError {
  const retry_after_s = isDayLimit(cause) ? DAY_LIMIT_RETRY_AFTER_S : 1;
  return new ApiError("DEPENDENCY_DOWN", { headers: { "Retry-After": `${retry_after_s}` }, cause });
}
