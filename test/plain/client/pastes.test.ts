/** That a copied page stands so in the field is shown in a browser: `test/browser/journeys/editor-links.ts`. */
import { describe, expect, it } from "vitest";
import { isTopLevel } from "../../../src/client/editor/links/domains.ts";
import { type Line, readPaste } from "../../../src/client/editor/links/paste.ts";
import { numberIn } from "../../../src/client/editor/links/phone-numbers.ts";
import { destinationOf } from "../../../src/pages/document/destination.ts";
import { withoutControls } from "../../../src/views/plain-text.ts";
import { type Expected, inField, PASTES } from "./pastes.ts";

const plain = (text: string) => withoutControls(text).replaceAll("\t", " ").trim();

function said({ text, found }: Line, is_alone: boolean): Expected {
  if (found.is === "heading") return { is: "heading", label: found.text };
  if (found.is === "phone" || found.is === "handle") return { is: "question", text: plain(text) };
  if (found.is === "link" && found.left_out === null) {
    return { is: "link", label: found.label, address: found.address };
  }
  if (found.is === "link" && is_alone) return { is: "question", text: plain(text) };
  return { is: "left_out", text: plain(text) };
}

/** A site that shows its own name has an empty label. */
function wanted(each: Expected): Expected {
  if (each.is === "left_out" || each.is === "question")
    return { is: each.is, text: plain(each.text) };
  if (each.is === "heading") return each;
  const { icon, name } = destinationOf(each.address);
  const is_name = icon !== "web" && [name.ar, name.en].includes(each.label);
  return { ...each, label: is_name ? "" : each.label };
}

describe("a paste", () => {
  it.each(PASTES)("$name", (paste) => {
    const { country = "EG", expected } = paste;
    const lines = readPaste(inField(paste), { numberIn, isTopLevel, country });
    expect(lines.map((line) => said(line, lines.length === 1))).toEqual(expected.map(wanted));
  });
});
