import { useState } from "hono/jsx/dom";
import { lookColours } from "../../../views/accent.ts";
import type { Look } from "../../../views/look-values.ts";
import { TextField } from "../ui.tsx";
import { LOOK_TEXTS, ltr, ratioText } from "./look-texts.ts";
import { parseColour, type Verdict, verdictsOn } from "./own-accent.ts";

export function AccentField(props: { look: Look; onAccent: (accent: string | null) => void }) {
  const { look, onAccent } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const shown = look.accent ?? lookColours(look, look.scheme === "dark" ? "dark" : "light").accent;
  const type = (text: string) => {
    const colour = parseColour(text);
    setTyped(colour === text ? null : text);
    if (colour !== null && colour !== look.accent) onAccent(colour);
  };
  return (
    <fieldset class="axis accent">
      <legend>{LOOK_TEXTS.accent}</legend>
      <p class="hint">{LOOK_TEXTS.accent_hint}</p>
      <div class="accent-fields">
        <input
          type="color"
          class="accent-colour"
          aria-label={LOOK_TEXTS.pick}
          value={shown}
          onInput={(event: Event) => {
            setTyped(null);
            onAccent((event.target as HTMLInputElement).value);
          }}
        />
        <TextField
          label={LOOK_TEXTS.hex}
          dir="ltr"
          maxlength={7}
          value={typed ?? shown}
          onInput={type}
          onBlur={() => setTyped(null)}
          error={
            typed !== null && parseColour(typed) === null ? LOOK_TEXTS.not_a_colour : undefined
          }
        />
        {look.accent !== null && (
          <button type="button" class="secondary" onClick={() => onAccent(null)}>
            {LOOK_TEXTS.back}
          </button>
        )}
      </div>
      {look.accent !== null && <Verdicts asked={look.accent} look={look} />}
    </fieldset>
  );
}

function Verdicts(props: { asked: string; look: Look }) {
  const { asked, look } = props;
  return (
    <ul class="verdicts">
      {verdictsOn(look, asked).map((verdict) => (
        <li>
          <Sample {...verdict} />
          <span class="verdict-words">
            <strong>{LOOK_TEXTS.schemes[verdict.scheme]}</strong>
            {wordsOf(verdict, asked).map((words) => (
              <span>{words}</span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Sample({ colours }: Verdict) {
  return (
    <span
      class="accent-sample"
      aria-hidden="true"
      style={{ background: colours.ground, color: colours.accent }}
    >
      أب Aa
      <span style={{ background: colours.fill, color: colours.on_accent }}>أب Aa</span>
    </span>
  );
}

function wordsOf(
  { colours, asked_ratio, text_ratio, button_ratio }: Verdict,
  asked: string,
): string[] {
  const text =
    colours.accent === asked
      ? LOOK_TEXTS.readable(ratioText(text_ratio))
      : LOOK_TEXTS.solved(ltr(colours.accent), ratioText(text_ratio), ratioText(asked_ratio));
  const button =
    colours.fill === asked
      ? LOOK_TEXTS.button(ratioText(button_ratio))
      : LOOK_TEXTS.button_solved(ltr(colours.fill), ratioText(button_ratio));
  return [text, button];
}
