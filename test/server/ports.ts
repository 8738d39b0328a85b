/** Finds free ports for two servers that need each other's address before they start. */
import { once } from "node:events";
import { createServer } from "node:net";
import { integer } from "../random.ts";

/**
 * Ports that no system gives to a client's end of a connection: Linux begins at 32,768, others higher. One of
 * those could be taken between the search and the start, or by a client that connects to itself.
 */
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;
const TRIES_MAX = 100;

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch {
    return false;
  }
  await once(probe.close(), "close");
  return true;
}

/** Checks this port and the next one; for 0, finds a free pair. */
export async function freePair(wanted: number): Promise<{ port: number } | { taken: number }> {
  if (wanted !== 0) {
    for (const port of [wanted, wanted + 1]) if (!(await isFree(port))) return { taken: port };
    return { port: wanted };
  }
  let port = 0;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    // Random, because other test files search at the same time.
    port = PORT_MIN + 2 * integer((PORT_MAX - PORT_MIN) / 2, Math.random);
    if ((await isFree(port)) && (await isFree(port + 1))) return { port };
  }
  return { taken: port };
}
