/** Limits of what creators send (docs/contract.md sections 6 and 10). A name ends in its unit. */

/** A page's document (docs/contract.md section 10). */
export const DOCUMENT_BYTES_MAX = 262_144;
/** The same as it is stored: its owner sends it back with the other members of the page. */
export const STORED_DOCUMENT_BYTES_MAX = DOCUMENT_BYTES_MAX - 1_024;
/** Objects inside each other in a patch of a document; the document itself has three. */
export const PATCH_DEPTH_MAX = 32;
/** Slugs that are proposed beside one. */
export const SLUGS_PROPOSED = 3;
