/**
 * Finished looks with a name: the editor's tiles, and the contact sheet in docs/looks.md. Each is
 * one choice on every axis; a page stores the choices, not the name. Free of zod, because the
 * editor's script has them too. A test parses each by the schema.
 */
import { type Look, USUAL_LOOK } from "./look-values.ts";

export interface Preset {
  id: string;
  name: { ar: string; en: string };
  look: Look;
}

/** The order of the tiles: the usual look, light ones, dark ones, then grounds of full colour. */
export const PRESETS: readonly Preset[] = [
  preset("sila", "صلة", "Sila", {}),
  preset("shore", "شاطئ", "Shore", {
    palette: "sea",
    background: "waves",
    corner: "round",
    type: "readex",
    avatar_shape: "circle",
  }),
  preset("rosewater", "ماء الورد", "Rosewater", {
    palette: "rose",
    background: "veil",
    button: "tinted",
    corner: "round",
    type: "messiri",
  }),
  preset("newsprint", "صحيفة", "Newsprint", {
    palette: "ink",
    background: "plain",
    button: "plain",
    corner: "square",
    type: "naskh",
    density: "compact",
    avatar_shape: "square",
  }),
  preset("grove", "بستان زيتون", "Olive grove", {
    palette: "olive",
    background: "girih",
    type: "naskh",
  }),
  preset("mint-tea", "شاي بالنعناع", "Mint tea", {
    palette: "mint",
    button: "filled",
    corner: "round",
    type: "readex",
    avatar_shape: "circle",
  }),
  preset("clear-sky", "سماء صافية", "Clear sky", {
    palette: "sky",
    background: "dots",
    type: "alexandria",
    avatar_shape: "circle",
    motion: "gentle",
  }),
  preset("lilac", "ليلك", "Lilac", {
    palette: "plum",
    button: "outlined",
    corner: "round",
    type: "messiri",
    avatar_shape: "circle",
  }),
  preset("sunset", "غروب", "Sunset", {
    palette: "dusk",
    background: "veil",
    corner: "round",
    type: "kufi",
    avatar_shape: "circle",
    motion: "gentle",
  }),
  preset("coffee-house", "مقهى", "Coffee house", {
    palette: "coffee",
    background: "plain",
    button: "tinted",
    type: "alexandria",
    density: "roomy",
    avatar_shape: "square",
  }),
  preset("manuscript", "مخطوطة", "Manuscript", {
    palette: "sand",
    background: "girih",
    button: "plain",
    corner: "square",
    type: "naskh",
    density: "roomy",
  }),
  preset("gallery", "معرض", "Gallery", {
    palette: "ink",
    background: "plain",
    button: "outlined",
    corner: "square",
    type: "alexandria",
    avatar_shape: "square",
    scheme: "light",
  }),
  preset("midnight", "منتصف الليل", "Midnight", {
    palette: "plum",
    background: "waves",
    button: "filled",
    type: "readex",
    avatar_shape: "circle",
    scheme: "dark",
  }),
  preset("saffron", "زعفران", "Saffron", {
    palette: "saffron",
    background: "plain",
    button: "filled",
    corner: "round",
    type: "kufi",
  }),
  preset("pomegranate", "رمّان", "Pomegranate", {
    palette: "pomegranate",
    background: "girih",
    corner: "round",
    type: "messiri",
    scheme: "light",
  }),
  preset("lapis", "لازورد", "Lapis", {
    palette: "lapis",
    background: "waves",
    button: "outlined",
    type: "alexandria",
    scheme: "light",
    motion: "gentle",
  }),
];

function preset(id: string, ar: string, en: string, look: Partial<Look>): Preset {
  return { id, name: { ar, en }, look: { ...USUAL_LOOK, ...look } };
}
