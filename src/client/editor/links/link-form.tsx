import { useRef, useState } from "hono/jsx/dom";
import { isBlock } from "../../../pages/document/block-kinds.ts";
import { LINK_LABEL_CHARS_MAX, LINK_TEXT_CHARS_MAX } from "../../../pages/document/limits.ts";
import { LINK_ADDRESS_MAX_CHARACTERS } from "../../../pages/document/link-address.ts";
import { mediaPath } from "../../../pages/document/page-address.ts";
import { isVisible, truncated } from "../../../views/plain-text.ts";
import { has_suggestions } from "../ai/is-on.ts";
import { hasAddress, type LinkKind } from "../draft.ts";
import { BlockForm, LabelIdeas, PictureDialog, PictureWords, Schedule } from "../parts.ts";
import { ToolIcon, type ToolIconName } from "../tool-icon.tsx";
import { Switch, TextField } from "../ui.tsx";
import { END, rowPartId } from "./desk.ts";
import { LINKS_TEXTS } from "./links-texts.ts";
import { placeOf } from "./order.ts";
import type { RowProps } from "./row-props.ts";
import { loadFor, readingNow, toolsFor } from "./use-reading.ts";

/** The length of a text that stands for a missing one. */
const FALLBACK_CHARACTERS_MAX = 60;

const ADDRESSED = ["link", "card", "social"] as const;
const WORDED = ["heading", "text"] as const;

export function LinkForm(props: RowProps) {
  const { link, desk, row_key } = props;
  const is_addressed = hasAddress(link.kind);
  const onKey = (event: KeyboardEvent) => {
    // Escape in a dialog of the form closes the dialog.
    const is_inside = (event.target as Element).closest("dialog") === null;
    if (event.key !== "Escape" || event.isComposing || !is_inside) return;
    event.preventDefault();
    desk.close(row_key);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key that all fields of the form share.
    <div class="row-form" id={rowPartId(row_key, "form")} onKeyDown={onKey}>
      {props.is_new && <p class="hint">{LINKS_TEXTS.shown_when_closed}</p>}
      <Names {...props} />
      {is_addressed && <Address {...props} />}
      {isBlock(link.kind) ? <BlockForm link={link} desk={desk} /> : <Kinds {...props} />}
      {link.kind === "card" && <CardPicture {...props} />}
      {link.kind === "card" && link.image !== null && <PictureWords {...props} />}
      {(link.kind === "link" || link.kind === "card") && (
        <Switch
          label={LINKS_TEXTS.highlight}
          hint={LINKS_TEXTS.highlight_hint}
          is_on={link.highlight}
          onChange={(highlight) => desk.change(link, { highlight })}
        />
      )}
      <Schedule {...props} />
      <div class="row-tools">
        <Order {...props} />
        <button type="button" class="secondary remove" onClick={() => desk.remove(link)}>
          <ToolIcon name="trash" />
          {LINKS_TEXTS.remove}
        </button>
      </div>
    </div>
  );
}

function wordsOf(kind: LinkKind) {
  const { label, labels, label_hint, words, words_in } = LINKS_TEXTS;
  if (hasAddress(kind)) return { own_label: label, labels, empty_hint: label_hint };
  if (!isBlock(kind)) return { own_label: words, labels: words_in, empty_hint: undefined };
  const { block_label, block_labels, block_label_hint } = LINKS_TEXTS;
  return { own_label: block_label, labels: block_labels, empty_hint: block_label_hint };
}

