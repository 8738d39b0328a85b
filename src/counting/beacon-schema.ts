/** The body of a beacon (docs/contract.md section 5). */
import * as z from "zod";
import { boundedText } from "../http/bounded-text.ts";
import { Id } from "../http/ids.ts";
import { REFERRER_CHARS_MAX, UTM_CHARS_MAX } from "../http/limits.ts";
import { LocaleName } from "../pages/page-document.ts";
import { bilingual } from "../views/bilingual.ts";

const Utm = boundedText(UTM_CHARS_MAX)
  .optional()
  .meta(
    bilingual(
      "A campaign parameter, as the page's address carried it.",
      "وسم حملة كما جاء في عنوان الصفحة.",
    ),
  );

/** The same for the pixel's parameter `l`. Any other value is ignored, so that the view counts. */
export const Language = z
  .unknown()
  .transform((value) => LocaleName.safeParse(value).data)
  .optional()
  .meta(
    bilingual(
      "The language in which the page was viewed, `ar` or `en`; anything else is ignored. Not counted for clicks.",
      "اللغة التي شوهدت بها الصفحة، `ar` أو `en`، ويُهمل ما سواهما. لا تُحسب للنقرات.",
    ),
  );

/** Unknown keys are ignored. Without `link_id` it is a view. */
export const Beacon = z.object({
  page_id: Id.meta({
    ...bilingual("The page that was viewed.", "الصفحة التي شوهدت."),
    example: "demo",
  }),
  link_id: Id.optional().meta({
    ...bilingual(
      "The link that was clicked; a link of this page. Without it, a view.",
      "الرابط الذي نُقر، وهو من روابط هذه الصفحة. من دونه هي مشاهدة.",
    ),
    example: "demo-shop",
  }),
  event_id: Id.optional().meta(
    bilingual(
      "Your own id of the event: sent again within an hour, it counts once in all.",
      "معرّف تختاره للحدث: إن أُرسل ثانيةً خلال ساعة حُسب مرة واحدة.",
    ),
  ),
  referrer: boundedText(REFERRER_CHARS_MAX)
    .optional()
    .meta(
      bilingual(
        "Where the visitor came from; only its host is kept.",
        "من أين جاء الزائر، ولا يُحفظ منه سوى اسم الموقع.",
      ),
    ),
  utm_source: Utm,
  utm_medium: Utm,
  utm_campaign: Utm,
  language: Language,
});
export type Beacon = z.output<typeof Beacon>;
