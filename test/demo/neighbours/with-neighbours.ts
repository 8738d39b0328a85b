/** Starts the service and what stands beside it, each with the address of the other. */
import { resolve } from "node:path";
import { ROOT } from "../../../src/commands/root.ts";
import {
  readSecrets,
  type Secrets,
  type Server,
  type ServerOptions,
  startServer,
} from "../../../src/commands/serve/server.ts";
import { mailTo, type Neighbours, type NeighboursOptions, startNeighbours } from "./neighbours.ts";

export interface WithNeighboursOptions extends ServerOptions {
  statePath: string;
  /** Port of the service; the neighbours take the next one. */
  port: number;
  /** Host name in both addresses: a hub's cookies are shared only under one name. */
  hostname: "localhost" | "127.0.0.1";
}

export interface WithNeighbours {
  server: Server;
  neighbours: Neighbours;
  origin: string;
  dispose(): Promise<void>;
}

/** The service with accounts of its own. @throws as `startBoth` */
export function startWithNeighbours(options: WithNeighboursOptions): Promise<WithNeighbours> {
  return startBoth(options, () => ({}));
}

export type WithHub = Omit<WithNeighbours, "neighbours"> & { hub: Neighbours };

/** The service with accounts at the demo of the account hub. @throws as `startBoth` */
export async function startWithHub(options: WithNeighboursOptions): Promise<WithHub> {
  const hubOrigin = neighboursOrigin(options);
  const { neighbours, ...started } = await startBoth(
    {
      ...options,
      vars: {
        AUTH_URL: `${hubOrigin}/sign-in`,
        HUB_SESSION_COOKIE: "hub_session",
        ...options.vars,
        HUB_URL: hubOrigin,
      },
    },
    ({ HUB_WEBHOOK_SECRET }) => ({
      hub: { serviceUrl: serviceOrigin(options), webhookSecret: HUB_WEBHOOK_SECRET },
    }),
  );
  return { ...started, hub: neighbours };
}

type Place = Pick<WithNeighboursOptions, "hostname" | "port">;

const serviceOrigin = ({ hostname, port }: Place) => `http://${hostname}:${port}`;
const neighboursOrigin = ({ hostname, port }: Place) => `http://${hostname}:${port + 1}`;

/** @throws what `startServer` and `startNeighbours` throw, with neither left running */
async function startBoth(
  options: WithNeighboursOptions,
  hubOf: (secrets: Secrets) => Pick<NeighboursOptions, "hub">,
): Promise<WithNeighbours> {
  const { port, hostname, vars, onDeath, ...others } = options;
  const statePath = resolve(ROOT, options.statePath);
  const [origin, mailbox] = [serviceOrigin(options), neighboursOrigin(options)];
  const dying = onDeath === undefined ? {} : { onDeath };
  let neighbours: Neighbours | undefined;
  try {
    const server = await startServer({
      ...others,
      ...{ statePath, port, mail: mailTo(mailbox) },
      vars: {
        AI_URL: `${mailbox}/v1`,
        AI_MODEL: "sila-demo",
        SITE_ORIGIN: origin,
        MAIL_FROM: "news@sila.example",
        ...vars,
      },
      // They store their state in the same folder, so they start once that is locked. A hub must listen before
      // the service does: a failed deep probe in between would be reused for 5 s.
      async before() {
        const hub = hubOf(await readSecrets(statePath));
        neighbours = await startNeighbours({ port: port + 1, statePath, ...hub, ...dying });
      },
      ...dying,
    });
    if (neighbours === undefined) throw new Error("the server started without its neighbours");
    const started: Neighbours = neighbours;
    return {
      server,
      neighbours: started,
      origin,
      async dispose() {
        await Promise.all([server.dispose(), started.dispose()]);
      },
    };
  } catch (error) {
    await neighbours?.dispose();
    throw error;
  }
}
