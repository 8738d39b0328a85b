import { useEffect, useRef, useState } from "hono/jsx/dom";
import { drawn, inLanguage } from "../../../views/drawn-text.ts";
import type { Locale } from "../../../views/locale.ts";
import { truncated } from "../../../views/plain-text.ts";
import type { Draft } from "../draft.ts";
import { editWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { focusSoon } from "../focus-soon.ts";
import { missingOf, type Row, rowsOf } from "../settings/text-rows.ts";
import { announce, IconButton } from "../ui.tsx";
import { AI_TEXTS } from "./ai-texts.ts";
import { AskButton, Failure, Fine } from "./ideas.tsx";
import { findTranslations, translationOf } from "./translations.ts";

const ASK_ID = "ideas-missing";
export const TEXTS_BUTTON_ID = "texts-button";

export interface Offer {
  path: string;
  to: Locale;
  text: string;
}

export interface Offers {
  list: readonly Offer[];
  is_asking: boolean;
  failure: string | null;
  ask: () => Promise<void>;
  use: (offers: readonly Offer[]) => void;
  refuse: (offers: readonly Offer[]) => void;
}

export function useOffers(editing: Editing, rows: readonly Row[]): Offers {
  const [is_asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [is_shown, setShown] = useState(false);
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const is_gone = useRef(false);
  useEffect(
    () => () => {
      is_gone.current = true;
    },
    [],
  );
  const list = is_shown
    ? rows.flatMap((row) => offerOf(row) ?? []).filter((offer) => !refused.has(nameOf(offer)))
    : [];
  const ask = async () => {
    setAsking(true);
    setFailure(null);
    setRefused(new Set());
    announce(AI_TEXTS.asking);
    const why = await findTranslations(
      editing,
      rows.flatMap((row) => wantedOf(row) ?? []),
    );
    if (is_gone.current) return;
    setAsking(false);
    setShown(true);
    setFailure(why);
    if (why === null) announce(AI_TEXTS.found(offersOf(editing).length));
  };
  const use = (offers: readonly Offer[]) => {
    editWithUndo(editing, AI_TEXTS.filled(offers.length), {
      change: (draft) => filled(editing, draft, offers, (now, text) => (now === "" ? text : now)),
      opposite: (draft) => filled(editing, draft, offers, (now, text) => (now === text ? "" : now)),
    });
    // The last row takes the bar with it.
    focusSoon(rowsNow(editing, editing.state.draft).some(isMissing) ? ASK_ID : TEXTS_BUTTON_ID);
  };
  const refuse = (offers: readonly Offer[]) => {
    setRefused(new Set([...refused, ...offers.map(nameOf)]));
    focusSoon(ASK_ID);
  };
  return { list, is_asking, failure, ask, use, refuse };
}

const isMissing = (row: Row) => missingOf(row) !== null;
const nameOf = ({ path, to, text }: Offer) => `${path}.${to} ${text}`;

function wantedOf(row: Row): { to: Locale; source: string } | null {
  const to = missingOf(row);
  return to === null ? null : { to, source: row.text[to === "ar" ? "en" : "ar"] ?? "" };
}

function offerOf(row: Row): Offer | null {
  const wanted = wantedOf(row);
  if (wanted === null) return null;
  const text = translationOf(wanted);
  if (text === undefined) return null;
  const { path, maxlength } = row;
  const is_short = [...text].length <= maxlength;
  return { path, to: wanted.to, text: is_short ? text : truncated(text, maxlength) };
}

const rowsNow = (editing: Editing, draft: Draft) => rowsOf(draft, (id) => editing.rowKey(id));

function offersOf(editing: Editing): Offer[] {
  return rowsNow(editing, editing.state.draft).flatMap((row) => offerOf(row) ?? []);
}

/** Answers the same draft where `text` changes nothing. */
function filled(
  editing: Editing,
  draft: Draft,
  offers: readonly Offer[],
  text: (now: string, offered: string) => string,
): Draft {
  const rows = new Map(rowsNow(editing, draft).map((row) => [row.path, row]));
  return offers.reduce((changed, { path, to, text: offered }) => {
    const row = rows.get(path);
    if (row === undefined) return changed;
    const now = (row.text[to] ?? "").trim();
    const next = text(now, offered);
    return next === now ? changed : row.change(changed, { ...row.text, [to]: next });
  }, draft);
}

export function OffersBar(props: { offers: Offers; onAsked: () => void }) {
  const { list, is_asking, failure, ask, use, refuse } = props.offers;
  return (
    <div class="ideas">
      <div class="text-pairs-buttons">
        <AskButton
          id={ASK_ID}
          label={AI_TEXTS.fill}
          is_asking={is_asking}
          onClick={() => void ask().then(props.onAsked)}
        />
        {list.length > 0 && (
          <>
            <button type="button" class="primary" onClick={() => use(list)}>
              {AI_TEXTS.use_all(list.length)}
            </button>
            <button type="button" class="quiet" onClick={() => refuse(list)}>
              {AI_TEXTS.refuse_all}
            </button>
          </>
        )}
      </div>
      {failure !== null && <Failure why={failure} />}
      {list.length > 0 && <Fine />}
    </div>
  );
}

export function OfferLine(props: { offer: Offer; offers: Offers }) {
  const { offer, offers } = props;
  return (
    <div class="offer">
      <p>
        <span class="hint">{AI_TEXTS.suggestion}</span>{" "}
        <bdi {...inLanguage(offer.to)}>{drawn(offer.text, offer.to)}</bdi>
      </p>
      <button
        type="button"
        class="secondary"
        aria-label={AI_TEXTS.use_this(offer.text)}
        onClick={() => offers.use([offer])}
      >
        {AI_TEXTS.use}
      </button>
      <IconButton
        icon="close"
        label={AI_TEXTS.refuse_this(offer.text)}
        onClick={() => offers.refuse([offer])}
      />
    </div>
  );
}
