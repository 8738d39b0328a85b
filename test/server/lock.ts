/** Keeps two servers off one state folder: each would own every object, and both would count. */
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join, relative } from "node:path";

/**
 * Takes the folder for this process. The lock is a listening socket, which the system closes with the
 * process however it ends: unlike a file with a number in it, it cannot point at a stranger.
 *
 * @returns what gives the folder back
 * @throws when another process holds it
 */
export async function lockState(folder: string): Promise<() => Promise<void>> {
  // Windows has no sockets in folders.
  if (process.platform === "win32") return async () => {};
  // A socket's path may have about 100 bytes, so the shorter way there.
  const absolute = join(folder, "lock");
  const near = relative(process.cwd(), absolute);
  const path = near.length < absolute.length ? near : absolute;
  let server = await listen(path);
  if (server === null) {
    if (await isHeld(path)) throw new Error(`${folder} is being served by another process`);
    await rm(path, { force: true });
    server = await listen(path);
  }
  if (server === null) throw new Error(`${folder} was taken by another process just now`);
  const held = server;
  return async () => {
    if (held.listening) await once(held.close(), "close");
  };
}

/** A listening server, or null where something is at that path already. */
function listen(path: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once("listening", () => resolve(server));
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(error);
    });
    server.listen(path);
  });
}

function isHeld(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.unref();
  });
}
