import { useState } from "hono/jsx/dom";
import { blockOf } from "../../../pages/document/block-of.ts";
import { TIP_AMOUNTS_MAX, TIP_POINTS_MAX } from "../../../pages/document/limits.ts";
import { isSame } from "../draft.ts";
import { TextField } from "../ui.tsx";
import { amountsIn } from "./amounts.ts";
import { BLOCK_TEXTS } from "./block-texts.ts";
import type { BlockFormProps } from "./form-props.ts";

/** Enough for six amounts of seven digits. */
const TYPED_CHARACTERS_MAX = 60;

/** The field keeps what is typed; the draft gets the amounts as soon as all of them are right. */
export function TipForm({ link, desk }: BlockFormProps) {
  const amounts = blockOf(link, "tip")?.amounts ?? [];
  const [typed, setTyped] = useState(amounts.join(" "));
  const [is_typing, setTyping] = useState(false);
  const meant = amountsIn(typed);
  // An undo or another tab has changed the amounts: the field shows what is there now.
  const value = is_typing || isSame(meant, amounts) ? typed : amounts.join(" ");
  return (
    <TextField
      label={BLOCK_TEXTS.amounts}
      hint={BLOCK_TEXTS.amounts_hint(TIP_AMOUNTS_MAX)}
      error={
        amountsIn(value) === null
          ? BLOCK_TEXTS.amounts_wrong(TIP_AMOUNTS_MAX, TIP_POINTS_MAX)
          : undefined
      }
      dir="ltr"
      value={value}
      maxlength={TYPED_CHARACTERS_MAX}
      onInput={(text) => {
        setTyping(true);
        setTyped(text);
        const next = amountsIn(text);
        if (next !== null) desk.change(link, { block: { amounts: next } }, "amounts");
      }}
      onBlur={() => setTyping(amountsIn(typed) === null)}
    />
  );
}
