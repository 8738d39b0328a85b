import { mediaPath } from "../../pages/document/page-address.ts";
import { languageIn, textIn } from "../../pages/document/page-words.ts";
import { dateFormat, TIME_OPTIONS } from "../../views/dates.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import { LOCALES } from "../../views/locale.ts";
import { plainText } from "../../views/plain-text.ts";
import { TEXTS } from "../../views/texts.ts";
import type { Contact, Draft, Link } from "./draft.ts";
import { FIELD_TEXTS } from "./field-texts.ts";
import { locale, reader } from "./locale.ts";
import { LOOK_TEXTS } from "./look/look-texts.ts";

type Words = Readonly<Record<string, string>>;

/** Longer texts are cut where two versions stand side by side. */
const SHOWN_CHARACTERS = 160;

export function linkName({ label, url }: Pick<Link, "label" | "url">): string {
  return plainText(textIn(label, locale)) || url || FIELD_TEXTS.nameless;
}

/**
 * "Bio, in Arabic".
 *
 * @param path as in `Conflict`
 * @param pages where the links of the path are looked up, the first that has it
 */
export function fieldName(path: string, pages: readonly Pick<Draft, "links">[]): string {
  const [top = "", ...rest] = path.split(".");
  const { fields, in_language, of_link } = FIELD_TEXTS;
  if (top === "links" && rest.length > 0) {
    const [link_id, member, language] = rest;
    const link = pages.flatMap(({ links }) => links).find((each) => each.link_id === link_id);
    return joined(
      of_link(link === undefined ? FIELD_TEXTS.nameless : linkName(link)),
      member && FIELD_TEXTS.link[member],
      language && in_language[language],
    );
  }
  const [member = ""] = rest;
  const look = { ...LOOK_TEXTS.axes, accent: LOOK_TEXTS.accent };
  const parts: Words = { contact: FIELD_TEXTS.contact, look }[top] ?? in_language;
  return joined(fields[top] ?? top, parts[member]);
}

function joined(...parts: (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined && part !== "")
    .join(locale === "ar" ? "، " : ", ");
}

/** A whole link that was removed has the value null. */
export function FieldValue(props: { path: string; value: unknown; time_zone: string }) {
  const { path, value, time_zone } = props;
  const field = path.split(".").at(-1) ?? "";
  const is_link = /^links\.[^.]+$/.test(path);
  if (is_link && value === null) return <em>{FIELD_TEXTS.removed}</em>;
  if (value === null || value === undefined || value === "") return <em>{FIELD_TEXTS.none}</em>;
  if ((field === "avatar" || field === "image") && typeof value === "string") {
    return <img class="value-picture" src={mediaPath(value)} alt={FIELD_TEXTS.picture} />;
  }
  if (is_link) return <LinkWords link={value as Link} />;
  const words = cut(valueWords(field, value, time_zone));
  const language = LOCALES.find((each) => each === field);
  if (language === undefined) return <bdi>{words}</bdi>;
  return <bdi {...inLanguage(language)}>{drawn(words, language)}</bdi>;
}

function LinkWords({ link }: { link: Link }) {
  const { label, url } = link;
  const name = cut(linkName(link));
  const language = languageIn(label, locale);
  return (
    <>
      <bdi {...inLanguage(language)}>{drawn(name, language)}</bdi>
      {url !== null && url !== name && (
        <>
          {" – "}
          <bdi dir="ltr">{cut(url)}</bdi>
        </>
      )}
    </>
  );
}

function valueWords(field: string, value: unknown, time_zone: string): string {
  if (typeof value === "boolean") return value ? FIELD_TEXTS.on : FIELD_TEXTS.off;
  if (typeof value === "number") {
    const options = { day: "numeric", month: "long", year: "numeric", ...TIME_OPTIONS } as const;
    return dateFormat(reader, time_zone, options).format(value * 1_000);
  }
  if (typeof value === "string") {
    const { statuses: status, kinds: kind } = FIELD_TEXTS;
    const words: Readonly<Record<string, Words>> = { ...LOOK_TEXTS.values, status, kind };
    return words[field]?.[value] ?? value;
  }
  if (Array.isArray(value)) {
    const names = value.map((each) => {
      const language = LOCALES.find((one) => one === each);
      return language === undefined ? String(each) : TEXTS[language].own_name;
    });
    return joined(...names) || FIELD_TEXTS.none;
  }
  if (field === "contact") {
    const { name, organisation, phones, emails } = value as Contact;
    return joined(name, organisation ?? "", ...phones, ...emails) || FIELD_TEXTS.none;
  }
  return joined(...Object.values(value as object).map(String));
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= SHOWN_CHARACTERS) return text;
  return `${characters.slice(0, SHOWN_CHARACTERS).join("")}…`;
}
