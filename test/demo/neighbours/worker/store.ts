import { DurableObject } from "cloudflare:workers";
import type * as z from "zod";
import { HOOK_TABLES, type Hook, Hooks } from "./hooks.ts";
import { LISTED_MAX, MAILBOX_TABLES, type Mail, Mailbox, type StoredMail } from "./mailbox.ts";

export class NeighbourStore<E = unknown> extends DurableObject<E> {
  readonly #mailbox: Mailbox;
  readonly #hooks: Hooks;

  constructor(ctx: DurableObjectState, env: E) {
    super(ctx, env);
    ctx.storage.sql.exec(MAILBOX_TABLES + HOOK_TABLES);
    this.#mailbox = new Mailbox(ctx.storage.sql);
    this.#hooks = new Hooks(ctx.storage.sql);
  }

  addHookSecret(secret: string): void {
    this.#hooks.addSecret(secret);
  }

  addHook(headers: Record<string, string>, body: string): boolean {
    return this.#hooks.add(headers, body);
  }

  hooks(limit: number): Hook[] {
    return this.#hooks.list(limit);
  }

  addMail(mail: z.infer<typeof Mail>): string {
    return this.#mailbox.add(mail);
  }

  mail(id: string): StoredMail | null {
    return this.#mailbox.get(id);
  }

  mails(address: string | null): StoredMail[] {
    return this.#mailbox.list(address, LISTED_MAX);
  }
}
