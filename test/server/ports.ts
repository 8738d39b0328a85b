/** Ports that nobody listens on, for two servers that must know each other's before they start. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** The port, or the one that the system gives for 0; null where it is taken. */
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

/** This port and the one after it, or which of them is taken; for 0 the first pair that is free. */
export async function freePair(wanted: number): Promise<{ port: number } | { taken: number }> {
  for (;;) {
    const port = await freePort(wanted);
    if (port === null) return { taken: wanted };
    if ((await freePort(port + 1)) !== null) return { port };
    if (wanted !== 0) return { taken: port + 1 };
  }
}
