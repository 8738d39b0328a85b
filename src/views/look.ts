/** The schema of a look. Its values are in `look-values.ts`. */
import * as z from "zod";
import { bilingual } from "./bilingual.ts";
import { LOOK_VALUES, type Look as LookOfValues, USUAL_LOOK } from "./look-values.ts";

export const Look = z
  .strictObject({
    palette: z
      .enum(LOOK_VALUES.palette)
      .meta({ id: "Palette" })
      .default(USUAL_LOOK.palette)
      .meta(bilingual("The colours.", "الألوان.")),
    background: z
      .enum(LOOK_VALUES.background)
      .meta({ id: "Background" })
      .default(USUAL_LOOK.background)
      .meta(bilingual("The background.", "الخلفية.")),
    button: z
      .enum(LOOK_VALUES.button)
      .meta({ id: "ButtonStyle" })
      .default(USUAL_LOOK.button)
      .meta(bilingual("The style of links.", "شكل الروابط.")),
    corner: z
      .enum(LOOK_VALUES.corner)
      .meta({ id: "Corner" })
      .default(USUAL_LOOK.corner)
      .meta(bilingual("The corners.", "الزوايا.")),
    type: z
      .enum(LOOK_VALUES.type)
      .meta({ id: "TypePair" })
      .default(USUAL_LOOK.type)
      .meta(bilingual("The pair of typefaces, Arabic and Latin.", "زوج الخطين العربي واللاتيني.")),
    density: z
      .enum(LOOK_VALUES.density)
      .meta({ id: "Density" })
      .default(USUAL_LOOK.density)
      .meta(bilingual("The space between entries.", "المسافات بين العناصر.")),
    avatar_shape: z
      .enum(LOOK_VALUES.avatar_shape)
      .meta({ id: "AvatarShape" })
      .default(USUAL_LOOK.avatar_shape)
      .meta(bilingual("The frame of the picture.", "إطار الصورة.")),
    scheme: z
      .enum(LOOK_VALUES.scheme)
      .meta({ id: "ColourScheme" })
      .default(USUAL_LOOK.scheme)
      .meta(bilingual("Light, dark, or as the device is set.", "فاتح أو داكن أو كإعداد الجهاز.")),
    motion: z
      .enum(LOOK_VALUES.motion)
      .meta({ id: "Motion" })
      .default(USUAL_LOOK.motion)
      .meta(bilingual("Movement.", "الحركة.")),
    /** Replaces the palette's accent; text and button colours are solved for it. */
    accent: z
      .string()
      .regex(/^#[0-9a-f]{6}$/, "#rrggbb in lower case")
      .meta({ id: "Colour" })
      .nullable()
      .default(null)
      .meta(
        bilingual(
          "An accent colour of one's own, `#rrggbb`, or null.",
          "لون مميز خاص `#rrggbb`، أو `null`.",
        ),
      ),
  })
  .meta({ id: "Look" }) satisfies z.ZodType<LookOfValues>;
