import type { Child } from "hono/jsx";
import { KNOWN_OF_CLICKS } from "../../stats/breakdown-shares.ts";
import type { LinkStats, Stats, ValueTrend } from "../../stats/stats-shape.ts";
import { Icon } from "../../views/icons.tsx";
import { plainText, truncated } from "../../views/plain-text.ts";
import { changed } from "../addresses.ts";
import { CopyButton } from "../copy-button.tsx";
import { LinkName } from "./links.tsx";
import { PART_TEXTS } from "./part-texts.ts";
import type { StatsPageProps } from "./props.ts";
import { nameOf } from "./ranked-lists.tsx";
import { DASHBOARD_TEXTS } from "./texts.ts";

const ADDRESS_MAX_CHARACTERS = 120;

export function shownLink({ link, links }: Stats): LinkStats | null {
  return links.find(({ link_id }) => link_id === link?.link_id) ?? null;
}

export function LinkPart(props: StatsPageProps & { link: LinkStats }) {
  const { locale, link } = props;
  const texts = PART_TEXTS[locale];
  return (
    <div class="part">
      <Chip
        {...props}
        kind={DASHBOARD_TEXTS[locale].link}
        name={<LinkName {...{ link, locale }} language={props.page.locale} />}
      />
      {link.removed && <p class="why">{DASHBOARD_TEXTS[locale].removed_link_what}</p>}
      {link.url !== null && (
        <p class="part-address">
          <bdi dir="ltr">{truncated(link.url, ADDRESS_MAX_CHARACTERS)}</bdi>
          <a class="quiet" href={link.url} rel="noopener noreferrer nofollow">
            <Icon name="outward" class="outward" />
            {texts.open_link}
          </a>
          <CopyButton locale={locale} text={link.url} />
        </p>
      )}
    </div>
  );
}

export function ValuePart(props: StatsPageProps & { filter: ValueTrend }) {
  const { locale, filter } = props;
  const { dimension, value } = filter;
  const texts = PART_TEXTS[locale];
  return (
    <div class="part">
      <Chip
        {...props}
        kind={DASHBOARD_TEXTS[locale][dimension]}
        name={<bdi>{plainText(nameOf(locale, dimension, value))}</bdi>}
      />
      <p class="why">
        {KNOWN_OF_CLICKS.has(dimension) ? texts.filter_what_clicks : texts.filter_what}
      </p>
    </div>
  );
}

function Chip(props: StatsPageProps & { kind: string; name: Child }) {
  const { locale, url, kind, name } = props;
  return (
    <a class="part-chip" href={changed(url, { link: null, filter: null })}>
      <span>
        {kind}: {name}
      </span>
      <span class="chip-end" aria-hidden="true">
        ×
      </span>
      <span class="sr">{PART_TEXTS[locale].all_numbers}</span>
    </a>
  );
}
