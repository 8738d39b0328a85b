import { signInAddress } from "../../api.ts";
import { PICTURE_TEXTS } from "./picture-texts.ts";
import type { Failure } from "./upload-picture.ts";

export function FailureLine({ failure }: { failure: Failure }) {
  return (
    <p class="error" role="alert">
      {failure.message}{" "}
      {failure.is_signed_out && (
        <a class="save-action" href={signInAddress(location.href)} target="_blank" rel="noopener">
          {PICTURE_TEXTS.sign_in}
        </a>
      )}
    </p>
  );
}
