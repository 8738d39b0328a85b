import { destinationOf } from "../../../pages/document/destination.ts";
import { spacedNumber } from "../../../pages/document/spaced-number.ts";
import { Icon } from "../../../views/icons.tsx";
import { reader } from "../locale.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { Switch } from "../ui.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import type { Offer, Offers } from "./offers.ts";
import type { Found } from "./paste.ts";

interface Props {
  found: Found;
  offers: Offers;
  /** Added with all lines; null while that is not clear, and for a line that is left out. */
  picked: Offer | null;
  is_icon: boolean;
  is_left_out: boolean;
  /** The only line's button adds at once; of several lines, it chooses what each becomes. */
  is_alone: boolean;
  /** Of a number without one: all there are. */
  countries: readonly string[];
  onChoose: (offer: Offer) => void;
  onIcon: (is_icon: boolean) => void;
  /** Leaves it out, or takes it in. */
  onTake: (is_taken: boolean) => void;
  onCountry: (country: string) => void;
}

export function FoundLine(props: Props) {
  const { found, offers, picked, is_alone, is_icon, is_left_out, onIcon } = props;
  const shown = shownText(found);
  const head = (
    <div class="found-head">
      {picked?.icon && <Icon name={picked.icon} />}
      <span class="found-words">
        {/* Words of either script begin where the line does. */}
        <span>
          <bdi>{shown}</bdi>
        </span>
        <Details {...props} />
      </span>
      {!is_alone && <TakeButton {...props} shown={shown} />}
    </div>
  );
  if (is_left_out) return <li class="found-line is-left-out">{head}</li>;
  const is_only = is_alone && picked !== null && offers.offers.length === 1;
  const can_be_icon = [picked ?? offers.offers[0]].some((offer) => offer?.row);
  const has_country = found.is !== "phone" || found.phone.international !== null;
  return (
    <li class="found-line">
      {!is_only && head}
      {picked === null && <p class="found-question">{offers.question}</p>}
      {!has_country && <Countries {...props} shown={shown} />}
      {is_only ? <OnlyButton {...props} /> : <Choices {...props} shown={shown} />}
      {can_be_icon && <Switch label={LINKS_TEXTS.in_icons} is_on={is_icon} onChange={onIcon} />}
    </li>
  );
}
function Details({ found, offers, picked }: Props) {
  if (offers.reason !== null && picked === null) {
    return <span class={found.is === "refused" ? "error" : ""}>{offers.reason}</span>;
  }
  const place = picked?.place || (picked !== null && offers.question !== null ? picked.name : "");
  if (place === "") return null;
  return (
    <span>
      <bdi>{place}</bdi>
    </span>
  );
}

/** Says what it adds: there is nothing to choose. */
function OnlyButton({ picked, onChoose }: Props) {
  if (picked === null) return null;
  return (
    <button type="button" class="chip-button is-usual" onClick={() => onChoose(picked)}>
      <ToolIcon name="plus" />
      {picked.icon !== null && <Icon name={picked.icon} />}
      {picked.place !== "" && <bdi>{picked.place}</bdi>} <bdi>{picked.name}</bdi>
    </button>
  );
}

function Choices(props: Props & { shown: string }) {
  const { offers, picked, is_alone, onChoose, shown } = props;
  // What is clear has nothing to choose; words that are taken in are a heading or a text.
  // Of what is answered only the answer stays; taken out and in again, it asks again.
  const is_clear = offers.question === null ? offers.offers.length === 1 : picked !== null;
  if (is_clear || offers.offers.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend.
    <div class="chips" role="group" aria-label={LINKS_TEXTS.what_is(shown)}>
      {offers.offers.map((offer) => (
        <button
          type="button"
          class={is_alone && offer === offers.usual ? "chip-button is-usual" : "chip-button"}
          aria-pressed={is_alone ? undefined : offer === picked ? "true" : "false"}
          onClick={(event: Event) => {
            const line = (event.currentTarget as Element).closest("li");
            onChoose(offer);
            // The button is gone with the question, and the focus would be, too.
            requestAnimationFrame(() => {
              if (document.activeElement !== document.body) return;
              line?.querySelector<HTMLElement>(".found-take")?.focus({ preventScroll: true });
            });
          }}
        >
          {is_alone && <ToolIcon name="plus" />}
          {!is_alone && offer === picked && <ToolIcon name="done" />}
          {offer.icon !== null && <Icon name={offer.icon} />}
          {offer.name}
        </button>
      ))}
    </div>
  );
}

function TakeButton(props: Props & { shown: string }) {
  const { found, is_left_out, shown, onTake } = props;
  if (found.is === "refused") return null;
  return (
    <button type="button" class="secondary found-take" onClick={() => onTake(is_left_out)}>
      {is_left_out ? LINKS_TEXTS.take : LINKS_TEXTS.leave}
      <span class="sr">
        {" "}
        <bdi>{shown}</bdi>
      </span>
    </button>
  );
}

const names = new Intl.DisplayNames(reader, { type: "region" });
const order = new Intl.Collator(reader);

function Countries({ countries, shown, onCountry }: Props & { shown: string }) {
  if (countries.length === 0) return null;
  const named = countries.map((code) => ({ code, name: names.of(code) ?? code }));
  return (
    <select
      class="input"
      aria-label={LINKS_TEXTS.country(shown)}
      onChange={(event: Event) => onCountry((event.target as HTMLSelectElement).value)}
    >
      <option value="">{LINKS_TEXTS.choose_country}</option>
      {named
        .sort((a, b) => order.compare(a.name, b.name))
        .map(({ code, name }) => (
          <option value={code}>{name}</option>
        ))}
    </select>
  );
}

function shownText(found: Found): string {
  switch (found.is) {
    case "link":
      return found.label || destinationOf(found.address).place;
    case "phone":
      return found.label || spacedNumber(found.phone.number);
    case "handle":
      return found.address === null ? `@${found.handle}` : found.handle;
    default:
      return found.text;
  }
}
