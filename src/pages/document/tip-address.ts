export const TIP_PATH = "/tip";
/** Stands in `points` beside an amount of the visitor's own, which is in `own`. */
export const OWN_AMOUNT = "own";
