/** The service and the demo hub side by side, each knowing where the other is. */
import { resolve } from "node:path";
import { ROOT } from "./bundle.ts";
import { type Hub, startHub } from "./hub.ts";
import { readSecrets, type Server, type ServerOptions, startServer } from "./server.ts";

export interface WithHubOptions extends ServerOptions {
  statePath: string;
  /** Of the service; the hub takes the next one. */
  port: number;
  /** What browsers call this machine: the two share cookies only under one name. */
  hostname: "localhost" | "127.0.0.1";
}

export interface WithHub {
  server: Server;
  hub: Hub;
  /** The service's, as browsers spell it. */
  origin: string;
  dispose(): Promise<void>;
}

/** @throws what `startServer` and `startHub` throw, with neither left running */
export async function startWithHub(options: WithHubOptions): Promise<WithHub> {
  const { port, hostname, vars, onDeath, ...others } = options;
  const statePath = resolve(ROOT, options.statePath);
  const origin = `http://${hostname}:${port}`;
  const hubOrigin = `http://${hostname}:${port + 1}`;
  // The service first: it holds the state folder, which no two may serve.
  const server = await startServer({
    ...others,
    statePath,
    port,
    vars: { ...vars, HUB_URL: hubOrigin, AUTH_URL: `${hubOrigin}/sign-in` },
    ...(onDeath === undefined ? {} : { onDeath }),
  });
  try {
    const hub = await startHub({
      port: port + 1,
      statePath,
      serviceUrl: origin,
      webhookSecret: (await readSecrets(statePath)).HUB_WEBHOOK_SECRET,
      ...(onDeath === undefined ? {} : { onDeath }),
    });
    return {
      server,
      hub,
      origin,
      async dispose() {
        await Promise.all([server.dispose(), hub.dispose()]);
      },
    };
  } catch (error) {
    await server.dispose();
    throw error;
  }
}
