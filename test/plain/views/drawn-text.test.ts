/** How a text of a known language is drawn. `~` stands for U+200E, which no editor shows. */
import { describe, expect, test } from "vitest";
import { drawn, inLanguage } from "../../../src/views/drawn-text.ts";

const shown = (text: string, language: "ar" | "en") =>
  drawn(text, language).replaceAll("\u200e", "~");

describe("a text whose language is known", () => {
  test("has the direction of its language, whatever letter it begins with", () => {
    expect(inLanguage("ar")).toEqual({ lang: "ar", dir: "rtl" });
    expect(inLanguage("en")).toEqual({ lang: "en", dir: "ltr" });
  });

  test.each([
    ["C++ للمبتدئين", "C++~ للمبتدئين"],
    ["دروس C# وC++", "دروس C#~ وC++~"],
    ["١+١ واحد زائد واحد", "١+١ واحد زائد واحد"],
    ["متجري", "متجري"],
    ["", ""],
  ])("%j keeps the signs of its Latin runs at their ends from right to left", (text, expected) => {
    expect(shown(text, "ar")).toBe(expected);
  });

  test.each([
    ["Salma", "Salma"],
    ["Welcome!", "Welcome!~"],
    ["+20 101 234 5678", "~+20 101 234 5678"],
    ["(Studio)", "~(Studio)~"],
    ["Shop 2", "Shop 2"],
    ["خزّافة\nPotter from Tyre.\n", "خزّافة\nPotter from Tyre.~\n"],
  ])(
    "%j is read from left to right in each line without a letter of the other direction",
    (text, expected) => {
      expect(shown(text, "ar")).toBe(expected);
    },
  );

  test("gets no mark from left to right", () => {
    expect(drawn("C++ للمبتدئين!", "en")).toBe("C++ للمبتدئين!");
  });
});
