export interface Bilingual {
  ar: string;
  en: string;
}

export function bilingual(en: string, ar: string) {
  return { description: en, "x-description-ar": ar } as const;
}
