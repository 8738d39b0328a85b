import { useId, useState } from "hono/jsx/dom";
import { blockOf } from "../../../pages/document/block-of.ts";
import { DOWNLOAD_USES_MAX } from "../../../pages/document/limits.ts";
import type { BlockByKind } from "../../../pages/document/page-document.ts";
import type { CallsApi } from "../files/files-api.ts";
import { FilesDialog } from "../files/files-dialog.tsx";
import { FILES_TEXTS } from "../files/files-texts.ts";
import { useFiles } from "../files/own-files.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { DownloadLink } from "./download-link.tsx";
import type { BlockFormProps } from "./form-props.ts";
import { UsesField } from "./uses-field.tsx";

type Download = BlockByKind["download"];

const ACCESSES = ["free", "tip", "subscriber", "link"] as const satisfies Download["access"][];
/** Stands in for a block that another tab has given another kind. */
const BLANK: Download = { file_id: "", access: "free", uses_max: null };

export function DownloadForm({ link, desk }: BlockFormProps) {
  const block = blockOf(link, "download") ?? BLANK;
  const change = (members: Partial<Download>, step: string | null = null) =>
    desk.change(link, { block: { ...block, ...members } }, step);
  return (
    <div class="download-form">
      <ChosenFile
        api={desk.editing.api}
        file_id={block.file_id}
        onChoose={(file_id) => change({ file_id })}
      />
      <Access access={block.access} onChoose={(access) => change({ access })} />
      <UsesField
        label={FILES_TEXTS.uses}
        hint={FILES_TEXTS.uses_hint}
        value={block.uses_max}
        max={DOWNLOAD_USES_MAX}
        onChange={(uses_max) => change({ uses_max }, "uses")}
      />
      {block.file_id !== "" && <DownloadLink link={link} desk={desk} />}
    </div>
  );
}

function ChosenFile(props: {
  api: CallsApi;
  file_id: string;
  onChoose: (file_id: string) => void;
}) {
  const { api, file_id, onChoose } = props;
  const [is_choosing, setChoosing] = useState(false);
  const { list } = useFiles(api);
  const file = list?.files.find((each) => each.file_id === file_id);
  return (
    <div class="download-file">
      <p class="label">{FILES_TEXTS.file}</p>
      {file !== undefined && (
        <p class="file-words">
          <bdi class="file-name">{file.name}</bdi>
          <span class="hint">{FILES_TEXTS.size(file.size)}</span>
        </p>
      )}
      {file_id === "" && <p class="hint">{FILES_TEXTS.no_file}</p>}
      {file_id !== "" && list !== null && file === undefined && (
        <p class="error">{FILES_TEXTS.gone}</p>
      )}
      <button type="button" class="secondary" onClick={() => setChoosing(true)}>
        <ToolIcon name="plus" />
        {file_id === "" ? FILES_TEXTS.choose_file : FILES_TEXTS.change_file}
      </button>
      {is_choosing && (
        <FilesDialog
          api={api}
          current={file_id === "" ? null : file_id}
          onChoose={(chosen) => {
            onChoose(chosen.file_id);
            setChoosing(false);
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}

function Access(props: {
  access: Download["access"];
  onChoose: (access: Download["access"]) => void;
}) {
  const id = useId();
  return (
    <fieldset class="kinds" aria-describedby={id}>
      <legend class="label">{FILES_TEXTS.access}</legend>
      <div class="choices">
        {ACCESSES.map((access) => (
          <button
            type="button"
            class="choice"
            aria-pressed={access === props.access ? "true" : "false"}
            onClick={() => props.onChoose(access)}
          >
            {FILES_TEXTS.accesses[access]}
          </button>
        ))}
      </div>
      <p class="hint" id={id}>
        {FILES_TEXTS.access_hints[props.access]}
      </p>
    </fieldset>
  );
}
