/**
 * Names and words of the schemas that the Worker validates with. They are here and not beside the schemas, because
 * only the build reads them: the Worker would carry them in two languages.
 */

import { UserId } from "../accounts/hub.ts";
import { HubEvent } from "../accounts/hub-event.ts";
import { BioRequest, LabelsRequest, TranslateRequest } from "../ai/suggestion-schema.ts";
import { PageInput } from "../authoring/page-input.ts";
import { PreviewQuery } from "../authoring/preview-query.ts";
import { RevisionsQuery, Version } from "../authoring/revisions-query.ts";
import { SlugsQuery } from "../authoring/slugs-query.ts";
import { ImportQuery } from "../authoring/transfer/import-query.ts";
import { Beacon } from "../counting/beacon-schema.ts";
import { ErrorReport } from "../errors/error-report.ts";
import { Id } from "../http/ids.ts";
import { Zone } from "../http/time-zone.ts";
import { describe, inner } from "../site/openapi/described.ts";
import { StatsQuery } from "../stats/stats-query.ts";
import { bilingual } from "../views/bilingual.ts";
import { Look } from "../views/look.ts";
import { WebhookBody, WebhookEventName } from "../webhooks/webhook-schema.ts";
import {
  Contact,
  documentShape,
  LinkInput,
  LocaleName,
  linkShape,
  PictureKey,
} from "./page-document.ts";
import { Version as CardVersion } from "./vcard.ts";

// Names of schemas in the document.
describe(Id, { id: "Id" });
describe(Zone, { id: "TimeZone" });
describe(UserId, { id: "UserId" });
describe(LocaleName, { id: "Locale" });
describe(PageInput, { id: "PageInput" });
describe(inner(PageInput.shape.status), { id: "OwnStatus" });
describe(LinkInput, { id: "LinkInput" });
describe(inner(linkShape.kind), { id: "LinkKind" });
describe(inner(linkShape.label), { id: "Label" });
describe(inner(linkShape.alt), { id: "AltText" });
describe(inner(linkShape.block), { id: "Block" });
const [TipBlock, DownloadBlock, NewsletterBlock] = inner(linkShape.block)._zod.def.options;
describe(TipBlock, { id: "TipBlock" });
describe(DownloadBlock, { id: "DownloadBlock" });
describe(inner(DownloadBlock.shape.access), { id: "DownloadAccess" });
describe(NewsletterBlock, { id: "NewsletterBlock" });
describe(documentShape.name, { id: "Name" });
describe(inner(documentShape.bio), { id: "Bio" });
describe(Contact, { id: "Contact" });
describe(inner(StatsQuery.shape.range), { id: "Range" });
describe(inner(StatsQuery.shape.filter), { id: "Filter" });

describe(WebhookEventName, { id: "WebhookEvent" });
describe(WebhookBody.shape.url, {
  ...bilingual(
    "An https address of a public host, with port 443 or 8443.",
    "عنوان https لخادم متاح على الإنترنت، بالمنفذ 443 أو 8443.",
  ),
});

// A page.
describe(PictureKey, {
  id: "PictureKey",
  ...bilingual(
    "The key of a picture that was uploaded for this page.",
    "مفتاح صورة رُفعت لهذه الصفحة.",
  ),
});
describe(PageInput.shape.slug, {
  ...bilingual(
    "The page's address on this site; stored in its canonical spelling.",
    "عنوان الصفحة في هذا الموقع، ويُحفظ بصورته المعيارية.",
  ),
  example: "layan",
});
describe(
  PageInput.shape.status,
  bilingual("A draft is shown to nobody but its owner.", "المسودّة لا يراها إلا صاحبها."),
);
describe(
  documentShape.locales,
  bilingual(
    "The page's languages; the first one is its default.",
    "لغات الصفحة؛ والأولى هي الأساسية.",
  ),
);
describe(
  documentShape.time_zone,
  bilingual(
    "An IANA zone. Visitors are counted by its days.",
    "منطقة زمنية من IANA، وبأيامها يُعدّ الزوّار.",
  ),
);
describe(
  documentShape.indexed,
  bilingual("Whether search engines may list it.", "هل تُدرجها محركات البحث."),
);

// Its links.
describe(
  LinkInput.shape.link_id,
  bilingual(
    "Of a link that the page has or had. A new link has none: it gets one.",
    "معرّف رابط موجود أو محذوف من الصفحة؛ والرابط الجديد بلا معرّف فيُعطى واحدًا.",
  ),
);
describe(
  linkShape.kind,
  bilingual(
    "`card` has a picture, `social` stands in the row of icons; `heading` and `text` lead nowhere.",
    "نوع العنصر: للنوع `card` صورة، و`social` في صف الأيقونات؛ أما `heading` و`text` فلا يقودان إلى عنوان.",
  ),
);
describe(
  linkShape.url,
  bilingual(
    "An http, https, mailto, tel or sms address; null for `heading` and `text`.",
    "عنوان http أو https أو mailto أو tel أو sms؛ و`null` في `heading` و`text`.",
  ),
);
describe(
  linkShape.from,
  bilingual("Shown from this unix second on.", "تظهر من هذه الثانية (يونكس)."),
);
describe(
  linkShape.until,
  bilingual("Not shown from this unix second on.", "تختفي من هذه الثانية (يونكس)."),
);

