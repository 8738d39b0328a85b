/** An object that can move to another service, with all that it has stored. */
import { DurableObject } from "cloudflare:workers";
import { armLoaded, dumpObject, loadObject } from "./dump.ts";

export abstract class MovableObject extends DurableObject<Cloudflare.Env> {
  dump(): Promise<ReadableStream<Uint8Array>> {
    return dumpObject(this.ctx.storage);
  }

  load(lines: ReadableStream<Uint8Array> | null, sha256: string): Promise<boolean> {
    return loadObject(this.ctx, lines, sha256);
  }

  arm(alarm_ms: number): Promise<void> {
    return armLoaded(this.ctx.storage, alarm_ms);
  }
}
