/** The layout of a share picture: a tree of boxes and texts. Sizes are in pixels. */
import type { ContainerNode, ImageNode, Node, TextNode } from "@takumi-rs/helpers";
import { NAME_CHARACTERS_MAX, type Shared } from "../pages/cards/share-picture.ts";
import { lookColours } from "../views/accent.ts";
import { drawn } from "../views/drawn-text.ts";
import { TEXTS } from "../views/texts.ts";

export const AVATAR = "avatar";

const EDGE_PX = 72;
const PORTRAIT_PX = 344;
const FACE_PX = 252;

/** Sizes by how many characters of the name fit into two or three lines. */
const NAME_SIZES: readonly (readonly [characters: number, size_px: number])[] = [
  [18, 84],
  [32, 68],
  [54, 56],
  [NAME_CHARACTERS_MAX, 46],
];
const BIO_PX = 31;
const SMALL_PX = 27;

type Style = Record<string, string | number>;

const box = (style: Style, children: Node[] = []): ContainerNode => ({
  type: "container",
  style: { display: "flex", ...style },
  children,
});

const words = (text: string, style: Style): TextNode => ({ type: "text", text, style });

export function drawing(shared: Shared): ContainerNode {
  const { locale, look } = shared;
  const colours = lookColours(look, look.scheme === "dark" ? "dark" : "light");
  const { direction } = TEXTS[locale];
  const is_rtl = direction === "rtl";
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
            words(drawn(shared.name, locale), {
              direction,
              fontSize: NAME_SIZES.find(([max]) => [...shared.name].length <= max)?.[1] ?? 46,
              fontWeight: 600,
              lineHeight: 1.45,
              overflowWrap: "anywhere",
            }),
            ...(shared.bio === ""
              ? []
              : [
                  words(drawn(shared.bio, locale), {
                    direction,
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
            direction,
            fontSize: SMALL_PX,
            fontWeight: 600,
          }),
        ]),
      ]),
    ],
  );
}

/** The avatar or initials in the look's frame, as on the page. */
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
