import { memo } from "hono/jsx/dom";
import { type Destination, destinationOf } from "../../../pages/document/destination.ts";
import { parseLinkAddress } from "../../../pages/document/link-address.ts";
import { mediaPath } from "../../../pages/document/page-address.ts";
import { languageIn, textIn } from "../../../pages/document/page-words.ts";
import { drawn, inLanguage } from "../../../views/drawn-text.ts";
import { Icon, type IconName } from "../../../views/icons.tsx";
import { hasFocusIn } from "../at-hand.ts";
import type { Link } from "../draft.ts";
import { locale } from "../locale.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { Switch } from "../ui.tsx";
import { nameOf, rowPartId } from "./desk.ts";
import { LinkForm } from "./link-form.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import type { RowProps } from "./row-props.ts";
import { accountOf } from "./services.ts";

/** The widest row has room for such a line. */
const LINE_CHARACTERS_MAX = 120;

/** Rendered again only if something of this link has changed: a page may have 200 rows. */
export const LinkRow = memo(function LinkRow(props: RowProps) {
  const { row_key, link, desk, is_open, is_lifted } = props;
  const name = nameOf(link);
  const classes = [
    "row",
    is_open && "is-open",
    is_lifted && "is-lifted",
    !link.enabled && "is-off",
  ];
  return (
    <li
      class={classes.filter(Boolean).join(" ")}
      data-row={row_key}
      onFocusIn={() => hasFocusIn({ row_key })}
    >
      <div class="row-line">
        <button
          type="button"
          class="row-grip"
          id={rowPartId(row_key, "grip")}
          aria-label={LINKS_TEXTS.arrange(name)}
          aria-describedby="arrange-help"
          aria-pressed={is_lifted ? "true" : "false"}
          onKeyDown={(event: KeyboardEvent) => desk.onGripKey(link, event)}
          onBlur={() => desk.onGripBlur(link)}
        >
          <ToolIcon name="grip" />
        </button>
        <button
          type="button"
          class="row-open"
          id={rowPartId(row_key, "open")}
          aria-expanded={is_open ? "true" : "false"}
          aria-controls={is_open ? rowPartId(row_key, "form") : undefined}
          onClick={(event: MouseEvent) => desk.toggle(link, isOfKeyboard(event))}
        >
          <Summary {...props} />
        </button>
        <Switch
          label={LINKS_TEXTS.shown(name)}
          is_label_hidden
          is_on={link.enabled}
          onChange={(enabled) => desk.setEnabled(link, enabled)}
        />
      </div>
      {is_open && <LinkForm {...props} />}
    </li>
  );
});

/** A click that no pointer made: Enter, Space, or what a screen reader sends. */
function isOfKeyboard({ detail }: MouseEvent): boolean {
  return detail === 0;
}

function Summary(props: RowProps) {
  const { link, state, clicks, url_problem, from_problem, until_problem } = props;
  const address = parseLinkAddress(link.url ?? "");
  const destination = address === null ? null : destinationOf(address);
  // Two accounts of one service differ in nothing else.
  const account = address === null ? null : accountOf(address);
  const is_named = textIn(link.label, locale) !== "";
  // What stands in for a missing label is in the creator's language, or an address.
  const language = is_named ? languageIn(link.label, locale) : locale;
  const name = nameOf(link, LINE_CHARACTERS_MAX);
  const site = account === name ? destination?.name[locale] : destination?.place;
  const place = account === null || account === name ? (is_named && site) || null : account;
  const has_error =
    url_problem === "not_an_address" ||
    url_problem === "emptied" ||
    from_problem !== null ||
    until_problem !== null;
  return (
    <>
      <Picture link={link} destination={destination} />
      <span class="row-words">
        <span class={link.kind === "heading" ? "row-name is-heading" : "row-name"}>
          <bdi {...inLanguage(language)}>{drawn(name, language)}</bdi>
          {link.highlight && <ToolIcon name="star" />}
        </span>
        {place !== null && (
          <bdi class="row-place-name" dir="ltr">
            {place}
          </bdi>
        )}
        {state !== "" && <span class={has_error ? "row-state is-bad" : "row-state"}>{state}</span>}
        {clicks !== "" && <span class="row-clicks">{clicks}</span>}
      </span>
    </>
  );
}

const BLOCK_ICONS: Readonly<Partial<Record<Link["kind"], IconName>>> = {
  tip: "tip",
  download: "save",
  newsletter: "mail",
};

function Picture(props: { link: Link; destination: Destination | null }) {
  const { link, destination } = props;
  if (link.kind === "card" && link.image !== null) {
    return <img class="row-picture" src={mediaPath(link.image)} alt="" loading="lazy" />;
  }
  if (link.kind === "heading" || link.kind === "text") {
    return (
      <span class="row-chip is-words" aria-hidden="true">
        {link.kind === "heading" ? LINKS_TEXTS.heading_letter : "¶"}
      </span>
    );
  }
  return (
    <span class="row-chip">
      <Icon name={BLOCK_ICONS[link.kind] ?? destination?.icon ?? "web"} />
    </span>
  );
}
