/**
 * The picture that stands for a page where its address is shared (`og:image`): what is on it, and where.
 * Its colours, typefaces and frame are the page's own. `render-share-picture.ts` draws it.
 */
import type { ContainerNode, ImageNode, Node, TextNode } from "@takumi-rs/helpers";
import { lookColours } from "../views/accent.ts";
import { ARABIC, LATIN_WITH_ACCENTS, MORE_ARABIC, MORE_LATIN } from "../views/font-characters.ts";
import type { Locale } from "../views/locale.ts";
import type { Look } from "../views/look-values.ts";
import { initials, isVisible, truncated } from "../views/plain-text.ts";
import { TEXTS } from "../views/texts.ts";
import type { ByLocale } from "./page-document.ts";
import { textIn } from "./page-words.ts";

/** The source of the avatar in the tree. */
export const AVATAR = "avatar";

const NAME_CHARACTERS_MAX = 80;
const BIO_CHARACTERS_MAX = 110;
const ADDRESS_CHARACTERS_MAX = 60;

const EDGE_PX = 72;
const PORTRAIT_PX = 344;
const FACE_PX = 252;

/** Sizes of the name, by how many characters fit into two or three lines of that size. */
const NAME_SIZES: readonly (readonly [characters: number, size_px: number])[] = [
  [18, 84],
  [32, 68],
  [54, 56],
  [NAME_CHARACTERS_MAX, 46],
];
const BIO_PX = 31;
const SMALL_PX = 27;

/** What the picture shows. */
export interface Shared {
  locale: Locale;
  look: Pick<Look, "palette" | "accent" | "scheme" | "avatar_shape" | "background">;
  name: string;
  bio: string;
  initials: string;
  /** As readers write it: a host and a slug. */
  address: string;
  has_avatar: boolean;
}

/** The pair's own subsets, and the whole fonts of two pairs for the letters that these lack. */
const BASIC = new Set(ARABIC + LATIN_WITH_ACCENTS);
const MORE = new Set(MORE_ARABIC + MORE_LATIN);

/**
 * The text as the fonts can show it: without emoji and other signs that they lack. Null where they lack a
 * letter or a digit, because a name without some of its letters is another name.
 */
export function drawable(text: string): string | null {
  let drawn = "";
  for (const character of text.normalize("NFC")) {
    if (BASIC.has(character) || MORE.has(character)) drawn += character;
    else if (/[\p{L}\p{N}]/u.test(character)) return null;
    else if (/\s/u.test(character)) drawn += " ";
  }
  const line = drawn.replace(/ +/g, " ").trim();
  return isVisible(line) ? line : null;
}

/** Whether a text has letters that the subsets of bio pages lack. */
export function isBeyondSubsets(text: string): boolean {
  return [...text].some((character) => !BASIC.has(character));
}

/** What the picture of a page shows in one of its languages. */
export function sharedOf(
  page: { name: ByLocale; bio: ByLocale; look: Look; slug: string },
  locale: Locale,
  host: string,
  has_avatar: boolean,
): Shared {
  const address = `${host}/${page.slug}`;
  const readable_address = drawable(address) ?? host;
  const texts = [textIn(page.name, locale), page.name.ar ?? "", page.name.en ?? ""];
  const names = texts.flatMap((text) => drawable(text) ?? []);
  const name = truncated(names[0] ?? drawable(page.slug) ?? host, NAME_CHARACTERS_MAX);
  return {
    locale,
    look: page.look,
    name,
    bio: truncated(drawable(textIn(page.bio, locale)) ?? "", BIO_CHARACTERS_MAX),
    initials: initials(name),
    address: truncated(readable_address, ADDRESS_CHARACTERS_MAX),
    has_avatar,
  };
}

type Style = Record<string, string | number>;

const box = (style: Style, children: Node[] = []): ContainerNode => ({
  type: "container",
  style: { display: "flex", ...style },
  children,
});

const words = (text: string, style: Style): TextNode => ({ type: "text", text, style });

