/** What a running service has in its data folder, by paths from there: a socket's path is limited to about 100 bytes. */
export const RUN = "run";
/** Held by the process that serves the folder, which listens on it (`lock.ts`). */
export const LOCK = "lock";
/** What `npm run backup` writes there, and the answer: no other one copies meanwhile. */
export const BEGIN = "begin\n";
export const BEGUN = "begun\n";
/** The same before its last pass: workerd stands still until the connection ends. */
export const PAUSE = "pause\n";
export const PAUSED = "paused\n";
/** In a copy, until it is whole. */
export const UNFINISHED = "unfinished";
/** workerd's configuration, in Cap'n Proto; it has the secrets. */
export const CONFIG = "run/config";
/** The first Worker. */
export const SERVICE_SOCKET = "run/service";
/** The files that browsers load. */
export const FILES_SOCKET = "run/files";
/** Miniflare's own, for development: it believes what requests say. Only the cron uses it. */
export const ENTRY_SOCKET = "run/entry";
export const MAIL_SOCKET = "run/mail";
