/** Limits of a page's document, of its versions and of its address (docs/contract.md sections 6 and 10). A name ends in its unit. */

export const LINKS_MAX = 200;
export const NAME_CHARS_MAX = 100;
export const BIO_CHARS_MAX = 500;
export const LINK_LABEL_CHARS_MAX = 200;
/** Only a link of kind `text` may have so long a label. */
export const LINK_TEXT_CHARS_MAX = 1_000;
export const ALT_CHARS_MAX = 300;
export const CONTACT_FIELD_CHARS_MAX = 200;
/** Limits the address and the note of a contact. */
export const CONTACT_TEXT_CHARS_MAX = 1_000;
/** Phone numbers, and mail addresses. */
export const CONTACT_ENTRIES_MAX = 10;
/** An unknown plan counts as `free`. */
export const PAGES_PER_PLAN = { free: 1, pro: 10, business: 100 } as const;
/** Pages of one user in the half hour before their end: nobody makes and deletes pages without end. */
export const ENDING_PAGES_MAX = 20;
/** A page keeps at least this many revisions, for this many days. */
export const REVISIONS_KEPT = 100;
export const REVISION_DAYS = 90;
/** A page keeps no more revisions, however young they are. */
export const REVISIONS_MAX = 1_000;
/** Limits a page's revisions beyond the newest 100. */
export const REVISION_BYTES_MAX = 8_388_608;
export const REMOVED_LINKS_MAX = 2_000;
/** An address that was printed or shared leads to the page for this long after a rename. */
export const FORMER_SLUG_DAYS = 90;
/** Nobody can take a deleted page's slug at once, and its visitors with it. */
export const RESTING_SLUG_DAYS = 30;
export const UNDO_MINUTES = 30;
/** docs/contract.md section 11. */
export const TIP_AMOUNTS_MAX = 6;
export const TIP_POINTS_MAX = 1_000_000;
export const TIP_MESSAGE_CHARS_MAX = 280;
export const DOWNLOAD_USES_MAX = 1_000_000;
