/** The web app manifest (W3C "Web Application Manifest"). */
import { assetUrl } from "../views/assets.ts";
import { PALETTES } from "../views/palette.ts";
import { TEXTS } from "../views/texts.ts";
import { HOME_TEXTS } from "./home-texts.ts";

/** Only the landing page links it: a visitor of a bio page should get no offer to install Sila. */
export function manifestJson(): string {
  const { ground, glow } = PALETTES.sand.light;
  const icon = (name: "icon-192.png" | "icon-512.png" | "icon-maskable-512.png") => ({
    src: assetUrl(name),
    sizes: name === "icon-192.png" ? "192x192" : "512x512",
    type: "image/png",
    purpose: name === "icon-maskable-512.png" ? "maskable" : "any",
  });
  return JSON.stringify({
    id: "/",
    name: `${TEXTS.ar.product} · ${TEXTS.en.product}`,
    short_name: TEXTS.ar.product,
    description: `${HOME_TEXTS.ar.headline} · ${HOME_TEXTS.en.headline}`,
    lang: "ar",
    dir: TEXTS.ar.direction,
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: ground,
    theme_color: glow,
    categories: ["social", "productivity"],
    icons: [icon("icon-192.png"), icon("icon-512.png"), icon("icon-maskable-512.png")],
  });
}
