/** A block's form in its row, one for each kind. Loaded after the first paint. */
import { BLOCK_TEXTS } from "./block-texts.ts";
import { DownloadForm } from "./download-form.tsx";
import type { BlockFormProps } from "./form-props.ts";
import { TipForm } from "./tip-form.tsx";

export function BlockForm(props: BlockFormProps) {
  switch (props.link.kind) {
    case "tip":
      return <TipForm {...props} />;
    case "download":
      return <DownloadForm {...props} />;
    default:
      return <p class="hint block-hint">{BLOCK_TEXTS.newsletter_hint}</p>;
  }
}
