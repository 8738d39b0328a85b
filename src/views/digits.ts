/** Arabic-Indic and Persian zeros: U+0660 and U+06F0. */
const ZEROS = [0x660, 0x6f0] as const;

export function latinDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹]/g, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - (ZEROS.findLast((zero) => code >= zero) ?? code));
  });
}
