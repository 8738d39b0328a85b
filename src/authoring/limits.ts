/** Limits of what creators send (docs/contract.md sections 6 and 10). A name ends in its unit. */

export const DOCUMENT_BYTES_MAX = 262_144;
/** The stored document is smaller: its owner sends it back with the other members of the page. */
export const STORED_DOCUMENT_BYTES_MAX = DOCUMENT_BYTES_MAX - 1_024;
/** Nested objects in a patch of a document; the document itself has three levels. */
export const PATCH_DEPTH_MAX = 32;
export const SLUGS_PROPOSED = 3;
