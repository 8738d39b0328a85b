import { useRef, useState } from "hono/jsx/dom";
import { LINKS_MAX } from "../../../pages/document/limits.ts";
import type { Locale } from "../../../views/locale.ts";
import { has_points } from "../blocks/has-points.ts";
import { newBlock, offeredKinds } from "../blocks/new-block.ts";
import { newLink } from "../draft.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { announce, notify, TextField } from "../ui.tsx";
import { ADD_FIELD, type Desk } from "./desk.ts";
import { FoundLine } from "./found-line.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import { linkOf, type Offer, type Offers, offersFor } from "./offers.ts";
import { type Found, linesOf, parsePasted } from "./paste.ts";
import { callingCode } from "./phone.ts";
import { isBegun, Suggestions } from "./suggestions.tsx";
import { keepUnadded, unadded } from "./unadded.ts";

const ROWS_MAX = 6;

interface Line {
  text: string;
  found: Found;
  offers: Offers;
}

interface Props {
  desk: Desk;
  locales: readonly Locale[];
  time_zone: string;
  /** The page may have so many more. */
  left: number;
  is_first: boolean;
}

export function AddLinks(props: Props) {
  const { desk, left, is_first } = props;
  const list = useRef<HTMLUListElement>(null);
  const { text, setText, lines, pickedOf, addAll, choose, paste } = useAdding(props);
  const picked = lines.filter((line) => pickedOf(line) !== null).length;
  const asking = lines.filter((line) => pickedOf(line) === null && line.offers.offers.length > 0);
  const is_alone = lines.length === 1;
  const submit = (event: Event) => {
    event.preventDefault();
    if (addAll()) return;
    announce(LINKS_TEXTS.choose);
    list.current?.querySelector("button")?.focus();
  };
  if (left <= 0) return <p class="add-full">{LINKS_TEXTS.full(LINKS_MAX)}</p>;
  return (
    <form
      class="add-links"
      onSubmit={submit}
      onKeyDown={(event: KeyboardEvent) => {
        const is_field = (event.target as Element).id === ADD_FIELD;
        if (event.key === "Enter" && is_field && !event.shiftKey && !event.isComposing) {
          submit(event);
        }
      }}
    >
      <div class="add-line">
        <TextField
          id={ADD_FIELD}
          label={LINKS_TEXTS.add}
          hint={LINKS_TEXTS.add_hint}
          value={text}
          rows={Math.min(text.split("\n").length, ROWS_MAX)}
          onInput={setText}
          onPaste={paste}
        />
      </div>
      {lines.length > 0 ? (
        <>
          <ul class="found" ref={list}>
            {lines.map((line) => (
              <FoundLine
                found={line.found}
                offers={line.offers}
                picked={pickedOf(line)}
                is_alone={is_alone}
                onChoose={(offer) => choose(line, offer)}
              />
            ))}
          </ul>
          {!is_alone && picked > 0 && (
            <div class="add-all">
              <button type="submit" class="primary">
                <ToolIcon name="plus" />
                {LINKS_TEXTS.add_all(picked)}
              </button>
              {asking.length > 0 && <p class="hint">{LINKS_TEXTS.unclear(asking.length)}</p>}
            </div>
          )}
        </>
      ) : (
        <div class="add-others">
          {(["heading", "text"] as const).map((kind) => (
            <button type="button" class="secondary" onClick={() => desk.add([newLink(kind)])}>
              <ToolIcon name="plus" />
              {kind === "heading" ? LINKS_TEXTS.add_heading : LINKS_TEXTS.add_text}
            </button>
          ))}
          {offeredKinds(has_points).map((kind) => (
            <button type="button" class="secondary" onClick={() => desk.add([newBlock(kind)])}>
              <ToolIcon name="plus" />
              {LINKS_TEXTS.kinds[kind]}
            </button>
          ))}
        </div>
      )}
      {is_first && lines.length === 0 && (
        <Suggestions
          onChoose={(beginning) => {
            setText(beginning);
            document.getElementById(ADD_FIELD)?.focus();
          }}
        />
      )}
    </form>
  );
}

function useAdding({ desk, locales, time_zone, left }: Props) {
  const { page_id } = desk.editing.state.saved;
  const [text, setState] = useState(() => unadded(page_id));
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({});
  const setText = (next: string) => {
    keepUnadded(page_id, next);
    setState(next);
  };
  const read = (of: string): Line[] => {
    const found = parsePasted(of, callingCode(time_zone));
    return linesOf(of).flatMap((line, i) => {
      const each = found[i];
      return each === undefined
        ? []
        : [{ text: line, found: each, offers: offersFor(each, locales) }];
    });
  };
  const lines = isBegun(text) ? [] : read(text);

  /** Adds as many lines as there is room for. The others stay in the field. */
  const add = (all: readonly Line[], offerOf: (line: Line) => Offer | null) => {
    const wanted = all.filter((line) => offerOf(line) !== null);
    const fitting = new Set(wanted.slice(0, left));
    setText(
      all
        .filter((line) => !fitting.has(line))
        .map((line) => line.text)
        .join("\n"),
    );
    desk.add([...fitting].flatMap((line) => offerOf(line) ?? []).map(linkOf));
    if (fitting.size < wanted.length)
      notify({ text: LINKS_TEXTS.not_all(fitting.size, wanted.length) });
  };
  const pickedOf = ({ text: of, offers }: Line): Offer | null =>
    offers.offers.find(({ name }) => name === choices[of]) ?? offers.usual;

  return {
    text,
    setText,
    lines,
    pickedOf,
    /** Adds what is clear. Returns whether nothing is left to ask. */
    addAll: (): boolean => {
      // A word alone may be the name of an account as well.
      const [line] = lines;
      if (lines.length === 1 && line?.found.is === "words") return false;
      add(lines, pickedOf);
      return lines.every((line) => pickedOf(line) !== null);
    },
    /** The only line is added; of several, each is chosen for before all are added. */
    choose: (chosen: Line, offer: Offer) => {
      if (lines.length > 1) {
        setChoices((before) => ({ ...before, [chosen.text]: offer.name }));
        return;
      }
      document.getElementById(ADD_FIELD)?.focus();
      add(lines, () => offer);
    },
    /** A line that can be but one thing is added at once. */
    paste: (event: ClipboardEvent) => {
      const field = event.target as HTMLTextAreaElement;
      const selected = field.value.slice(field.selectionStart, field.selectionEnd);
      const pasted = read(event.clipboardData?.getData("text/plain") ?? "");
      if (selected.trim() !== field.value.trim() || pasted.length === 0) return;
      event.preventDefault();
      const is_clear = pasted.every(
        ({ offers, found }) => offers.offers.length === 1 && found.is === "address",
      );
      if (is_clear) {
        add(pasted, ({ offers }) => offers.usual);
      } else {
        setText(pasted.map((line) => line.text).join("\n"));
        announce(`${LINKS_TEXTS.found(pasted.length)}. ${LINKS_TEXTS.choose}`);
      }
    },
  };
}
