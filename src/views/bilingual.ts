export interface Bilingual {
  ar: string;
  en: string;
}

/** The description of a field, header or parameter in the OpenAPI document, in both languages. */
export function bilingual(en: string, ar: string) {
  return { description: en, "x-description-ar": ar } as const;
}
