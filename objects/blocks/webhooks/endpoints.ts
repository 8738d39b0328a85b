/** Endpoints: the addresses that get a page's events, with their secrets, and what they want. */

import { PAGE_EVENTS, type WantedEvents } from "../../events/page-news.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/clock.ts";
import { newSecret } from "./sign.ts";
import {
  ENDPOINTS_MAX,
  type Endpoint,
  type EndpointChange,
  type EndpointInput,
} from "./webhook.ts";
import { randomHex, type Store, type WebhookPorts } from "./webhook-ports.ts";
import type { EndpointRow, WebhookTables } from "./webhook-tables.ts";

/** The secret before the present one signs for this long too, until the receiver has the new one. */
export const ROTATION_MS = DAY_MS;
/** Asked for again so soon, a secret was lost on its way, or somebody clicked twice. */
const REPEATED_MS = MINUTE_MS;

/**
 * The events that are wanted, and the number of their changes. Up to 3.1 the last one that was
 * announced was stored as `announced`: too small after a rollback, so that it is announced again.
 */
const TYPES = "types";
const VERSION = "version";

export class Endpoints {
  readonly #ports: WebhookPorts;
  readonly #tables: WebhookTables;
  readonly #store: Store;

  constructor(ports: WebhookPorts, tables: WebhookTables, store: Store) {
    this.#ports = ports;
    this.#tables = tables;
    this.#store = store;
  }

  list(): Endpoint[] {
    return this.#tables.endpoints().map((row) => this.#view(row));
  }

  /**
   * Null if the page has as many endpoints as it may. An endpoint that is on is not made again when
   * a lost answer is asked for: two would tell each event twice, signed by different secrets.
   */
  async create(input: EndpointInput): Promise<Endpoint | null> {
    const { clock, randomBytes } = this.#ports;
    const { url } = input;
    const events = JSON.stringify(input.events);
    const known = this.#tables.endpoints();
    const same = known.find(
      (row) => row.state === "on" && row.url === url && row.events === events,
    );
    if (same !== undefined) return this.#view(same);
    if (known.length >= ENDPOINTS_MAX) return null;
    const row: EndpointRow = {
      id: `wh_${randomHex(this.#ports, 12)}`,
      url,
      events,
      state: "on",
      secret: newSecret(randomBytes),
      old_secret: null,
      old_until: null,
      created_at: clock.now(),
      failures: 0,
      rest_until: 0,
      ok_at: null,
      dropped: 0,
    };
    await this.#change(() => this.#tables.putEndpoint(row));
    return this.#view(row);
  }

  /** An endpoint that is switched on starts afresh. Null if there is none. */
  async change(id: string, { url, events, enabled }: EndpointChange): Promise<Endpoint | null> {
    const row = this.#tables.endpoint(id);
    if (row === null) return null;
    const turned =
      enabled === undefined ? row.state : enabled ? "on" : row.state === "on" ? "off" : row.state;
    const isFresh = turned === "on" && (row.state !== "on" || (url ?? row.url) !== row.url);
    const changed: EndpointRow = {
      ...row,
      url: url ?? row.url,
      events: events === undefined ? row.events : JSON.stringify(events),
      state: turned,
      // A new address is not to blame for what the one before did.
      ...(isFresh ? { failures: 0, rest_until: 0, ok_at: this.#ports.clock.now() } : {}),
    };
    await this.#change(() => {
      this.#tables.putEndpoint(changed);
      if (turned !== "on") this.#tables.giveUp(id);
    });
    return this.#view(changed);
  }

  /** Deletes also the deliveries. False if there is no endpoint. */
  async remove(id: string): Promise<boolean> {
    if (this.#tables.endpoint(id) === null) return false;
    await this.#change(() => this.#tables.deleteEndpoint(id));
    return true;
  }

  /**
   * The present secret signs too for a day. A repetition within a minute changes nothing: the
   * secret that the receiver has would be void. Null if there is no endpoint.
   */
  async rotate(id: string): Promise<Endpoint | null> {
    const row = this.#tables.endpoint(id);
    if (row === null) return null;
    const { clock, randomBytes } = this.#ports;
    const old_until = clock.now() + ROTATION_MS;
    const age_ms = old_until - (row.old_until ?? 0);
    if (Math.abs(age_ms) < REPEATED_MS) return this.#view(row);
    const secret = newSecret(randomBytes);
    const rotated: EndpointRow = { ...row, secret, old_secret: row.secret, old_until };
    await this.#change(() => this.#tables.putEndpoint(rotated));
    return this.#view(rotated);
  }

  /** Belongs into a transaction. */
  forgetOldSecrets(now: number): void {
    this.#tables.forgetOldSecrets(now, now + ROTATION_MS);
  }

  get wanted(): WantedEvents {
    return { types: this.#ports.storage.kv.get<string[]>(TYPES) ?? [], version: this.#version };
  }

  get wantLinks(): boolean {
    return this.#chosen().some((type) => type.startsWith("link."));
  }

  /** Belongs into a transaction. */
  noteWanted(): void {
    const { kv } = this.#ports.storage;
    const chosen = new Set(this.#chosen());
    const types = PAGE_EVENTS.filter((type) => chosen.has(type));
    if (types.join() === this.wanted.types.join()) return;
    kv.put(TYPES, types);
    kv.put(VERSION, this.#version + 1);
  }

  #change(change: () => void): Promise<void> {
    return this.#store(() => {
      change();
      this.noteWanted();
    });
  }

  #chosen(): string[] {
    return this.#tables
      .endpoints()
      .filter(({ state }) => state === "on")
      .flatMap(({ events }) => JSON.parse(events) as string[]);
  }

  get #version(): number {
    return this.#ports.storage.kv.get<number>(VERSION) ?? 0;
  }

  #view(row: EndpointRow): Endpoint {
    const { id, url, events, state, secret, old_until, created_at, dropped } = row;
    return {
      id,
      url,
      events: JSON.parse(events),
      state,
      secret,
      old_secret_until: old_until === null ? null : new Date(old_until).toISOString(),
      created_at: new Date(created_at).toISOString(),
      dropped,
      waiting: this.#tables.waiting(id),
    };
  }
}
