/** The page's numbers are counted by days of this zone. */
import { useEffect, useMemo, useState } from "hono/jsx/dom";
import { setWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { reader } from "../locale.ts";
import { Dialog, TextField, useEditing } from "../ui.tsx";
import { SETTINGS_TEXTS } from "./settings-texts.ts";
import { CITIES } from "./zone-cities.ts";

const TEXTS = SETTINGS_TEXTS.zone;
/** Most creators live in these zones: the list begins with them. */
const NEAR = [
  ..."Riyadh Dubai Kuwait Qatar Bahrain Muscat Aden Baghdad Damascus Beirut Amman Gaza Hebron"
    .split(" ")
    .map((city) => `Asia/${city}`),
  ..."Cairo Khartoum Tripoli Tunis Algiers Casablanca Nouakchott"
    .split(" ")
    .map((city) => `Africa/${city}`),
];
/** It is in no country, so its name is the same as its place. */
const UTC = "UTC";
const SHOWN = 40;

interface Zone {
  id: string;
  /** The country in the reader's language, with the city where it has several zones. */
  name: string;
  /** `GMT+3`, now. */
  offset: string;
  searched: string;
}

/** Browsers have the names of countries, but of few cities, and of few zones. */
const COUNTRY_NAMES = [reader, "en", "ar"].map(
  (language) => new Intl.DisplayNames(language, { type: "region", fallback: "none" }),
);

/** Later browsers have the method, others the property that it replaced. */
interface Region {
  getTimeZones?: () => readonly string[];
  timeZones?: readonly string[];
}

let countries: ReadonlyMap<string, { code: string; has_others: boolean }> | null = null;

/** Takes some 100 ms, once. */
function countryOf(id: string) {
  countries ??= new Map(
    regionCodes().flatMap((code) => {
      const region = new Intl.Locale(`und-${code}`) as Region;
      const zones = region.getTimeZones?.() ?? region.timeZones ?? [];
      return zones.map((zone) => [zone, { code, has_others: zones.length > 1 }] as const);
    }),
  );
  return countries.get(id);
}

/** Pairs of letters that have a name, without old codes of other ones. */
function regionCodes(): string[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const isCurrent = (code: string) => new Intl.Locale(`und-${code}`).region === code;
  return pairs.filter((code) => isCurrent(code) && COUNTRY_NAMES[0]?.of(code) !== undefined);
}

function offsetOf(id: string): string {
  const format = new Intl.DateTimeFormat(reader, { timeZone: id, timeZoneName: "shortOffset" });
  return format.formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? "";
}

function zoneOf(id: string): Zone {
  const country = countryOf(id);
  const names = country === undefined ? [] : COUNTRY_NAMES.map((names) => names.of(country.code));
  const place = id.replaceAll("_", " ");
  const city = CITIES[id] ?? place.split("/").at(-1) ?? place;
  const [name = city] = names;
  return {
    id,
    name: country?.has_others ? `${name} – ${city}` : name,
    offset: offsetOf(id),
    searched: folded([place, city, ...names].join(" ")),
  };
}

/** Removes what people do not tell apart: case, marks, and the forms of alef and teh marbuta. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[أإآ]/g, "ا")
    .replace(/ة/g, "ه")
    .replace(/ى/g, "ي");
}

export function ZoneSetting(props: { editing: Editing }) {
  const { editing } = props;
  const id = useEditing(editing, ({ draft }) => draft.time_zone);
  const [is_choosing, setChoosing] = useState(false);
  const [zone, setZone] = useState<Zone | null>(null);
  // Runs after the panel is painted: the names of all countries are looked up.
  useEffect(() => setZone(zoneOf(id)), [id]);
  const choose = (next: Zone) => {
    setChoosing(false);
    if (next.id === id) return;
    setWithUndo(editing, TEXTS.changed(next.name), { time_zone: next.id });
  };
  return (
    <>
      <p class="zone-now">
        <strong>{zone?.name}</strong> <ZonePlace id={id} offset={zone?.offset ?? ""} />
      </p>
      <p class="hint">{TEXTS.hint}</p>
      <button type="button" class="secondary" onClick={() => setChoosing(true)}>
        {TEXTS.change}
      </button>
      {is_choosing && (
        <ZoneDialog current={id} onChoose={choose} onClose={() => setChoosing(false)} />
      )}
    </>
  );
}

function ZonePlace(props: { id: string; offset: string }) {
  const { id, offset } = props;
  return (
    <span class="zone-place">
      {id !== UTC && (
        <>
          <bdi dir="ltr">{id.replaceAll("_", " ")}</bdi> ·{" "}
        </>
      )}
      <bdi>{offset}</bdi>
    </span>
  );
}

function ZoneDialog(props: {
  current: string;
  onChoose: (zone: Zone) => void;
  onClose: () => void;
}) {
  const { current, onChoose, onClose } = props;
  const [text, setText] = useState("");
  const device = Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Takes some 100 ms on a computer, so only while the list is open.
  const zones = useMemo(() => {
    const known = Intl.supportedValuesOf("timeZone");
    const near = NEAR.filter((id) => known.includes(id));
    const ids = new Set([current, device, ...near, ...known, UTC]);
    return [...ids].map(zoneOf);
  }, [current]);
  const words = folded(text).split(/\s+/);
  const found = zones.filter(({ searched }) => words.every((word) => searched.includes(word)));
  return (
    <Dialog title={TEXTS.change} class="zones" onClose={onClose}>
      <p class="hint">{TEXTS.rule}</p>
      <TextField label={TEXTS.search} value={text} onInput={setText} />
      <ul class="zone-list">
        {found.slice(0, SHOWN).map((zone) => (
          <li key={zone.id}>
            <button
              type="button"
              class="zone-choice"
              aria-current={zone.id === current ? "true" : undefined}
              onClick={() => onChoose(zone)}
            >
              <strong>
                {zone.name}
                {zone.id === device && <span class="hint"> ({TEXTS.device})</span>}
              </strong>
              <ZonePlace id={zone.id} offset={zone.offset} />
            </button>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {found.length === 0 ? TEXTS.none : found.length > SHOWN ? TEXTS.more : ""}
      </p>
    </Dialog>
  );
}
