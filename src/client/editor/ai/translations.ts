/**
 * Suggestions for texts that the page lacks in one language, by their text in the other one. They
 * stay known while the editor is open, so an undone one is not asked for again.
 */
import type { Locale } from "../../../views/locale.ts";
import { plainText } from "../../../views/plain-text.ts";
import type { Editing } from "../editing.ts";
import { ask } from "./ask.ts";
import { requestsOf } from "./wire.ts";

export interface Wanted {
  to: Locale;
  source: string;
}

const known = new Map<string, string>();
const keyOf = ({ to, source }: Wanted) => `${to}:${plainText(source)}`;

export function translationOf(wanted: Wanted): string | undefined {
  return known.get(keyOf(wanted));
}

/** Asks for unknown ones. Returns why some are missing, or null; what arrived before stays. */
export async function findTranslations(
  editing: Editing,
  wanted: readonly Wanted[],
): Promise<string | null> {
  for (const to of ["ar", "en"] as const) {
    const unknown = wanted.filter((each) => each.to === to && translationOf(each) === undefined);
    const sources = new Set(unknown.map(({ source }) => plainText(source)));
    for (const texts of requestsOf([...sources])) {
      const from = to === "ar" ? "en" : "ar";
      const asked = await ask(editing, "translate", { from, to, texts });
      if (!asked.ok) return asked.why;
      for (const [i, source] of texts.entries()) {
        const [text] = asked.suggestions[i] ?? [];
        if (text !== undefined) known.set(keyOf({ to, source }), text);
      }
    }
  }
  return null;
}
