/**
 * Data of 3.0: its wrangler.toml gave the database and the namespace ids, by which Miniflare names their files. A folder
 * that has those, and none by today's names, keeps the ids.
 */
import { createHash, createHmac } from "node:crypto";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Checkout } from "./checkout.ts";

const OLD_DATABASE = "00000000-0000-0000-0000-000000000000";
const OLD_NAMESPACE = "00000000000000000000000000000000";
const DATABASES = "miniflare-D1DatabaseObject";
const NAMESPACES = "miniflare-KVNamespaceObject";

export async function withOldIds(checkout: Checkout, statePath: string): Promise<Checkout> {
  const has = (store: string, kind: string, id: string) =>
    exists(join(statePath, "v3", store, kind, `${objectId(kind, id)}.sqlite`));
  const isOld = async (store: string, kind: string, old: string, id: string) =>
    (await has(store, kind, old)) && !(await has(store, kind, id));
  const patch: { d1Databases?: object; kvNamespaces?: object } = {};
  if (await isOld("d1", DATABASES, OLD_DATABASE, "DB")) {
    patch.d1Databases = { DB: { id: OLD_DATABASE } };
  }
  if (await isOld("kv", NAMESPACES, OLD_NAMESPACE, "KV")) {
    patch.kvNamespaces = { KV: { id: OLD_NAMESPACE } };
  }
  const patched = <W extends Checkout["service"]>(worker: W): W => ({
    ...worker,
    d1Databases: { ...(worker.d1Databases as object), ...patch.d1Databases },
    kvNamespaces: { ...(worker.kvNamespaces as object), ...patch.kvNamespaces },
  });
  return { ...checkout, service: patched(checkout.service), identity: patched(checkout.identity) };
}

/** Names a file: workerd makes an object's id from its name and the class's key. */
function objectId(unique_key: string, name: string): string {
  const key = createHash("sha256").update(unique_key).digest();
  const sign = (value: string | Buffer) =>
    createHmac("sha256", key).update(value).digest().subarray(0, 16);
  const of_name = sign(name);
  return Buffer.concat([of_name, sign(of_name)]).toString("hex");
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
