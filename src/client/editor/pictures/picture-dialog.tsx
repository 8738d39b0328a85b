/**
 * Chooses, crops and uploads one picture of a page: an avatar (`square`) or the picture of a card
 * (`wide`). No `<img>` of the chosen file: the page's policy allows no `blob:` addresses, so it is
 * drawn on a canvas.
 */
import { useEffect, useRef, useState } from "hono/jsx/dom";
import { mediaPath } from "../../../pages/document/page-address.ts";
import type { Api } from "../../api.ts";
import { Dialog, isTouch } from "../ui.tsx";
import { type Aspect, type Crop, cropOf } from "./crop.ts";
import { CropStage } from "./crop-stage.tsx";
import { FailureLine } from "./failure-line.tsx";
import { openPicture } from "./picture-file.ts";
import { PICTURE_TEXTS } from "./picture-texts.ts";
import { type Failure, refusal, uploadPicture } from "./upload-picture.ts";

interface Opened {
  bitmap: ImageBitmap;
  crop: Crop;
}

export function PictureDialog(props: {
  page_id: string;
  api: Pick<Api, "call">;
  aspect: Aspect;
  current: string | null;
  /** Opened at once. */
  file?: Blob | undefined;
  /** The new picture's key, null if there is to be none. `onClose` is called after it. */
  onDone: (key: string | null) => void;
  onClose: () => void;
}) {
  const { page_id, api, aspect, current, file, onDone, onClose } = props;
  const [opened, setOpened] = useState<Opened | null>(null);
  const [is_opening, setOpening] = useState(false);
  /** Bytes that are being uploaded; 0 while they are made. */
  const [sending, setSending] = useState<number | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const aborter = useRef<AbortController | null>(null);
  const [drop_class, dropEvents] = useDrop((file) => void open(file));

  const refuse = (message: string) => setFailure(refusal(message));
  const open = async (file: Blob) => {
    if (aborter.current !== null) return;
    setFailure(null);
    setOpening(true);
    const found = await openPicture(file);
    setOpening(false);
    if (typeof found === "string") refuse(PICTURE_TEXTS.problems[found]);
    else setOpened({ bitmap: found, crop: cropOf(found, aspect) });
  };
  const done = (key: string | null) => {
    onDone(key);
    onClose();
  };
  const send = async () => {
    if (opened === null || aborter.current !== null) return;
    const sent = new AbortController();
    aborter.current = sent;
    setFailure(null);
    setSending(0);
    const sending = { signal: sent.signal, onSize: setSending };
    const result = await uploadPicture({ api, page_id }, { ...opened, aspect }, sending);
    if (sent.signal.aborted) return;
    aborter.current = null;
    setSending(null);
    if (typeof result === "string") done(result);
    else setFailure(result);
  };
  const cancel = () => {
    aborter.current?.abort();
    aborter.current = null;
    setSending(null);
  };

  useEffect(() => {
    if (file !== undefined) void open(file);
    return () => aborter.current?.abort();
  }, []);
  useEffect(() => () => opened?.bitmap.close(), [opened?.bitmap]);
  usePaste((file) => (file === null ? refuse(PICTURE_TEXTS.no_paste) : void open(file)));
  useOnline(() => {
    if (failure?.is_lost) void send();
  });

  const is_busy = sending !== null || is_opening;
  return (
    <Dialog title={PICTURE_TEXTS.title} onClose={onClose} class="picture-dialog">
      <div class={drop_class} {...dropEvents}>
        {opened === null && current !== null && (
          <img
            class={`picture-now ${aspect}`}
            src={mediaPath(current)}
            alt={PICTURE_TEXTS.current}
          />
        )}
        {opened !== null && (
          <CropStage
            bitmap={opened.bitmap}
            crop={opened.crop}
            aspect={aspect}
            onCrop={(change) =>
              setOpened((now) => (now === null ? now : { ...now, crop: change(now.crop) }))
            }
          />
        )}
        {failure !== null && <FailureLine failure={failure} />}
        <p class="hint" role="status">
          {is_opening && PICTURE_TEXTS.opening}
          {sending !== null && sending > 0 && PICTURE_TEXTS.sending(sending)}
          {!is_busy && opened === null && PICTURE_TEXTS.how}
          {!is_busy && opened === null && !isTouch() && ` ${PICTURE_TEXTS.how_else}`}
        </p>
        {is_busy && <progress class="picture-progress" aria-label={PICTURE_TEXTS.title} />}
        <div class="picture-actions">
          {opened !== null && sending === null && (
            <button type="button" class="primary" disabled={is_busy} onClick={() => void send()}>
              {failure?.is_lost ? PICTURE_TEXTS.retry : PICTURE_TEXTS.use}
            </button>
          )}
          {sending === null ? (
            <ChooseFile is_first={opened === null} is_disabled={is_busy} onFile={open} />
          ) : (
            <button type="button" class="secondary" onClick={cancel}>
              {PICTURE_TEXTS.cancel}
            </button>
          )}
          {opened === null && current !== null && !is_busy && (
            <button type="button" class="secondary" onClick={() => done(null)}>
              {PICTURE_TEXTS.remove}
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function ChooseFile(props: {
  is_first: boolean;
  is_disabled: boolean;
  onFile: (file: Blob) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class={props.is_first ? "primary" : "secondary"}
        disabled={props.is_disabled}
        onClick={() => input.current?.click()}
      >
        {props.is_first ? PICTURE_TEXTS.choose : PICTURE_TEXTS.another}
      </button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        onChange={() => {
          const { current } = input;
          const file = current?.files?.[0];
          if (file !== undefined) props.onFile(file);
          // The same file may be chosen again.
          if (current !== null) current.value = "";
        }}
      />
    </>
  );
}

function usePaste(onFile: (file: File | null) => void): void {
  const latest = useRef(onFile);
  latest.current = onFile;
  useEffect(() => {
    const paste = (event: ClipboardEvent) => latest.current(event.clipboardData?.files[0] ?? null);
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);
}

function useOnline(work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const online = () => latest.current();
    window.addEventListener("online", online);
    return () => window.removeEventListener("online", online);
  }, []);
}

function useDrop(onFile: (file: File) => void) {
  const [is_over, setOver] = useState(false);
  const stop = (event: DragEvent, is_still_over: boolean) => {
    event.preventDefault();
    setOver(is_still_over);
  };
  const events = {
    onDragOver: (event: DragEvent) => stop(event, true),
    onDragLeave: (event: DragEvent) => stop(event, false),
    onDrop: (event: DragEvent) => {
      stop(event, false);
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) onFile(file);
    },
  };
  return [is_over ? "picture-drop is-over" : "picture-drop", events] as const;
}