function Names({ link, desk, locales, languages, row_key }: RowProps) {
  const { own_label, labels, empty_hint } = wordsOf(link.kind);
  return (
    <div class="row-names">
      {languages.map((language, i) => {
        const text = link.label[language] ?? "";
        // What is being prepared stands for nothing.
        const others = locales.filter((each) => each !== language);
        const other = others.map((each) => link.label[each] ?? "").join("");
        const fallback = isVisible(text) ? "" : truncated(other, FALLBACK_CHARACTERS_MAX);
        return (
          <div key={language}>
            <TextField
              {...(i === 0 ? { id: rowPartId(row_key, "name") } : {})}
              label={languages.length === 1 ? own_label : labels[language]}
              lang={language}
              value={text}
              maxlength={link.kind === "text" ? LINK_TEXT_CHARS_MAX : LINK_LABEL_CHARS_MAX}
              {...(link.kind === "text" ? { rows: 3 } : {})}
              hint={
                fallback !== ""
                  ? LINKS_TEXTS.falls_back(fallback)
                  : isVisible(text)
                    ? undefined
                    : empty_hint
              }
              onInput={(value) =>
                desk.change(
                  link,
                  { label: { ...link.label, [language]: value } },
                  `name-${language}`,
                )
              }
            />
            {has_suggestions && hasAddress(link.kind) && (
              <LabelIdeas
                link={link}
                desk={desk}
                language={language}
                is_alone={languages.length === 1}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The field keeps what is typed; the draft gets its address as soon as it means one. */
function Address({ link, desk, time_zone, url_problem }: RowProps) {
  const [typed, setTyped] = useState(readable(link.url));
  const [is_typing, setTyping] = useState(false);
  const last_typed = useRef("");
  const meant = (text: string) => readingNow()?.addressOf(text, toolsFor(time_zone, null)) ?? text;
  const url = link.url ?? "";
  const value = meant(typed) === url ? typed : readable(url);
  const saved = desk.editing.state.saved.links.find(({ link_id }) => link_id === link.link_id)?.url;
  const stays = saved ? LINKS_TEXTS.saved_stays(saved) : LINKS_TEXTS.not_shown_yet;
  // The address of a new link is not filled in yet; one that was emptied is a mistake.
  const is_wrong = !is_typing && (url_problem === "not_an_address" || url_problem === "emptied");
  const wrong = url_problem === "emptied" ? LINKS_TEXTS.emptied : LINKS_TEXTS.not_an_address;
  return (
    <TextField
      label={LINKS_TEXTS.address}
      dir="ltr"
      value={value}
      maxlength={LINK_ADDRESS_MAX_CHARACTERS}
      hint={LINKS_TEXTS.address_hint}
      error={is_wrong ? `${wrong} ${stays}` : undefined}
      onInput={(text) => {
        setTyping(true);
        desk.editing.setTyping(link.link_id, true);
        setTyped(text);
        last_typed.current = text;
        const first = meant(text);
        desk.change(link, { url: first }, "url");
        // A number without its country code, once the numbers of its country are loaded.
        void loadFor(text).then(() => {
          const then = meant(text);
          if (last_typed.current === text && then !== first)
            desk.change(link, { url: then }, "url");
        });
      }}
      onBlur={() => {
        setTyping(false);
        desk.editing.setTyping(link.link_id, false);
        setTyped(readable(link.url));
      }}
    />
  );
}

/** Leaves out a scheme if the rest alone means the same address: a number, a mailbox. */
function readable(url: string | null): string {
  const rest = (url ?? "").replace(/^(?:tel|mailto):/, "");
  return readingNow()?.addressOf(rest) === url ? rest : (url ?? "");
}

function Kinds({ link, desk, row_key }: RowProps) {
  const kinds: readonly LinkKind[] = hasAddress(link.kind) ? ADDRESSED : WORDED;
  const is_long = Object.values(link.label).some((text = "") => text.length > LINK_LABEL_CHARS_MAX);
  if (link.kind === "text" && is_long) return null;
  return (
    <fieldset class="kinds">
      <legend class="label">{LINKS_TEXTS.kind}</legend>
      <div class="choices">
        {kinds.map((kind) => (
          <button
            type="button"
            class="choice"
            {...(kind === link.kind ? { id: rowPartId(row_key, "kind") } : {})}
            aria-pressed={kind === link.kind ? "true" : "false"}
            onClick={() => {
              desk.change(link, { kind });
              desk.focusLater(rowPartId(row_key, "kind"));
            }}
          >
            {LINKS_TEXTS.kinds[kind]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function CardPicture({ link, desk }: RowProps) {
  const [is_choosing, setChoosing] = useState(false);
  const { api, state } = desk.editing;
  return (
    <div class="row-card">
      {link.image !== null && <img class="card-picture" src={mediaPath(link.image)} alt="" />}
      <button type="button" class="secondary" onClick={() => setChoosing(true)}>
        <ToolIcon name="picture" />
        {link.image === null ? LINKS_TEXTS.add_picture : LINKS_TEXTS.change_picture}
      </button>
      {is_choosing && (
        <PictureDialog
          page_id={state.saved.page_id}
          api={api}
          aspect="wide"
          current={link.image}
          onDone={(image) => desk.change(link, { image, alt: {} })}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}

/** One step, or all the way, for those who neither drag nor hold a key down. */
function Order({ link, desk }: RowProps) {
  const moves = [
    ["top", LINKS_TEXTS.to_top, () => 0],
    ["up", LINKS_TEXTS.up, (at: number) => at - 1],
    ["down", LINKS_TEXTS.down, (at: number) => at + 1],
    ["end", LINKS_TEXTS.to_end, () => END],
  ] as const satisfies readonly (readonly [ToolIconName, string, (at: number) => number])[];
  return (
    <fieldset class="row-order">
      <legend class="sr">{LINKS_TEXTS.order}</legend>
      {moves.map(([icon, label, to]) => (
        <button
          type="button"
          class="icon-button"
          aria-label={label}
          title={label}
          id={`${icon}-${desk.keyOf(link)}`}
          onClick={() => {
            // Read now: the row does not render again when others move around it.
            const place = placeOf(desk.editing.state.draft.links, link.link_id);
            if (place !== null) desk.move(link, to(place.at));
            desk.focusLater(`${icon}-${desk.keyOf(link)}`);
          }}
        >
          <ToolIcon name={icon} />
        </button>
      ))}
    </fieldset>
  );
}