// Its look.
describe(Look, { id: "Look" });
describe(inner(Look.shape.palette), { id: "Palette" });
describe(Look.shape.palette, bilingual("The colours.", "الألوان."));
describe(inner(Look.shape.background), { id: "Background" });
describe(Look.shape.background, bilingual("The background.", "الخلفية."));
describe(inner(Look.shape.button), { id: "ButtonStyle" });
describe(Look.shape.button, bilingual("The style of links.", "شكل الروابط."));
describe(inner(Look.shape.corner), { id: "Corner" });
describe(Look.shape.corner, bilingual("The corners.", "الزوايا."));
describe(inner(Look.shape.type), { id: "TypePair" });
describe(
  Look.shape.type,
  bilingual("The pair of typefaces, Arabic and Latin.", "زوج الخطين العربي واللاتيني."),
);
describe(inner(Look.shape.density), { id: "Density" });
describe(Look.shape.density, bilingual("The space between entries.", "المسافات بين العناصر."));
describe(inner(Look.shape.avatar_shape), { id: "AvatarShape" });
describe(Look.shape.avatar_shape, bilingual("The frame of the picture.", "إطار الصورة."));
describe(inner(Look.shape.scheme), { id: "ColourScheme" });
describe(
  Look.shape.scheme,
  bilingual("Light, dark, or as the device is set.", "فاتح أو داكن أو كإعداد الجهاز."),
);
describe(inner(Look.shape.motion), { id: "Motion" });
describe(Look.shape.motion, bilingual("Movement.", "الحركة."));
describe(inner(inner(Look.shape.accent)), { id: "Colour" });
describe(
  Look.shape.accent,
  bilingual(
    "An accent colour of one's own, `#rrggbb`, or null.",
    "لون مميز خاص `#rrggbb`، أو `null`.",
  ),
);

// Suggestions.
describe(
  BioRequest.shape.about,
  bilingual(
    "What the creator says about themselves, in any language.",
    "ما يقوله صاحب الصفحة عن نفسه، بأي لغة.",
  ),
);
describe(
  LabelsRequest.shape.links,
  bilingual("The links, with their present labels.", "الروابط، ومعها نصوصها الحالية."),
);
describe(
  TranslateRequest.shape.texts,
  bilingual("Texts of the page; 4,000 characters together.", "نصوص من الصفحة؛ ٤٬٠٠٠ حرف معًا."),
);

// An event; the three campaign parameters are one schema.
describe(
  Beacon.shape.utm_source,
  bilingual(
    "A campaign parameter, as the page's address carried it.",
    "وسم حملة كما جاء في عنوان الصفحة.",
  ),
);
describe(
  Beacon.shape.language,
  bilingual(
    "The language in which the page was viewed, `ar` or `en`; anything else is ignored. Not counted for clicks.",
    "اللغة التي شوهدت بها الصفحة، `ar` أو `en`، ويُهمل ما سواهما. لا تُحسب للنقرات.",
  ),
);
describe(Beacon.shape.link_id, {
  ...bilingual(
    "The link that was clicked; a link of this page. Without it, a view.",
    "الرابط الذي نُقر، وهو من روابط هذه الصفحة. من دونه هي مشاهدة.",
  ),
  example: "demo-shop",
});
describe(
  Beacon.shape.event_id,
  bilingual(
    "Your own id of the event: sent again within an hour, it counts once in all.",
    "معرّف تختاره للحدث: إن أُرسل ثانيةً خلال ساعة حُسب مرة واحدة.",
  ),
);
describe(
  Beacon.shape.referrer,
  bilingual(
    "Where the visitor came from; only its host is kept.",
    "من أين جاء الزائر، ولا يُحفظ منه سوى اسم الموقع.",
  ),
);

// An error in a browser.
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

// Events of the hub.
const [, , NotificationEvent] = HubEvent.def.options;
describe(
  NotificationEvent.shape.data.shape.url,
  bilingual("An http(s) address, or a path of this site.", "عنوان ويب، أو مسار في هذا الموقع."),
);

// Queries and parameters.
describe(
  PreviewQuery.shape.lang,
  bilingual(
    "One of the page's languages; its default one if left out.",
    "إحدى لغات الصفحة؛ ولغتها الأساسية إن لم تُذكر.",
  ),
);
describe(Version, {
  override: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 },
});
describe(
  RevisionsQuery.shape.before,
  bilingual("Only versions before this one.", "النسخ التي قبل هذه وحدها."),
);
describe(SlugsQuery.shape.name, {
  ...bilingual("The name of a page.", "اسم الصفحة."),
  example: "ليان الخزّافة",
});
describe(
  ImportQuery.shape.dry_run,
  bilingual(
    "`1` says what would be made and stores nothing.",
    "بالقيمة `1` يُعرض ما سيُنشأ من دون حفظ شيء.",
  ),
);
describe(CardVersion, bilingual("The major version of vCard.", "الإصدار الرئيسي من vCard."));