/** The tree of boxes and texts. Sizes are in pixels. */
export function drawing(shared: Shared): ContainerNode {
  const { locale, look } = shared;
  const colours = lookColours(look, look.scheme === "dark" ? "dark" : "light");
  const is_rtl = TEXTS[locale].direction === "rtl";
  const row = { flexDirection: is_rtl ? "row-reverse" : "row" };
  const glow = `radial-gradient(ellipse at 50% 0%, ${colours.glow}, ${colours.ground} 75%)`;
  return box(
    {
      width: "100%",
      height: "100%",
      flexDirection: "column",
      justifyContent: "space-between",
      padding: `${EDGE_PX}px ${EDGE_PX}px 56px`,
      backgroundColor: look.background === "veil" ? colours.soft : colours.ground,
      backgroundImage: look.background === "glow" ? glow : "none",
      color: colours.text,
      overflow: "hidden",
    },
    [
      box({ ...row, alignItems: "center", gap: 56, flexGrow: 1, minHeight: 0 }, [
        portrait(shared, colours),
        box(
          {
            flexDirection: "column",
            flexGrow: 1,
            flexShrink: 1,
            minWidth: 0,
            gap: 18,
            textAlign: is_rtl ? "right" : "left",
          },
          [
            words(shared.name, {
              direction: directionOf(shared.name, is_rtl),
              fontSize: NAME_SIZES.find(([max]) => [...shared.name].length <= max)?.[1] ?? 46,
              fontWeight: 600,
              lineHeight: 1.45,
              overflowWrap: "anywhere",
            }),
            ...(shared.bio === ""
              ? []
              : [
                  words(shared.bio, {
                    direction: directionOf(shared.bio, is_rtl),
                    color: colours.muted,
                    fontSize: BIO_PX,
                    lineHeight: 1.6,
                    overflowWrap: "anywhere",
                  }),
                ]),
          ],
        ),
      ]),
      box({ ...row, alignItems: "center", justifyContent: "space-between", gap: 40 }, [
        words(shared.address, { direction: "ltr", color: colours.muted, fontSize: SMALL_PX }),
        box({ ...row, alignItems: "center", gap: 14, flexShrink: 0 }, [
          mark(colours.accent),
          words(TEXTS[locale].product, {
            direction: is_rtl ? "rtl" : "ltr",
            fontSize: SMALL_PX,
            fontWeight: 600,
          }),
        ]),
      ]),
    ],
  );
}

/** The picture or the initials in the frame of the look, as on the page. */
function portrait(
  { look, has_avatar, initials: letters }: Shared,
  colours: ReturnType<typeof lookColours>,
): ContainerNode {
  const is_star = look.avatar_shape === "star";
  const radius = look.avatar_shape === "square" ? 44 : FACE_PX;
  const frame = look.background === "veil" ? colours.surface : colours.soft;
  const square = (turn: string) =>
    box({
      position: "absolute",
      top: 42,
      left: 42,
      width: PORTRAIT_PX - 84,
      height: PORTRAIT_PX - 84,
      borderRadius: 54,
      backgroundColor: frame,
      transform: turn,
    });
  const middle = (PORTRAIT_PX - FACE_PX) / 2;
  const place = {
    position: "absolute",
    top: middle,
    left: middle,
    width: FACE_PX,
    height: FACE_PX,
    borderRadius: radius,
  };
  const face: ImageNode | ContainerNode = has_avatar
    ? {
        type: "image",
        src: AVATAR,
        style: {
          ...place,
          objectFit: "cover",
          boxShadow: is_star ? `0 0 0 10px ${colours.surface}` : "none",
        },
      }
    : box(
        {
          ...place,
          alignItems: "center",
          justifyContent: "center",
          backgroundColor: is_star ? "transparent" : frame,
          color: colours.accent,
        },
        [words(letters, { fontSize: 112, fontWeight: 600, lineHeight: 1 })],
      );
  return box(
    { position: "relative", flexShrink: 0, width: PORTRAIT_PX, height: PORTRAIT_PX },
    is_star ? [square("none"), square("rotate(45deg)"), face] : [face],
  );
}

/** Our logo: two squares, one turned. */
function mark(colour: string): ContainerNode {
  const square = (turn: string) =>
    box({
      position: "absolute",
      top: 6,
      left: 6,
      width: 26,
      height: 26,
      border: `3px solid ${colour}`,
      borderRadius: 4,
      transform: turn,
    });
  return box({ position: "relative", width: 38, height: 38 }, [
    square("none"),
    square("rotate(45deg)"),
  ]);
}

/** Of the first letter that has one; without any, the language's. */
function directionOf(text: string, is_rtl: boolean): "rtl" | "ltr" {
  const [first] = /\p{L}/u.exec(text) ?? [];
  if (first === undefined) return is_rtl ? "rtl" : "ltr";
  return /\p{Script=Arabic}/u.test(first) ? "rtl" : "ltr";
}
