/** The suggestions in a model's answer: bounded plain texts, or none (docs/security.md S30). */
import * as z from "zod/mini";
import { isVisible, plainText } from "../../views/plain-text.ts";
import { AI_SUGGESTIONS_MAX } from "./limits.ts";

const List = z.object({ suggestions: z.array(z.unknown()) });

/** One to three different texts, cut to `max` characters; null for none. */
export function readList(answer: unknown, max: number): string[] | null {
  const list = List.safeParse(answer).data?.suggestions;
  return list === undefined ? null : textsOf(list, max);
}

/** As many lists as there were texts or links, or null. */
export function readLists(answer: unknown, count: number, max: number): string[][] | null {
  const lists = List.safeParse(answer).data?.suggestions;
  if (lists?.length !== count) return null;
  const read = lists.map((list) => textsOf(Array.isArray(list) ? list : [list], max));
  return read.every((texts) => texts !== null) ? read : null;
}

function textsOf(list: readonly unknown[], max: number): string[] | null {
  const texts = list
    .filter((text) => typeof text === "string")
    .map((text) => cut(plainText(text.toWellFormed()), max))
    .filter(isVisible);
  return texts.length === 0 ? null : [...new Set(texts)].slice(0, AI_SUGGESTIONS_MAX);
}

/** Cuts between words where it can. A long text is not refused: it was paid for, and can be edited. */
function cut(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const kept = characters.slice(0, max - 1).join("");
  return `${kept.replace(/\s+\S*$/, "")}…`;
}
