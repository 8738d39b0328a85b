/** Loaded as its own file when a number is typed: 33 KB with the plans of all countries. */
import {
  type CountryCode,
  getCountries,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";
import { countryOfZone } from "./zone-countries.ts";

/**
 * Returns a number in the form of E.164 if one of that country's plan is written so, else null.
 * `country` is for numbers without a country code.
 */
export function numberIn(digits: string, country: string | null): string | null {
  const own = country !== null && isSupportedCountry(country) ? { defaultCountry: country } : {};
  const found = parsePhoneNumberFromString(digits, { ...own, extract: false });
  return found?.isValid() ? found.number : null;
}

export const countries: readonly CountryCode[] = getCountries();

/** Of the page's zone, else of a language that the reader has chosen with a region. */
export function likelyCountry(time_zone: string, languages: readonly string[]): string | null {
  const regions = languages.map(regionOf).filter((region) => region !== undefined);
  return (
    [countryOfZone(time_zone), ...regions].find((each) => each && isSupportedCountry(each)) ?? null
  );
}

function regionOf(language: string): string | undefined {
  try {
    return new Intl.Locale(language).region;
  } catch {
    return undefined;
  }
}
