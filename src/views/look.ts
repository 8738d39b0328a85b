import * as z from "zod/mini";
import { LOOK_VALUES, type Look as LookOfValues, USUAL_LOOK } from "./look-values.ts";

export const Look = z.strictObject({
  palette: z._default(z.enum(LOOK_VALUES.palette), USUAL_LOOK.palette),
  background: z._default(z.enum(LOOK_VALUES.background), USUAL_LOOK.background),
  button: z._default(z.enum(LOOK_VALUES.button), USUAL_LOOK.button),
  corner: z._default(z.enum(LOOK_VALUES.corner), USUAL_LOOK.corner),
  type: z._default(z.enum(LOOK_VALUES.type), USUAL_LOOK.type),
  density: z._default(z.enum(LOOK_VALUES.density), USUAL_LOOK.density),
  avatar_shape: z._default(z.enum(LOOK_VALUES.avatar_shape), USUAL_LOOK.avatar_shape),
  scheme: z._default(z.enum(LOOK_VALUES.scheme), USUAL_LOOK.scheme),
  motion: z._default(z.enum(LOOK_VALUES.motion), USUAL_LOOK.motion),
  /** Replaces the palette's accent; text and button colours are solved for it. */
  accent: z._default(
    z.nullable(z.string().check(z.regex(/^#[0-9a-f]{6}$/, "#rrggbb in lower case"))),
    null,
  ),
}) satisfies z.ZodMiniType<LookOfValues>;
