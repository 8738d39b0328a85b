import { Icon } from "../../../views/icons.tsx";
import { ToolIcon } from "../tool-icon.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import type { Offer, Offers } from "./offers.ts";
import type { Found } from "./paste.ts";

export function FoundLine(props: {
  found: Found;
  offers: Offers;
  /** Added with all lines; null while that is not clear. */
  picked: Offer | null;
  /** The only line's button adds at once; of several lines, it chooses what each becomes. */
  is_alone: boolean;
  onChoose: (offer: Offer) => void;
}) {
  const { found, offers, picked, is_alone, onChoose } = props;
  const shown = shownText(found);
  /** The button says what it does, because there is nothing to choose. */
  const is_only = is_alone && offers.offers.length === 1 && offers.question === null;
  return (
    <li>
      <p class={found.is === "refused" ? "found-text error" : "found-text"}>
        {is_alone ? null : <bdi>{shown}</bdi>}
        {(is_alone || picked === null) && (
          <span>{offers.question ?? (is_alone && !is_only ? LINKS_TEXTS.add_as : "")}</span>
        )}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend. */}
      <div class="chips" role="group" aria-label={LINKS_TEXTS.what_is(shown)}>
        {offers.offers.map((offer) => (
          <button
            type="button"
            class={is_alone && offer === offers.usual ? "chip-button is-usual" : "chip-button"}
            aria-pressed={is_alone ? undefined : offer === picked ? "true" : "false"}
            onClick={() => onChoose(offer)}
          >
            {is_alone && <ToolIcon name="plus" />}
            {!is_alone && offer === picked && <ToolIcon name="done" />}
            {offer.icon !== null && !is_only && <Icon name={offer.icon} />}
            {is_only ? LINKS_TEXTS.add_button : offer.name}
            {offer.place !== undefined && <bdi dir="ltr">{offer.place}</bdi>}
          </button>
        ))}
      </div>
    </li>
  );
}

function shownText(found: Found): string {
  switch (found.is) {
    case "address":
      return found.label || found.address;
    case "phone":
      return found.label || found.phone.number;
    case "handle":
      return `@${found.handle}`;
    default:
      return found.text;
  }
}
