import { useEffect, useState } from "hono/jsx/dom";
import { repeatable } from "../lazy.tsx";
import { NO_TOOLS, needsOf, type Tools } from "./tools.ts";

/** A file that stalls may never fail. Without tools a text can still be read. */
const STALLED_MS = 4_000;

type Reading = typeof import("./reading.ts");
type Numbers = typeof import("./phone-numbers.ts");
type Domains = typeof import("./domains.ts");

const loadReading = repeatable<Reading>(() => import("./reading.ts"));
const loadNumbers = repeatable<Numbers>(() => import("./phone-numbers.ts"));
const loadDomains = repeatable<Domains>(() => import("./domains.ts"));

let reading: Reading | null = null;
let numbers: Numbers | null = null;
let domains: Domains | null = null;

/** Null while its file is not there. */
export function readingNow(): Reading | null {
  return reading;
}

/** Codes of all countries whose numbers can be told; empty while their file is not there. */
export function knownCountries(): readonly string[] {
  return numbers?.countries ?? [];
}

/** @param country that the creator has chosen; null: of the page's zone or the reader's languages */
export function toolsFor(time_zone: string, country: string | null): Tools {
  return {
    numberIn: numbers?.numberIn ?? NO_TOOLS.numberIn,
    isTopLevel: domains?.isTopLevel ?? NO_TOOLS.isTopLevel,
    country: country ?? numbers?.likelyCountry(time_zone, navigator.languages) ?? null,
  };
}

/** Whether all is there that reading the text needs. */
export function isReadable(text: string): boolean {
  const needs = needsOf(text);
  if (reading === null || (needs.numbers && numbers === null)) return false;
  return !needs.domains || domains !== null;
}

/** Loads what reading the text needs. Ends when it is there, or will not be soon. */
export async function loadFor(text: string): Promise<void> {
  if (isReadable(text)) return;
  const needs = needsOf(text);
  const loading = Promise.allSettled([
    loadReading().then((loaded) => {
      reading = loaded;
    }),
    needs.numbers &&
      loadNumbers().then((loaded) => {
        numbers = loaded;
      }),
    needs.domains &&
      loadDomains().then((loaded) => {
        domains = loaded;
      }),
  ]);
  await Promise.race([loading, new Promise((done) => setTimeout(done, STALLED_MS))]);
}

/** Whether the text can be read; renders again once it can. */
export function useReadable(text: string): boolean {
  const [tried, setTried] = useState<string | null>(null);
  const is_missing = !isReadable(text);
  useEffect(() => {
    if (!is_missing) return;
    let is_over = false;
    void loadFor(text).then(() => {
      if (!is_over) setTried(text);
    });
    return () => {
      is_over = true;
    };
  }, [text, is_missing]);
  return !is_missing || (tried === text && reading !== null);
}
