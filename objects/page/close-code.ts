/** Tells a client to reconnect, for a new check of its session. The dashboard has this file too. */
export const LIVE_EXPIRED = 4000;
