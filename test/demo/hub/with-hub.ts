/** Starts the service and the demo hub, each with the address of the other. */
import { resolve } from "node:path";
import { ROOT } from "../../server/bundle.ts";
import { type Server, type ServerOptions, startServer } from "../../server/server.ts";
import { type Hub, startHub } from "./hub.ts";

export interface WithHubOptions extends ServerOptions {
  statePath: string;
  /** Port of the service; the hub takes the next one. */
  port: number;
  /** Host name in both addresses: cookies are shared only under one name. */
  hostname: "localhost" | "127.0.0.1";
}

export interface WithHub {
  server: Server;
  hub: Hub;
  /** Origin of the service in browsers. */
  origin: string;
  dispose(): Promise<void>;
}

/** @throws what `startServer` and `startHub` throw, with neither left running */
export async function startWithHub(options: WithHubOptions): Promise<WithHub> {
  const { port, hostname, vars, onDeath, ...others } = options;
  const statePath = resolve(ROOT, options.statePath);
  const origin = `http://${hostname}:${port}`;
  const hubOrigin = `http://${hostname}:${port + 1}`;
  let hub: Hub | undefined;
  try {
    const server = await startServer({
      ...others,
      statePath,
      port,
      vars: {
        AI_URL: `${hubOrigin}/v1`,
        AI_MODEL: "sila-demo",
        SITE_ORIGIN: origin,
        MAIL_FROM: "news@sila.example",
        AUTH_URL: `${hubOrigin}/sign-in`,
        HUB_SESSION_COOKIE: "hub_session",
        ...vars,
        HUB_URL: hubOrigin,
      },
      // The hub stores its state in the same folder, so it starts once that is locked. It must listen before
      // the service does: a failed deep probe in between would be reused for 5 s.
      async before({ HUB_WEBHOOK_SECRET }) {
        hub = await startHub({
          port: port + 1,
          statePath,
          serviceUrl: origin,
          webhookSecret: HUB_WEBHOOK_SECRET,
          ...(onDeath === undefined ? {} : { onDeath }),
        });
      },
      ...(onDeath === undefined ? {} : { onDeath }),
    });
    if (hub === undefined) throw new Error("the server started without its hub");
    const started: Hub = hub;
    return {
      server,
      hub: started,
      origin,
      async dispose() {
        await Promise.all([server.dispose(), started.dispose()]);
      },
    };
  } catch (error) {
    await hub?.dispose();
    throw error;
  }
}
