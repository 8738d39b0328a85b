import { useMemo, useRef, useState } from "hono/jsx/dom";
import { LINKS_MAX } from "../../../pages/document/limits.ts";
import type { Locale } from "../../../views/locale.ts";
import { has_points } from "../blocks/has-points.ts";
import { newBlock, offeredKinds } from "../blocks/new-block.ts";
import { newLink } from "../draft.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { announce, notify, TextField } from "../ui.tsx";
import { ADD_FIELD, type Desk } from "./desk.ts";
import type { Adding, Choice, Line } from "./found-lines.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import type { Offer } from "./offers.ts";
import { isBegun, Suggestions } from "./suggestions.tsx";
import { keepUnadded, unadded } from "./unadded.ts";
import {
  isReadable,
  knownCountries,
  loadFor,
  readingNow,
  toolsFor,
  useReadable,
} from "./use-reading.ts";

const ROWS_MAX = 6;
/** What is read of a paste; a field with more makes each key slow. */
const PASTE_CHARACTERS_MAX = 100_000;

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
  const { adding, text, setText, addAll, paste } = useAdding(props);
  const { lines } = adding;
  const FoundLines = readingNow()?.FoundLines;
  const submit = (event: Event) => {
    event.preventDefault();
    if (addAll()) return;
    announce(LINKS_TEXTS.choose);
    list.current?.querySelector<HTMLElement>(".chips button, select")?.focus();
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
      {lines.length > 0 && FoundLines !== undefined ? (
        <FoundLines list={list} adding={adding} />
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
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const [country, setCountry] = useState<string | null>(null);
  const is_ready = useReadable(text);
  const setText = (next: string) => {
    keepUnadded(page_id, next);
    setState(next);
  };
  const read = (of: string): Line[] => {
    const reading = readingNow();
    const found = reading?.readPaste(of, toolsFor(time_zone, country)) ?? [];
    const is_alone = found.length === 1;
    return found.flatMap((line) => {
      const offers = reading?.offersFor(line.found, locales, is_alone);
      return offers === undefined ? [] : [{ ...line, offers }];
    });
  };
  const before = useRef<readonly Line[]>([]);
  // What was read stays until the text can be read again: a line that vanishes moves all below it.
  const lines = useMemo(
    () => (is_ready ? (isBegun(text) ? [] : read(text)) : before.current),
    [text, country, locales, is_ready],
  );
  before.current = lines;

  const choiceOf = (line: Line): Choice => choices[line.text] ?? {};
  const change = (line: Line, choice: Choice) =>
    setChoices((before) => ({ ...before, [line.text]: { ...before[line.text], ...choice } }));
  const pickedOf = (line: Line): Offer | null => {
    const { name, is_left_out } = choiceOf(line);
    if (is_left_out) return null;
    return line.offers.offers.find((offer) => offer.name === name) ?? line.offers.usual;
  };
  const isUsuallyIn = ({ offers }: Line): boolean =>
    offers.usual !== null || offers.question !== null;
  const isLeftOut = (line: Line): boolean => {
    const { name, is_left_out } = choiceOf(line);
    return is_left_out ?? (name === undefined && !isUsuallyIn(line));
  };
  const isIcon = (line: Line): boolean => {
    const { row } = pickedOf(line) ?? line.offers.offers[0] ?? { row: null };
    return choiceOf(line).is_icon ?? row === "usual";
  };

  /** Adds as many as there is room for. Those and what is still asked stay in the field. */
  const add = (all: readonly Line[], offerOf: (line: Line) => Offer | null) => {
    const wanted = all.filter((line) => offerOf(line) !== null);
    const fitting = new Set(wanted.slice(0, left));
    const stays = (line: Line) => (offerOf(line) === null ? !isLeftOut(line) : !fitting.has(line));
    setText(
      all
        .filter(stays)
        .map((line) => line.text)
        .join("\n"),
    );
    setChoices({});
    desk.add(
      [...fitting].flatMap((line) => {
        const offer = offerOf(line);
        const link = offer && readingNow()?.linkOf(offer, isIcon(line));
        return link ? [link] : [];
      }),
    );
    if (fitting.size < wanted.length)
      notify({ text: LINKS_TEXTS.not_all(fitting.size, wanted.length) });
  };
  const addClear = (all: readonly Line[]): boolean => {
    if (readingNow() === null) return false;
    if (all.length > 0 && all.every((line) => pickedOf(line) === null)) return false;
    add(all, pickedOf);
    return all.every((line) => pickedOf(line) !== null || isLeftOut(line));
  };
  /** Lines that can be but one thing are added at once. */
  const isClear = (all: readonly Line[]) =>
    all.length > 0 &&
    all.every(({ found, offers }) => found.is === "link" && offers.usual?.row === null);

  const adding: Adding = {
    lines,
    pickedOf,
    isIcon,
    isLeftOut,
    isUsuallyIn,
    countries: knownCountries(),
    setCountry,
    change,
    choose: (line: Line, offer: Offer) => {
      if (lines.length > 1) {
        change(line, { name: offer.name, is_left_out: false });
        return;
      }
      document.getElementById(ADD_FIELD)?.focus();
      add(lines, () => offer);
    },
    take: (line: Line, is_taken: boolean) => {
      const { name } = readingNow()?.usualWords(line.found, line.offers.offers) ?? {};
      // What was asked is asked again.
      const choice = { is_left_out: !is_taken, is_icon: choiceOf(line).is_icon };
      const is_named = is_taken && !isUsuallyIn(line) && name !== undefined;
      setChoices((before) => ({ ...before, [line.text]: is_named ? { ...choice, name } : choice }));
    },
  };
  return {
    adding,
    text,
    setText,
    /** Adds what is clear. Returns whether nothing is left to ask. */
    addAll: (): boolean => {
      if (is_ready || isReadable(text)) return addClear(is_ready ? lines : read(text));
      void loadFor(text).then(() => {
        if (unadded(page_id) === text && !addClear(read(text))) announce(LINKS_TEXTS.choose);
      });
      return true;
    },
    paste: (event: ClipboardEvent) => {
      const field = event.target as HTMLTextAreaElement;
      const selected = field.value.slice(field.selectionStart, field.selectionEnd);
      const { clipboardData } = event;
      const page = readingNow()?.textOfHtml(clipboardData?.getData("text/html") ?? "");
      const pasted = readable(page ?? clipboardData?.getData("text/plain") ?? "");
      if (pasted === "") return;
      if (selected.trim() !== field.value.trim()) {
        if (!page) return;
        event.preventDefault();
        field.setRangeText(pasted, field.selectionStart, field.selectionEnd, "end");
        setText(field.value);
        return;
      }
      event.preventDefault();
      setText(pasted);
      void loadFor(pasted).then(() => {
        if (unadded(page_id) !== pasted) return;
        const found = read(pasted);
        if (isClear(found)) add(found, ({ offers }) => offers.usual);
        else announce(`${LINKS_TEXTS.found(found.length)}. ${LINKS_TEXTS.choose}`);
      });
    },
  };
}

/** Blank lines at both ends are nothing; those between lines part titles from addresses. */
function readable(text: string): string {
  return text.slice(0, PASTE_CHARACTERS_MAX).replace(/^\s*\n|\s+$/g, "");
}
