import * as z from "zod/mini";
import { boundedText } from "../http/bounded-text.ts";
import { Id } from "../http/ids.ts";
import { LocaleName } from "../pages/document/page-document.ts";
import { REFERRER_CHARS_MAX, UTM_CHARS_MAX } from "./limits.ts";

const Utm = z.optional(boundedText(UTM_CHARS_MAX));

/** An unknown language is ignored, so that the view counts. */
export const Language = z.optional(
  z.pipe(
    z.unknown(),
    z.transform((value) => LocaleName.safeParse(value).data),
  ),
);

/** docs/contract.md section 5. Unknown keys are ignored. Without `link_id` it is a view. */
export const Beacon = z.object({
  page_id: Id,
  link_id: z.optional(Id),
  event_id: z.optional(Id),
  referrer: z.optional(boundedText(REFERRER_CHARS_MAX)),
  utm_source: Utm,
  utm_medium: Utm,
  utm_campaign: Utm,
  language: Language,
});
export type Beacon = z.output<typeof Beacon>;
