import type { Node } from "@takumi-rs/helpers";
import { expect, test } from "vitest";
import type { Shared } from "../../../src/pages/cards/share-picture.ts";
import type { Locale } from "../../../src/views/locale.ts";
import { USUAL_LOOK } from "../../../src/views/look-values.ts";
import { drawing } from "../../../src/workshop/share-drawing.ts";

const sharedIn = (locale: Locale, name: string): Shared => ({
  locale,
  look: USUAL_LOOK,
  name,
  bio: "",
  initials: "C",
  address: "sila.example/c",
  has_avatar: false,
});

const textsOf = (node: Node): { text: string; direction: unknown }[] =>
  node.type === "text"
    ? [{ text: node.text, direction: node.style?.direction }]
    : (("children" in node ? node.children : undefined) ?? []).flatMap(textsOf);

test("a share picture has a name in the direction of its language, which Latin letters do not turn", () => {
  expect(textsOf(drawing(sharedIn("ar", "C++ للمبتدئين")))).toContainEqual({
    text: "C++\u200e للمبتدئين",
    direction: "rtl",
  });
  expect(textsOf(drawing(sharedIn("en", "C++ للمبتدئين")))).toContainEqual({
    text: "C++ للمبتدئين",
    direction: "ltr",
  });
});
