/** A country code has one, two or three digits (ITU-T E.164). */
const COUNTRY_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/**
 * The groups behind a country code, where {@link usualGroups} is not how. Those with as many digits
 * are taken: a country's landlines are shorter than its mobile numbers.
 */
const GROUPS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  // Egypt's landlines; its mobile numbers are grouped as usual: 100 123 4567.
  "+20": [[1, 4, 4]],
  "+212": [[1, 2, 2, 2, 2]], // Morocco
  "+213": [
    [3, 2, 2, 2],
    [2, 2, 2, 2],
  ], // Algeria
  "+216": [[2, 3, 3]], // Tunisia
  "+222": [[2, 2, 2, 2]], // Mauritania
  "+253": [[2, 2, 2, 2]], // Djibouti
  "+269": [[3, 2, 2]], // Comoros
  "+961": [
    [2, 3, 3],
    [1, 3, 3],
  ], // Lebanon
  "+962": [
    [1, 4, 4],
    [1, 3, 4],
  ], // Jordan
  "+963": [[3, 3, 3]], // Syria
  "+964": [
    [3, 3, 4],
    [1, 3, 4],
  ], // Iraq
  "+967": [[3, 3, 3]], // Yemen
  "+970": [[3, 3, 3]], // Palestine
  // The Emirates' landlines: 4 123 4567. Other countries of the Gulf, Libya and Sudan: as usual.
  "+971": [[1, 3, 4]],
  "+33": [[1, 2, 2, 2, 2]], // France
  "+90": [[3, 3, 2, 2]], // Turkey
};

/** Groups a number as people do, unless its owner has grouped it. */
export function spacedNumber(number: string): string {
  if (!/^\+?\d{6,}$/.test(number)) return number;
  const [country = ""] = COUNTRY_CODE.exec(number) ?? [];
  const digits = number.length - country.length;
  const known = GROUPS[country]?.find((sizes) => sizes.reduce((a, b) => a + b) === digits);
  const groups = [country];
  let at = country.length;
  for (const size of known ?? usualGroups(digits)) {
    groups.push(number.slice(at, at + size));
    at += size;
  }
  return groups.join(" ").trim();
}

/** Fours at the end, threes before them, so that no digit is alone: 50 123 4567, 3312 3456. */
function usualGroups(digits: number): number[] {
  const sizes: number[] = [];
  for (let left = digits; left > 0; ) {
    const size = sizes.length === 0 || (sizes.length === 1 && left % 3 === 1) ? 4 : 3;
    sizes.unshift(Math.min(size, left));
    left -= size;
  }
  return sizes;
}
