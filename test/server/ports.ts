/** Finds free ports for two servers that need each other's address before they start. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** The port, or a free one for 0; null where it is taken. */
async function freePort(port: number): Promise<number | null> {
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch {
    return null;
  }
  const { port: found } = probe.address() as AddressInfo;
  await once(probe.close(), "close");
  return found;
}

/** Checks this port and the next one; for 0, finds a free pair. */
export async function freePair(wanted: number): Promise<{ port: number } | { taken: number }> {
  for (;;) {
    const port = await freePort(wanted);
    if (port === null) return { taken: wanted };
    if ((await freePort(port + 1)) !== null) return { port };
    if (wanted !== 0) return { taken: port + 1 };
  }
}
