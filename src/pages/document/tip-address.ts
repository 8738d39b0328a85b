/** Names that the block of a page and the page of a tip share. */

export const TIP_PATH = "/tip";
/** The value of `points` beside an amount of the visitor's own, which is in `own`. */
export const OWN_AMOUNT = "own";
