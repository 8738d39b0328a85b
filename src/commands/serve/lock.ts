/** Prevents two servers on one state folder: each would own every object, and both would count. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { link, realpath, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join, relative } from "node:path";
import { LOCK } from "./run-folder.ts";

/**
 * The lock is a listening socket, which the system closes however the process ends. A file with a
 * process id could outlive it and name an unrelated process. `onConnection` takes who connects to
 * the socket; by default they are sent away.
 *
 * @returns a function that unlocks the folder
 * @throws when another process holds the lock
 */
export async function lockState(
  folder: string,
  onConnection: (socket: Socket) => void = (socket) => socket.destroy(),
): Promise<() => Promise<void>> {
  // Windows has no sockets in the file system.
  if (process.platform === "win32") return async () => {};
  // A socket's path is limited to about 100 bytes, so the shorter spelling is used.
  const absolute = join(folder, LOCK);
  const near = relative(process.cwd(), join(await realpath(folder), LOCK));
  const path = near.length < absolute.length ? near : absolute;
  let server = await listen(path, onConnection);
  if (server === null) {
    if (await isHeld(path)) throw new Error(`${folder} is being served by another process`);
    await removeStale(path);
    server = await listen(path, onConnection);
  }
  if (server === null) throw new Error(`${folder} was taken by another process just now`);
  const lock = server;
  return async () => {
    if (lock.listening) await once(lock.close(), "close");
  };
}

/** Moved away first: another start may have locked meanwhile, with a socket of this path. */
async function removeStale(path: string): Promise<void> {
  const away = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(path, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (await isHeld(away)) await link(away, path);
  await rm(away);
}

/** Null where the path exists. */
function listen(path: string, onConnection: (socket: Socket) => void): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection).unref();
    server.once("listening", () => resolve(server));
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(error);
    });
    server.listen(path);
  });
}

/** @throws where this user may not ask */
export function isHeld(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(true));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      // Another user's, which may be held, refuses to be asked.
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve(false);
      else reject(error);
    });
    socket.unref();
  });
}
