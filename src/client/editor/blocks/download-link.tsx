import { useRef, useState } from "hono/jsx/dom";
import { DOWNLOAD_USES_MAX } from "../../../pages/document/limits.ts";
import { isUnsaved } from "../draft.ts";
import { signedLink } from "../files/files-api.ts";
import { FailureWords } from "../files/files-dialog.tsx";
import { FILES_TEXTS } from "../files/files-texts.ts";
import { announce } from "../ui.tsx";
import type { BlockFormProps } from "./form-props.ts";
import { UsesField } from "./uses-field.tsx";

const DAY_S = 86_400;
const DAYS = [1, 7, 30] as const;

export function DownloadLink({ link, desk }: BlockFormProps) {
  const [days, setDays] = useState<(typeof DAYS)[number]>(7);
  const [uses_max, setUses] = useState<number | null>(null);
  const [is_making, setMaking] = useState(false);
  const [made, setMade] = useState<{ url: string; is_copied: boolean } | null>(null);
  const [failure, setFailure] = useState<{ status: number; message: string } | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const { editing } = desk;
  const make = async () => {
    setMaking(true);
    setFailure(null);
    setMade(null);
    const { page_id, links } = editing.state.saved;
    const { link_id } = link;
    const is_saved =
      !isUnsaved(link_id) &&
      links.some((each) => each.link_id === link_id && each.block !== undefined);
    if (!is_saved) {
      setMaking(false);
      setFailure({ status: 0, message: FILES_TEXTS.link_saved_first });
      return;
    }
    desk.finish(link);
    const options = { expires_in_s: days * DAY_S, uses_max };
    const answer = await signedLink(editing.api, { page_id, link_id }, options);
    setMaking(false);
    if (!answer.ok) {
      setFailure({ status: answer.status, message: answer.message || FILES_TEXTS.no_answer });
      return;
    }
    const url = new URL(answer.body.url, location.origin).href;
    const is_copied = await navigator.clipboard.writeText(url).then(
      () => true,
      () => false,
    );
    setMade({ url, is_copied });
    announce(is_copied ? FILES_TEXTS.copied : FILES_TEXTS.made);
    requestAnimationFrame(() => field.current?.select());
  };
  return (
    <section class="download-link">
      <p class="label">{FILES_TEXTS.link}</p>
      <p class="hint">{FILES_TEXTS.link_hint}</p>
      <fieldset class="kinds">
        <legend class="label">{FILES_TEXTS.link_for}</legend>
        <div class="choices">
          {DAYS.map((each) => (
            <button
              type="button"
              class="choice"
              aria-pressed={each === days ? "true" : "false"}
              onClick={() => setDays(each)}
            >
              {FILES_TEXTS.days[each]}
            </button>
          ))}
        </div>
      </fieldset>
      <UsesField
        label={FILES_TEXTS.link_uses}
        hint={FILES_TEXTS.link_uses_hint}
        value={uses_max}
        max={DOWNLOAD_USES_MAX}
        onChange={setUses}
      />
      <button type="button" class="secondary" disabled={is_making} onClick={() => void make()}>
        {is_making ? FILES_TEXTS.making : FILES_TEXTS.make_link}
      </button>
      {failure !== null && <FailureWords {...failure} />}
      {made !== null && (
        <>
          <input
            ref={field}
            class="input"
            dir="ltr"
            readonly
            value={made.url}
            aria-label={FILES_TEXTS.link}
          />
          <p class="hint">{made.is_copied ? FILES_TEXTS.copied : FILES_TEXTS.made}</p>
        </>
      )}
    </section>
  );
}
