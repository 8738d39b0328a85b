import { WAITING_MAX } from "../../../objects/blocks/webhooks/deliveries.ts";
import type {
  AttemptOutcome,
  DeliveryState,
  EndpointState,
  WebhookEvent,
} from "../../../objects/blocks/webhooks/webhook.ts";
import { byReader, type ReaderLocale } from "../../views/numbering.ts";
import { type Forms, formatNumber, inForm } from "../../views/numbers.ts";
import { WEBHOOK_SENDS_PER_HOUR } from "./limits.ts";

type EventName = WebhookEvent | "webhook.test";

const DROPPED: Readonly<Record<"ar" | "en", Forms>> = {
  ar: {
    one: "ضاع حدث واحد",
    two: "ضاع حدثان",
    few: "ضاعت # أحداث",
    many: "ضاع # حدثًا",
    other: "ضاع # حدث",
  },
  en: { one: "# event was dropped", other: "# events were dropped" },
};
const WAITING: Readonly<Record<"ar" | "en", Forms>> = {
  ar: {
    one: "حدث واحد ينتظر",
    two: "حدثان ينتظران",
    few: "# أحداث تنتظر",
    many: "# حدثًا ينتظر",
    other: "# حدث ينتظر",
  },
  en: { one: "# event is waiting", other: "# events are waiting" },
};
const TRIES: Readonly<Record<"ar" | "en", Forms>> = {
  ar: {
    zero: "لم يُرسل بعد",
    one: "محاولة واحدة",
    two: "محاولتان",
    few: "# محاولات",
    many: "# محاولة",
    other: "# محاولة",
  },
  en: { one: "# attempt", other: "# attempts" },
};

const ENGLISH = {
  title: "Webhooks",
  about:
    "Your own server hears what happens on this page: each event comes as a signed POST of JSON. What does not arrive is sent again for three days, always with the same id, so drop an id that you have seen.",
  how: "What each event holds, and how to check its signature",
  none: "No endpoint yet",
  none_why: "Add the address of your server, and choose what it should hear.",
  add: "Add an endpoint",
  address: "Address of your server",
  address_hint: "An https address of a public host.",
  address_wrong:
    "This address cannot be used. Write an https address of a public host, with its usual port or 8443.",
  events: "Events",
  events_missing: "Choose one event at least.",
  names: {
    "milestone.reached": "A milestone of views or clicks",
    "tip.received": "A tip",
    "subscriber.confirmed": "A new subscriber, with their address",
    "link.down": "A link of the page does not work any more",
    "link.up": "It works again",
    "webhook.test": "Test event",
  } as Readonly<Record<EventName, string>>,
  states: {
    on: "On",
    off: "Switched off",
    failing: "Switched off: nothing arrived for three days",
    gone: "Switched off: your server answered 410 Gone",
  } as Readonly<Record<EndpointState, string>>,
  waiting: (n: number) => inForm("en", WAITING.en, n),
  dropped: (n: number) =>
    `${inForm("en", DROPPED.en, n)}: no more than ${formatNumber("en", WAITING_MAX)} wait for an endpoint.`,
  secret: "Secret",
  secret_hint: "Your server checks each signature with it. Show it to nobody.",
  secret_old: (until: string) => `The secret before this one signs too until ${until}.`,
  rotate: "Make a new secret",
  change: "Change",
  save: "Save",
  test: "Send a test event",
  test_which: (host: string) => `Send a test event to ${host}`,
  by_hand: `You can send a test or an event again ${WEBHOOK_SENDS_PER_HOUR} times in any hour.`,
  on: "Switch on",
  off: "Switch off",
  remove: "Delete",
  remove_sure: "The endpoint is deleted with its list of events. What waits is not sent.",
  remove_yes: "Delete for good",
  deliveries: "What was sent",
  deliveries_none: "Nothing was sent yet.",
  event: "Event",
  to: "To",
  when: "When",
  state: "State",
  delivery_states: {
    waiting: "Waiting",
    delivered: "Arrived",
    failed: "Given up",
  } as Readonly<Record<DeliveryState, string>>,
  tries: (n: number) => inForm("en", TRIES.en, n),
  next: (at: string) => `Next attempt: ${at}`,
  details: "Details",
  details_which: (id: string) => `Details of ${id}`,
  again: "Send again",
  again_which: (id: string) => `Send again: ${id}`,
  payload: "Body",
  payload_gone: "The subscriber has left, and their address is deleted.",
  attempts: "Attempts",
  outcomes: {
    delivered: "Arrived",
    answered: "Refused",
    redirected: "Redirected, which is not followed",
    late: "No answer in 15 seconds",
    unreachable: "Not reachable",
    refused: "The address is not allowed",
    left: "Not sent: the subscriber has left",
  } as Readonly<Record<AttemptOutcome, string>>,
  status: (status: number) => `Status ${status}`,
  latency: (ms: number) => `${formatNumber("en", ms)} ms`,
  answer: "The beginning of the answer",
  all: "All events",
  numbers: "Numbers of the page",
};

