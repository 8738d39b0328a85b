import { useEffect, useRef, useState } from "hono/jsx/dom";
import { type Refusal, signInAddress } from "../../api.ts";
import { announce, Dialog, IconButton, isTouch } from "../ui.tsx";
import type { CallsApi, StoredFile } from "./files-api.ts";
import { FILES_TEXTS } from "./files-texts.ts";
import { type Files, useFiles } from "./own-files.ts";
import type { FileUpload } from "./upload.ts";

export function FilesDialog(props: {
  api: CallsApi;
  current: string | null;
  onChoose: (file: StoredFile) => void;
  onClose: () => void;
}) {
  const { api, current, onChoose, onClose } = props;
  const files = useFiles(api);
  const is_shown = useRef(true);
  useEffect(() => {
    if (files.list !== null) void files.load();
    return () => {
      is_shown.current = false;
    };
  }, [files]);
  const upload = async (file: File) => {
    const stored = await files.upload(file);
    if (stored === null) return;
    announce(FILES_TEXTS.uploaded(stored.name));
    if (is_shown.current && current === null) onChoose(stored);
  };
  const own = new Set(files.uploads.map(({ stored }) => stored?.file_id));
  const others = files.list?.files.filter(({ file_id }) => !own.has(file_id)) ?? [];
  return (
    <Dialog title={FILES_TEXTS.title} onClose={onClose} class="files-dialog">
      <DropZone onFile={(file) => void upload(file)}>
        <Space files={files} />
        {files.uploads.length > 0 && (
          <ul class="files-list">
            {files.uploads.map((each) => (
              <UploadLine upload={each} files={files} />
            ))}
          </ul>
        )}
        {files.failure !== null && <Failure failure={files.failure} onRetry={() => files.load()} />}
        {files.list === null && files.failure === null && (
          <p class="hint" role="status">
            {FILES_TEXTS.loading}
          </p>
        )}
        {files.list !== null && others.length + files.uploads.length === 0 && (
          <p class="hint">{FILES_TEXTS.none}</p>
        )}
        {others.length > 0 && (
          <ul class="files-list">
            {others.map((file) => (
              <FileLine
                key={file.file_id}
                file={file}
                files={files}
                is_chosen={file.file_id === current}
                onChoose={() => onChoose(file)}
              />
            ))}
          </ul>
        )}
      </DropZone>
    </Dialog>
  );
}

function DropZone(props: { onFile: (file: File) => void; children?: unknown }) {
  const input = useRef<HTMLInputElement>(null);
  const [is_over, setOver] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const take = (files: FileList | null | undefined) => {
    setProblem(null);
    for (const file of files ?? []) {
      if (file.size > 0) props.onFile(file);
      else setProblem(`${file.name}: ${FILES_TEXTS.empty}`);
    }
  };
  const over = (event: DragEvent, is_still_over: boolean) => {
    event.preventDefault();
    setOver(is_still_over);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop files; the button does the same.
    <div
      class={is_over ? "files-drop is-over" : "files-drop"}
      onDragOver={(event: DragEvent) => over(event, true)}
      onDragLeave={(event: DragEvent) => over(event, false)}
      onDrop={(event: DragEvent) => {
        over(event, false);
        take(event.dataTransfer?.files);
      }}
    >
      <div class="files-add">
        <button type="button" class="primary" onClick={() => input.current?.click()}>
          {FILES_TEXTS.upload}
        </button>
        <p class="hint">
          {!isTouch() && `${FILES_TEXTS.how_else} `}
          {FILES_TEXTS.how}
        </p>
        {problem !== null && <FailureWords status={0} message={problem} />}
        <input
          ref={input}
          type="file"
          aria-label={FILES_TEXTS.upload}
          hidden
          onChange={() => {
            const { current } = input;
            take(current?.files);
            // The same file may be chosen again.
            if (current !== null) current.value = "";
          }}
        />
      </div>
      {props.children}
    </div>
  );
}

function Space({ files: { list } }: { files: Files }) {
  if (list === null) return null;
  const { used_bytes, bytes_max } = list;
  return (
    <div class="files-space">
      <progress max={bytes_max} value={used_bytes} aria-label={FILES_TEXTS.used_label} />
      <p class="hint">{FILES_TEXTS.used(used_bytes, bytes_max)}</p>
    </div>
  );
}

