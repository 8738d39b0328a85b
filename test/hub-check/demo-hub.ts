import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { type Neighbours, startNeighbours } from "../demo/neighbours/neighbours.ts";
import { randomSecret } from "../secret.ts";
import { POINTS_MIN } from "./rules.ts";
import type { HubUnderTest } from "./trial.ts";

export class DemoHub {
  readonly hub: Neighbours;
  readonly #secret: string;
  readonly #statePath: string;

  private constructor(hub: Neighbours, secret: string, statePath: string) {
    this.hub = hub;
    this.#secret = secret;
    this.#statePath = statePath;
  }

  static async start(): Promise<DemoHub> {
    const statePath = await mkdtemp(join(await scratchFolder(), "sila-hub-check-"));
    const webhookSecret = `whsec_${randomSecret()}`;
    // Nothing that the check does sends the service a webhook.
    const serviceUrl = "http://127.0.0.1:9";
    const hub = await startNeighbours({
      ...{ port: 0, statePath },
      hub: { serviceUrl, webhookSecret },
    });
    return new DemoHub(hub, webhookSecret, statePath);
  }

  async stop(): Promise<void> {
    await this.hub.dispose();
    await rm(this.#statePath, { recursive: true });
  }

  async underTest(points = POINTS_MIN): Promise<HubUnderTest> {
    return {
      url: this.hub.url.origin,
      cookieName: "hub_session",
      session: await this.#signedIn(points),
      otherSession: await this.#signedIn(3),
      secret: this.#secret,
    };
  }

  async #signedIn(points: number): Promise<string> {
    const id = randomUUID();
    const user = { id, name: id, email: "user@example.com", plan: "free", locale: "ar", points };
    await this.hub.control("POST", "/users", user);
    const begun = await this.hub.control("POST", "/sign-in", { user_id: id });
    return (begun as { cookie: string }).cookie;
  }
}