export type WebhooksTexts = typeof ENGLISH;

const arabic = (reader: ReaderLocale): WebhooksTexts => ({
  title: "إرسال الأحداث إلى خادمك (Webhooks)",
  about:
    "يصل إلى خادمك ما يحدث في هذه الصفحة: كل حدث طلب POST موقّع فيه JSON. وما لا يصل يُعاد إرساله ثلاثة أيام بالمعرّف نفسه دائمًا، فتجاهل ما وصلك معرّفه من قبل.",
  how: "محتوى كل حدث وطريقة التحقق من توقيعه",
  none: "لا عناوين استقبال بعد",
  none_why: "أضف عنوان خادمك واختر ما يصل إليه.",
  add: "إضافة عنوان استقبال",
  address: "عنوان خادمك",
  address_hint: "عنوان https لخادم متاح على الإنترنت.",
  address_wrong:
    "لا يمكن استعمال هذا العنوان. اكتب عنوان https لخادم متاح على الإنترنت، بمنفذه المعتاد أو 8443.",
  events: "الأحداث",
  events_missing: "اختر حدثًا واحدًا على الأقل.",
  names: {
    "milestone.reached": "عدد بارز من المشاهدات أو النقرات",
    "tip.received": "إكرامية",
    "subscriber.confirmed": "مشترك جديد، مع بريده",
    "link.down": "تعطّل رابط في الصفحة",
    "link.up": "عودته إلى العمل",
    "webhook.test": "حدث تجريبي",
  },
  states: {
    on: "يعمل",
    off: "متوقف",
    failing: "أُوقف: لم يصل إليه شيء ثلاثة أيام",
    gone: "أُوقف: أجاب خادمك بالرمز 410",
  },
  waiting: (n) => inForm(reader, WAITING.ar, n),
  dropped: (n) =>
    `${inForm(reader, DROPPED.ar, n)}: لا ينتظر لكل عنوان أكثر من ${formatNumber(reader, WAITING_MAX)}.`,
  secret: "المفتاح السري",
  secret_hint: "به يتحقق خادمك من كل توقيع. لا تُطلع عليه أحدًا.",
  secret_old: (until) => `يبقى المفتاح السابق صالحًا للتوقيع حتى ${until}.`,
  rotate: "إنشاء مفتاح جديد",
  change: "تعديل",
  save: "حفظ",
  test: "إرسال حدث تجريبي",
  test_which: (host) => `إرسال حدث تجريبي إلى ${host}`,
  by_hand: `يمكنك إرسال حدث تجريبي أو إعادة إرسال حدث ${formatNumber(reader, WEBHOOK_SENDS_PER_HOUR)} مرة في كل ساعة.`,
  on: "تشغيل",
  off: "إيقاف",
  remove: "حذف",
  remove_sure: "يُحذف عنوان الاستقبال مع قائمة أحداثه، ولا يُرسل ما ينتظر.",
  remove_yes: "حذفه نهائيًا",
  deliveries: "ما أُرسل",
  deliveries_none: "لم يُرسل شيء بعد.",
  event: "الحدث",
  to: "إلى",
  when: "الوقت",
  state: "الحالة",
  delivery_states: { waiting: "ينتظر", delivered: "وصل", failed: "لم يصل" },
  tries: (n) => inForm(reader, TRIES.ar, n),
  next: (at) => `المحاولة التالية: ${at}`,
  details: "التفاصيل",
  details_which: (id) => `التفاصيل: ${id}`,
  again: "إعادة الإرسال",
  again_which: (id) => `إعادة الإرسال: ${id}`,
  payload: "المحتوى",
  payload_gone: "ألغى المشترك اشتراكه وحُذف بريده.",
  attempts: "المحاولات",
  outcomes: {
    delivered: "وصل",
    answered: "رُفض",
    redirected: "أجاب بتحويل، ولا نتبع التحويل",
    late: "لا جواب خلال ١٥ ثانية",
    unreachable: "تعذّر الوصول إليه",
    refused: "العنوان غير مسموح به",
    left: "لم يُرسل: ألغى المشترك اشتراكه",
  },
  status: (status) => `الرمز ${status}`,
  latency: (ms) => `${formatNumber(reader, ms)} ملّي ثانية`,
  answer: "أول الجواب",
  all: "كل الأحداث",
  numbers: "أرقام الصفحة",
});

export const WEBHOOKS_TEXTS = byReader(arabic, ENGLISH);
