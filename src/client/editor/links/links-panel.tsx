import { useEffect, useLayoutEffect, useRef, useState } from "hono/jsx/dom";
import { isBlock } from "../../../pages/document/block-kinds.ts";
import { LINKS_MAX } from "../../../pages/document/limits.ts";
import type { Locale } from "../../../views/locale.ts";
import { counted } from "../../../views/numbers.ts";
import { isVisible } from "../../../views/plain-text.ts";
import { useAtHand } from "../at-hand.ts";
import { hasAddress, isUnsaved, type Link } from "../draft.ts";
import type { Editing, EditingState } from "../editing.ts";
import { EDITOR_TEXTS } from "../editor-texts.ts";
import { reader } from "../locale.ts";
import { useEditing } from "../ui.tsx";
import { AddLinks } from "./add-links.tsx";
import { useClicks } from "./clicks.ts";
import { Desk } from "./desk.ts";
import { useDrag } from "./drag.ts";
import { LinkRow } from "./link-row.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import { listOf } from "./order.ts";
import type { Problem } from "./row-props.ts";
import { scheduleWords } from "./schedule-words.ts";

/** Renews words such as "in 3 minutes". */
const CLOCK_MS = 20_000;

interface Shown {
  links: readonly Link[];
  locales: readonly Locale[];
  languages: readonly Locale[];
  time_zone: string;
  withheld: EditingState["withheld"];
  new_blocks: ReadonlySet<string>;
  clicks: Readonly<Record<string, number>> | null;
  now_s: number;
}

export function LinksPanel(props: { editing: Editing }) {
  const { editing } = props;
  const [, setVersion] = useState(0);
  const desk_ref = useRef<Desk | null>(null);
  desk_ref.current ??= new Desk(editing, () => setVersion((version) => version + 1));
  const desk = desk_ref.current;
  const { links, locales, time_zone } = useEditing(editing, ({ draft }) => draft);
  const withheld = useEditing(editing, (state) => state.withheld);
  const languages = useEditing(editing, (state) => state.languages);
  const new_blocks = useAtHand("new_blocks");
  const clicks = useClicks(editing);
  const now_s = useNow();
  const shown: Shown = {
    links,
    locales,
    languages,
    time_zone,
    withheld,
    new_blocks,
    clicks,
    now_s,
  };
  useLayoutEffect(() => desk.rendered());
  useEffect(() => () => desk.leave(), []);
  const socials = listOf(links, "social");
  const others = listOf(links, "link");
  return (
    <div class="links-panel">
      <h2 class="sr">{EDITOR_TEXTS.panels.links}</h2>
      <AddLinks
        desk={desk}
        locales={locales}
        time_zone={time_zone}
        left={LINKS_MAX - links.length}
        is_first={links.length === 0}
      />
      {links.length > 0 && <p class="hint counts-stay">{LINKS_TEXTS.counts_stay}</p>}
      <p class="sr" id="arrange-help">
        {LINKS_TEXTS.arrange_help}
      </p>
      {socials.length > 0 && (
        <Rows
          key="socials"
          title={LINKS_TEXTS.socials}
          hint={LINKS_TEXTS.socials_hint}
          list={socials}
          shown={shown}
          desk={desk}
        />
      )}
      {others.length > 0 && (
        <Rows key="list" title={LINKS_TEXTS.list} list={others} shown={shown} desk={desk} />
      )}
    </div>
  );
}

function useNow(): number {
  const now = () => Math.floor(Date.now() / 1_000);
  const [now_s, setNow] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setNow(now()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  return now_s;
}

function Rows(props: {
  title: string;
  hint?: string;
  list: readonly Link[];
  shown: Shown;
  desk: Desk;
}) {
  const { title, hint, list, shown, desk } = props;
  const ref = useRef<HTMLUListElement>(null);
  useDrag(ref, desk);
  const rows = () =>
    list.map((link) => {
      const row_key = desk.keyOf(link);
      return (
        <LinkRow
          key={row_key}
          row_key={row_key}
          link={link}
          desk={desk}
          locales={shown.locales}
          languages={shown.languages}
          time_zone={shown.time_zone}
          is_open={desk.open === row_key}
          is_new={shown.new_blocks.has(row_key)}
          is_lifted={desk.lifted?.row_key === row_key}
          url_problem={problemOf(shown, link, "url")}
          from_problem={problemOf(shown, link, "from")}
          until_problem={problemOf(shown, link, "until")}
          state={stateOf(shown, link, shown.new_blocks.has(row_key))}
          clicks={clicksOf(shown, link)}
        />
      );
    });
  const rendered = useRef<ReturnType<typeof rows> | null>(null);
  if (!desk.is_dragging || rendered.current === null) rendered.current = rows();
  return (
    <section>
      <div class="rows-head">
        <h3>{title}</h3>
        {hint !== undefined && <p class="hint">{hint}</p>}
      </div>
      <ul class="rows" ref={ref}>
        {rendered.current}
      </ul>
    </section>
  );
}

function problemOf(
  { withheld }: Shown,
  { link_id }: Link,
  member: "url" | "block" | "from" | "until",
): Problem {
  return withheld.get(`links.${link_id}.${member}`) ?? null;
}

function stateOf(shown: Shown, link: Link, is_new: boolean): string {
  const { languages, now_s, time_zone } = shown;
  const url = problemOf(shown, link, "url");
  const has_bad_times = (["from", "until"] as const).some(
    (member) => problemOf(shown, link, member) !== null,
  );
  const has_words = Object.values(link.label).some((text) => isVisible(text ?? ""));
  const missing = languages.filter((each) => has_words && !isVisible(link.label[each] ?? ""));
  return [
    !link.enabled && (is_new ? LINKS_TEXTS.not_yet : LINKS_TEXTS.off),
    (url === "empty" || url === "emptied") && LINKS_TEXTS.no_address,
    url === "not_an_address" && LINKS_TEXTS.bad_address,
    has_bad_times && LINKS_TEXTS.bad_times,
    problemOf(shown, link, "block") !== null && LINKS_TEXTS.no_file,
    !hasAddress(link.kind) && !isBlock(link.kind) && !has_words && LINKS_TEXTS.no_words,
    !has_bad_times && scheduleWords(link, now_s, time_zone),
    ...missing.map((each) => LINKS_TEXTS.missing[each]),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Words by number: a format is made for each, which 200 rows would feel in every keystroke. */
const known_words = new Map<number, string>();

/** Empty while nothing is known. A link that was never clicked has no total. */
function clicksOf({ clicks }: Shown, { link_id, kind }: Link): string {
  const is_counted = hasAddress(kind) || isBlock(kind);
  if (clicks === null || !is_counted || isUnsaved(link_id)) return "";
  const n = clicks[link_id] ?? 0;
  const words = known_words.get(n) ?? counted(reader, "click", n);
  known_words.set(n, words);
  return words;
}
