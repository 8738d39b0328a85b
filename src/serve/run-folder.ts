/** What a running service has in its data folder, by paths from there: a socket's path is limited to about 100 bytes. */
export const RUN = "run";
/** Held by the process that serves the folder, which listens on it (`lock.ts`). */
export const LOCK = "lock";
/** What `npm run backup` writes there, and the answer: workerd stands still until the connection ends. */
export const PAUSE = "pause\n";
export const PAUSED = "paused\n";
/** workerd's configuration, in Cap'n Proto; it has the secrets. */
export const CONFIG = "run/config";
/** The first Worker. */
export const SERVICE_SOCKET = "run/service";
/** The files that browsers load. */
export const FILES_SOCKET = "run/files";
/** Miniflare's own, for development: it believes what requests say. Only the cron uses it. */
export const ENTRY_SOCKET = "run/entry";
export const MAIL_SOCKET = "run/mail";
