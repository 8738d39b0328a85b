/** Milliseconds, more than what a browser shows takes on a machine whose other tests keep it busy. */
export const WAIT_MS = 60_000;
