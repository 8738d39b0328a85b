/**
 * Puts a distance between the router and what it calls, which on one machine are neighbours: objects, D1 and
 * KV. The waits belong to the request that calls, as the network's do. In the object instead, whose input gate
 * lets one event in at a time, they would queue.
 */

/** What happens to a call on its way: `call` makes it. */
export type Way = <T>(call: () => Promise<T>) => Promise<T>;

/** Half of `ms` milliseconds pass before the call and half after it, whether or not it succeeds. */
export async function far<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const there_ms = Math.floor(ms / 2);
  await scheduler.wait(there_ms);
  try {
    return await call();
  } finally {
    await scheduler.wait(ms - there_ms);
  }
}

/** The namespace with another way to its objects, as far as `getByName` reaches them. */
export function objectsBy<T extends Rpc.DurableObjectBranded | undefined>(
  way: Way,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  return replace(namespace, { getByName: (name: string) => allBy(way, namespace.getByName(name)) });
}

/** D1 with another way to it. */
export function databaseBy(way: Way, db: D1Database): D1Database {
  return replace(db, {
    prepare: (query: string) => statementBy(way, db.prepare(query)),
    batch: (batch: D1PreparedStatement[]) =>
      way(() => db.batch(batch.map((proxy) => statements.get(proxy) ?? proxy))),
  });
}

/** D1's statements by the proxies that stand for them, for `batch`. */
const statements = new WeakMap<object, D1PreparedStatement>();

function statementBy(way: Way, statement: D1PreparedStatement): D1PreparedStatement {
  const proxy = replace(allBy(way, statement), {
    bind: (...values: unknown[]) => statementBy(way, statement.bind(...values)),
  });
  statements.set(proxy, statement);
  return proxy;
}

/** The same with another way to each of its methods; all of them must be asynchronous. */
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

/** The same with some of its members replaced. */
function replace<T extends object>(target: T, members: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (_, name) =>
      typeof name === "string" && name in members ? members[name] : member(target, name),
  });
}

/** A member of the platform's objects; its methods work only on the object that they belong to. */
function member(target: object, name: string | symbol): unknown {
  const found: unknown = Reflect.get(target, name);
  // A stub's methods have no `bind` of their own: whatever is read from them is another remote method.
  return typeof found === "function"
    ? (...args: unknown[]) => Reflect.apply(found, target, args)
    : found;
}
