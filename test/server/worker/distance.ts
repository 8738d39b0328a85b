/**
 * Delays the router's calls of objects, D1 and KV, which are close on one machine. The delay belongs to
 * the calling request, as on a network. In an object, whose input gate admits one event at a time, the
 * delays would queue.
 */

/** Wraps a call; `call` makes it. */
export type Way = <T>(call: () => Promise<T>) => Promise<T>;

/** Waits half of `ms` before the call and half after it, whether or not it succeeds. */
export async function far<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const there_ms = Math.floor(ms / 2);
  await scheduler.wait(there_ms);
  try {
    return await call();
  } finally {
    await scheduler.wait(ms - there_ms);
  }
}

/** The namespace whose `getByName` returns wrapped stubs. */
export function objectsBy<T extends Rpc.DurableObjectBranded | undefined>(
  way: Way,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  return replace(namespace, { getByName: (name: string) => allBy(way, namespace.getByName(name)) });
}

/** D1 with wrapped calls. */
export function databaseBy(way: Way, db: D1Database): D1Database {
  return replace(db, {
    prepare: (query: string) => statementBy(way, db.prepare(query)),
    batch: (batch: D1PreparedStatement[]) =>
      way(() => db.batch(batch.map((proxy) => statements.get(proxy) ?? proxy))),
  });
}

/** D1's statements by their proxies, for `batch`. */
const statements = new WeakMap<object, D1PreparedStatement>();

function statementBy(way: Way, statement: D1PreparedStatement): D1PreparedStatement {
  const proxy = replace(allBy(way, statement), {
    bind: (...values: unknown[]) => statementBy(way, statement.bind(...values)),
  });
  statements.set(proxy, statement);
  return proxy;
}

/** The target with each method wrapped; all of its methods must be asynchronous. */
export function allBy<T extends object>(way: Way, target: T): T {
  return new Proxy(target, {
    get(_, name) {
      const found = member(target, name);
      return typeof found === "function"
        ? (...args: unknown[]) => way(() => found(...args))
        : found;
    },
  });
}

/** The target with some members replaced. */
function replace<T extends object>(target: T, members: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (_, name) =>
      typeof name === "string" && name in members ? members[name] : member(target, name),
  });
}

/** A member of a platform object, bound to it, because its methods work on nothing else. */
function member(target: object, name: string | symbol): unknown {
  const found: unknown = Reflect.get(target, name);
  // A stub's methods have no `bind`: every property of them is another remote method.
  return typeof found === "function"
    ? (...args: unknown[]) => Reflect.apply(found, target, args)
    : found;
}
