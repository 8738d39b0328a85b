import { describe, inner } from "../../openapi/described.ts";
import { bilingual } from "../../views/bilingual.ts";
import { Look } from "../../views/look.ts";

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
