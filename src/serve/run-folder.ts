/** What a running service has in its data folder, by paths from there: a socket's path is limited to about 100 bytes. */
export const RUN = "run";
/** workerd's configuration, in Cap'n Proto; it has the secrets. */
export const CONFIG = "run/config";
/** The first Worker. */
export const SERVICE_SOCKET = "run/service";
/** Miniflare's own, for development: it believes what requests say. Only the cron uses it. */
export const ENTRY_SOCKET = "run/entry";
export const MAIL_SOCKET = "run/mail";
