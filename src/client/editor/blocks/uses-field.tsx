/** An empty field means no limit. */
import { useState } from "hono/jsx/dom";
import { latinDigits } from "../../../views/digits.ts";
import { FILES_TEXTS } from "../files/files-texts.ts";
import { TextField } from "../ui.tsx";

/** Enough for the largest number with separators. */
const TYPED_CHARACTERS_MAX = 12;

/** The field keeps what is typed; the caller gets a number as soon as it is one. */
export function UsesField(props: {
  label: string;
  hint: string;
  value: number | null;
  max: number;
  onChange: (value: number | null) => void;
}) {
  const { label, hint, value, max, onChange } = props;
  const shown = value === null ? "" : String(value);
  const [typed, setTyped] = useState(shown);
  const [is_typing, setTyping] = useState(false);
  const numberIn = (text: string): number | null | undefined => {
    const digits = latinDigits(text).replace(/[\s,٬]/g, "");
    if (digits === "") return null;
    const n = /^\d{1,9}$/.test(digits) ? Number(digits) : 0;
    return n >= 1 && n <= max ? n : undefined;
  };
  // An undo or another tab has changed the number: the field shows what is there now.
  const text = is_typing || numberIn(typed) === value ? typed : shown;
  return (
    <TextField
      label={label}
      hint={hint}
      dir="ltr"
      value={text}
      maxlength={TYPED_CHARACTERS_MAX}
      error={numberIn(text) === undefined ? FILES_TEXTS.uses_wrong(max) : undefined}
      onInput={(next) => {
        setTyping(true);
        setTyped(next);
        const n = numberIn(next);
        if (n !== undefined) onChange(n);
      }}
      onBlur={() => setTyping(numberIn(typed) === undefined)}
    />
  );
}
