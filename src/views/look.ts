/**
 * The look of a bio page: one value on each of these axes, chosen by its creator. This schema is the
 * only list of the values; the editor, the renderer and the build of the styles read them from here.
 */
import * as z from "zod";
import { bilingual } from "./bilingual.ts";

export const Look = z
  .strictObject({
    palette: z
      .enum([
        "sand",
        "sea",
        "rose",
        "ink",
        "olive",
        "mint",
        "sky",
        "plum",
        "dusk",
        "coffee",
        "saffron",
        "pomegranate",
        "lapis",
      ])
      .meta({ id: "Palette" })
      .default("sand")
      .meta(bilingual("The colours.", "الألوان.")),
    background: z
      .enum(["plain", "glow", "veil", "dots", "waves", "girih"])
      .meta({ id: "Background" })
      .default("glow")
      .meta(bilingual("The background.", "الخلفية.")),
    button: z
      .enum(["raised", "filled", "outlined", "tinted", "plain"])
      .meta({ id: "ButtonStyle" })
      .default("raised")
      .meta(bilingual("The style of links.", "شكل الروابط.")),
    corner: z
      .enum(["square", "soft", "round"])
      .meta({ id: "Corner" })
      .default("soft")
      .meta(bilingual("The corners.", "الزوايا.")),
    type: z
      .enum(["plex", "readex", "alexandria", "kufi", "naskh", "messiri"])
      .meta({ id: "TypePair" })
      .default("plex")
      .meta(bilingual("The pair of typefaces, Arabic and Latin.", "زوج الخطين العربي واللاتيني.")),
    density: z
      .enum(["compact", "cosy", "roomy"])
      .meta({ id: "Density" })
      .default("cosy")
      .meta(bilingual("The space between entries.", "المسافات بين العناصر.")),
    avatar_shape: z
      .enum(["star", "circle", "square"])
      .meta({ id: "AvatarShape" })
      .default("star")
      .meta(bilingual("The frame of the picture.", "إطار الصورة.")),
    scheme: z
      .enum(["auto", "light", "dark"])
      .meta({ id: "ColourScheme" })
      .default("auto")
      .meta(bilingual("Light, dark, or as the device is set.", "فاتح أو داكن أو كإعداد الجهاز.")),
    motion: z
      .enum(["still", "gentle"])
      .meta({ id: "Motion" })
      .default("still")
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
  .meta({ id: "Look" });
export type Look = z.output<typeof Look>;

const axes = Look.shape;

/** Every value of every axis. */
export const LOOK_VALUES = {
  palette: axes.palette.unwrap().options,
  background: axes.background.unwrap().options,
  button: axes.button.unwrap().options,
  corner: axes.corner.unwrap().options,
  type: axes.type.unwrap().options,
  density: axes.density.unwrap().options,
  avatar_shape: axes.avatar_shape.unwrap().options,
  scheme: axes.scheme.unwrap().options,
  motion: axes.motion.unwrap().options,
} as const satisfies Omit<{ [Axis in keyof Look]: readonly Look[Axis][] }, "accent">;

/** The look of a page whose creator has chosen nothing, and of this service's own pages. */
export const USUAL_LOOK: Look = Look.parse({});