function UploadLine({ upload, files }: { upload: FileUpload; files: Files }) {
  const { file, state, sent, failure, stored } = upload;
  const is_running = state === "sending" || state === "waiting";
  return (
    <li class="file-line">
      <span class="file-words">
        <bdi class="file-name">{file.name}</bdi>
        <progress max={file.size || 1} value={sent} aria-label={FILES_TEXTS.uploading(file.name)} />
        <span class="hint" role="status">
          {state === "paused" && `${FILES_TEXTS.paused} `}
          {state === "waiting" && `${FILES_TEXTS.waiting} `}
          {state !== "failed" && FILES_TEXTS.sending(sent, file.size)}
        </span>
        {state === "failed" && failure !== null && (
          <FailureWords status={failure.status} message={failure.message || FILES_TEXTS.failed} />
        )}
      </span>
      <span class="file-tools">
        {is_running ? (
          <button
            type="button"
            class="secondary"
            aria-label={FILES_TEXTS.pause_name(file.name)}
            onClick={() => upload.pause()}
          >
            {FILES_TEXTS.pause}
          </button>
        ) : (
          <button
            type="button"
            class="secondary"
            aria-label={FILES_TEXTS.resume_name(file.name)}
            onClick={() => void files.upload(file)}
          >
            {FILES_TEXTS.resume}
          </button>
        )}
        <IconButton
          icon="trash"
          label={FILES_TEXTS.remove(file.name)}
          onClick={() => {
            files.drop(upload);
            if (stored !== null) void files.remove(stored.file_id);
          }}
        />
      </span>
    </li>
  );
}

function FileLine(props: {
  file: StoredFile;
  files: Files;
  is_chosen: boolean;
  onChoose: () => void;
}) {
  const { file, files, is_chosen, onChoose } = props;
  const { name, size, state, file_id } = file;
  const [is_asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Refusal | null>(null);
  const remove = async () => {
    setAsking(false);
    const failed = await files.remove(file_id);
    setFailure(failed);
    if (failed === null) announce(FILES_TEXTS.removed(name));
  };
  return (
    <li class="file-line">
      <span class="file-words">
        <bdi class="file-name">{name}</bdi>
        <span class="hint">{FILES_TEXTS.size(size)}</span>
        {state === "uploading" && <span class="hint">{FILES_TEXTS.unfinished}</span>}
        {failure !== null && (
          <FailureWords
            status={failure.status}
            message={failure.message || FILES_TEXTS.no_answer}
          />
        )}
      </span>
      <span class="file-tools">
        {is_chosen && <span class="is-current">{FILES_TEXTS.chosen}</span>}
        {!is_chosen && state === "ready" && (
          <button
            type="button"
            class="secondary"
            aria-label={FILES_TEXTS.choose_name(name)}
            onClick={onChoose}
          >
            {FILES_TEXTS.choose}
          </button>
        )}
        <IconButton
          icon="trash"
          label={FILES_TEXTS.remove(name)}
          onClick={() => setAsking(!is_asking)}
        />
      </span>
      {is_asking && (
        <div class="file-ask" role="alert">
          <p>{FILES_TEXTS.remove_sure(name)}</p>
          <button type="button" class="secondary remove" onClick={() => void remove()}>
            {FILES_TEXTS.remove_yes}
          </button>
          <button type="button" class="secondary" onClick={() => setAsking(false)}>
            {FILES_TEXTS.keep}
          </button>
        </div>
      )}
    </li>
  );
}

function Failure(props: { failure: Refusal; onRetry: () => void }) {
  const { status, message } = props.failure;
  return (
    <div>
      <FailureWords status={status} message={message || FILES_TEXTS.not_loaded} />
      <button type="button" class="save-action" onClick={props.onRetry}>
        {FILES_TEXTS.retry}
      </button>
    </div>
  );
}

export function FailureWords({ status, message }: { status: number; message: string }) {
  return (
    <p class="error" role="alert">
      {message}{" "}
      {status === 401 && (
        <a class="save-action" href={signInAddress(location.href)} target="_blank" rel="noopener">
          {FILES_TEXTS.sign_in}
        </a>
      )}
    </p>
  );
}
