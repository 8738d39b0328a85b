/**
 * The creator's photo, in one choice: it is cropped to its middle and uploaded at once. A phone has a
 * button for the camera and one for the library: Android's picker of pictures has no camera in it.
 */
import { useEffect, useRef, useState } from "hono/jsx/dom";
import { mediaPath } from "../../../pages/document/page-address.ts";
import { textIn } from "../../../pages/document/page-words.ts";
import { initials } from "../../../views/plain-text.ts";
import { takePicture } from "../../brought-picture.ts";
import type { Editing } from "../editing.ts";
import { locale } from "../locale.ts";
import { cropOf } from "../pictures/crop.ts";
import { FailureLine } from "../pictures/failure-line.tsx";
import { PictureDialog } from "../pictures/picture-dialog.tsx";
import { openPicture } from "../pictures/picture-file.ts";
import { PICTURE_TEXTS } from "../pictures/picture-texts.ts";
import { type Failure, refusal, uploadPicture } from "../pictures/upload-picture.ts";
import { notify, useEditing } from "../ui.tsx";
import { START_TEXTS } from "./start-texts.ts";

/** Named one by one, so that an iPhone gives a JPEG instead of HEIC. */
const TYPES = "image/jpeg,image/png,image/webp";

export function PhotoStep(props: { editing: Editing; onChoose: () => void }) {
  const { editing, onChoose } = props;
  const { page_id } = editing.state.saved;
  const avatar = useEditing(editing, ({ draft }) => draft.avatar);
  const name = useEditing(editing, ({ draft }) => textIn(draft.name, locale));
  const [file, setFile] = useState<Blob | undefined>(undefined);
  const [is_sending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [is_cropping, setCropping] = useState(false);
  /** The last one wins. It goes on after the creator has gone to the next step. */
  const sent = useRef<Blob | null>(null);
  const is_left = useRef(false);

  const set = (key: string | null) => editing.edit((draft) => ({ ...draft, avatar: key }));
  const fail = (why: Failure) => {
    if (is_left.current) notify({ text: why.message });
    else setFailure(why);
  };
  const take = async (chosen: Blob) => {
    sent.current = chosen;
    onChoose();
    setFile(chosen);
    setFailure(null);
    setSending(true);
    const result = await middleOf(chosen, editing);
    if (sent.current !== chosen) return;
    if (typeof result === "string") set(result);
    else fail(result);
    if (!is_left.current) setSending(false);
  };
  useEffect(() => {
    const brought = takePicture(page_id);
    if (brought !== null) void take(brought);
    return () => {
      is_left.current = true;
    };
  }, []);
  const is_first = avatar === null && !is_sending;
  return (
    <div class="photo-step">
      {avatar === null ? (
        <span class="avatar-now initials" aria-hidden="true">
          {initials(name)}
        </span>
      ) : (
        <img class="avatar-now" src={mediaPath(avatar)} alt={PICTURE_TEXTS.current} />
      )}
      <p class="hint" role="status">
        {is_sending ? START_TEXTS.photo.sending : avatar === null && START_TEXTS.photo.hint}
      </p>
      {failure !== null && <FailureLine failure={failure} />}
      <div class="photo-choices">
        {failure?.is_lost === true && file !== undefined && (
          <button type="button" class="primary" onClick={() => void take(file)}>
            {PICTURE_TEXTS.retry}
          </button>
        )}
        <Choice label={START_TEXTS.photo.camera} is_first={is_first} has_camera onFile={take} />
        <Choice label={START_TEXTS.photo.choose} is_first={is_first} onFile={take} />
      </div>
      <div class="photo-choices">
        {avatar !== null && !is_sending && (
          <>
            {file !== undefined && (
              <button type="button" class="quiet" onClick={() => setCropping(true)}>
                {START_TEXTS.photo.crop}
              </button>
            )}
            <button type="button" class="quiet" onClick={() => set(null)}>
              {PICTURE_TEXTS.remove}
            </button>
          </>
        )}
      </div>
      {is_cropping && (
        <PictureDialog
          page_id={page_id}
          api={editing.api}
          aspect="square"
          current={avatar}
          file={file}
          onDone={set}
          onClose={() => setCropping(false)}
        />
      )}
    </div>
  );
}

/** The key of the uploaded middle, or why there is none. */
async function middleOf(file: Blob, editing: Editing): Promise<string | Failure> {
  const bitmap = await openPicture(file);
  if (typeof bitmap === "string") return refusal(PICTURE_TEXTS.problems[bitmap]);
  const { page_id } = editing.state.saved;
  const crop = cropOf(bitmap, "square");
  const result = await uploadPicture(
    { api: editing.api, page_id },
    { bitmap, crop, aspect: "square" },
  );
  bitmap.close();
  return result;
}

/** A label, because the browser's own button speaks the browser's language. */
function Choice(props: {
  label: string;
  is_first: boolean;
  has_camera?: true;
  onFile: (file: Blob) => void;
}) {
  const classes = [props.is_first ? "primary" : "secondary"];
  if (props.has_camera) classes.push("only-touch");
  return (
    <label class={classes.join(" ")}>
      <input
        type="file"
        class="sr"
        accept={TYPES}
        {...(props.has_camera ? { capture: "user" } : {})}
        onChange={(event: Event) => {
          const input = event.target as HTMLInputElement;
          const file = input.files?.[0];
          if (file !== undefined) props.onFile(file);
          // The same file may be chosen again.
          input.value = "";
        }}
      />
      <span>{props.label}</span>
    </label>
  );
}
