/** What a field or header of the document says of itself, in both languages. */
export function bilingual(en: string, ar: string) {
  return { description: en, "x-description-ar": ar } as const;
}
