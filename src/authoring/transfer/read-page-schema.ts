import * as z from "zod/mini";
import { boundedText } from "../../http/bounded-text.ts";
import { LINK_ADDRESS_MAX_CHARACTERS } from "../../pages/document/link-address.ts";

export const ReadPageInput = z.strictObject({
  address: boundedText(LINK_ADDRESS_MAX_CHARACTERS),
});
