/** Texts apart from the schemas: the Worker, which validates, would carry both languages. */
import { Zone } from "../../http/time-zone.ts";
import { describe, inner } from "../../openapi/described.ts";
import { bilingual } from "../../views/bilingual.ts";
import {
  Contact,
  documentShape,
  LinkInput,
  LocaleName,
  linkShape,
  PictureKey,
} from "./page-document.ts";

describe(Zone, { id: "TimeZone" });
describe(LocaleName, { id: "Locale" });
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

describe(PictureKey, {
  id: "PictureKey",
  ...bilingual(
    "The key of a picture that was uploaded for this page.",
    "مفتاح صورة رُفعت لهذه الصفحة.",
  ),
});
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
