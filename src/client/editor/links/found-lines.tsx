import { ToolIcon } from "../tool-icon.tsx";
import { FoundLine } from "./found-line.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import type { Offer, Offers } from "./offers.ts";
import type { Line as FoundText } from "./paste.ts";

export interface Line extends FoundText {
  offers: Offers;
}

/** What the creator has changed of a line. */
export interface Choice {
  /** The offer's name. */
  name?: string;
  is_left_out?: boolean;
  is_icon?: boolean | undefined;
}

export interface Adding {
  lines: readonly Line[];
  /** What the line becomes when all are added. */
  pickedOf: (line: Line) => Offer | null;
  isIcon: (line: Line) => boolean;
  isLeftOut: (line: Line) => boolean;
  isUsuallyIn: (line: Line) => boolean;
  /** A number without a country code asks for one of these. */
  countries: readonly string[];
  setCountry: (code: string | null) => void;
  /** The only line is added; of several, each is chosen for before all are added. */
  choose: (line: Line, offer: Offer) => void;
  take: (line: Line, is_taken: boolean) => void;
  change: (line: Line, choice: Choice) => void;
}

export function FoundLines(props: { list: { current: HTMLUListElement | null }; adding: Adding }) {
  const { list, adding } = props;
  const { lines, pickedOf, isIcon, isLeftOut, countries, choose, take, change, setCountry } =
    adding;
  const is_alone = lines.length === 1;
  const picked = lines.filter((line) => pickedOf(line) !== null).length;
  const asking = lines.filter((line) => pickedOf(line) === null && !isLeftOut(line)).length;
  // What is left out at first stays in its place when it is taken in.
  const [shown, left_out] = [true, false].map((is_in) =>
    lines.filter((line) => adding.isUsuallyIn(line) === is_in),
  );
  const row = (line: Line) => (
    <FoundLine
      found={line.found}
      offers={line.offers}
      picked={pickedOf(line)}
      is_icon={isIcon(line)}
      is_left_out={isLeftOut(line)}
      is_alone={is_alone}
      countries={countries}
      onChoose={(offer) => choose(line, offer)}
      onIcon={(is_icon) => change(line, { is_icon })}
      onTake={(is_taken) => take(line, is_taken)}
      onCountry={(code) => setCountry(code || null)}
    />
  );
  return (
    <>
      <ul class="found" ref={list}>
        {shown?.map(row)}
      </ul>
      {left_out !== undefined && left_out.length > 0 && (
        <details class="found-left-out" open={shown?.length === 0}>
          <summary>{LINKS_TEXTS.left_out(left_out.length)}</summary>
          <ul class="found">{left_out.map(row)}</ul>
        </details>
      )}
      {!is_alone && picked > 0 && (
        <div class="add-all">
          <button type="submit" class="primary">
            <ToolIcon name="plus" />
            {LINKS_TEXTS.add_all(picked)}
          </button>
          {asking > 0 && <p class="hint">{LINKS_TEXTS.unclear(asking)}</p>}
        </div>
      )}
    </>
  );
}
