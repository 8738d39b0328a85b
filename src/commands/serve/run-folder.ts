/** Paths from the data folder, because a socket's path is limited to about 100 bytes. */
export const RUN = "run";
/** The process that serves the folder listens on it (`lock.ts`). */
export const LOCK = "lock";
/** `npm run backup` writes the first, and gets the second: no other one copies meanwhile. */
export const BEGIN = "begin\n";
export const BEGUN = "begun\n";
/** The same before its last pass: workerd stands still until the connection ends. */
export const PAUSE = "pause\n";
export const PAUSED = "paused\n";
/** Marks a copy that is not whole yet. */
export const UNFINISHED = "unfinished";
/** workerd's configuration, in Cap'n Proto; it has the secrets. */
export const CONFIG = "run/config";
export const SERVICE_SOCKET = "run/service";
export const FILES_SOCKET = "run/files";
/** Miniflare's own, for development: it believes what requests say. Only the cron uses it. */
export const ENTRY_SOCKET = "run/entry";
export const MAIL_SOCKET = "run/mail";
