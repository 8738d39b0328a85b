/**
 * The part of Redis that one Lua script of `@upstash/ratelimit` needs: GET, INCRBY and PEXPIRE in memory,
 * and EVAL and EVALSHA with the real Lua, so that the shipped script itself decides.
 */
import { createHash } from "node:crypto";
import { LuaFactory } from "wasmoon";

/** The client methods that `Ratelimit` calls; the others serve features that are off here. */
export interface Scripting {
  eval(script: string, keys: string[], args: unknown[]): Promise<unknown>;
  evalsha(sha1: string, keys: string[], args: unknown[]): Promise<unknown>;
}

type Script = (keys: number, ...values: string[]) => readonly unknown[];

/** Redis gives a script its keys and arguments as strings, in two tables. */
const LOADER = `
  function prepare(source)
    local script = assert(load(source))
    return function(keys, ...)
      local all = { ... }
      KEYS = table.move(all, 1, keys, 1, {})
      ARGV = table.move(all, keys + 1, #all, 1, {})
      return script()
    end
  end
`;

/** An empty Redis. Expiry uses timers, so it follows true time when a caller's clock steps. */
export async function memoryRedis(): Promise<Scripting & { close: () => void }> {
  const values = new Map<string, number>();
  const scripts = new Map<string, Script>();
  const lua = await new LuaFactory().createEngine();

  const commands: Record<string, (key: string, value: unknown) => unknown> = {
    // In Redis' Lua a missing value is `false`, any other a string.
    GET: (key) => values.get(key)?.toString() ?? false,
    INCRBY: (key, by) => {
      const value = (values.get(key) ?? 0) + Number(by);
      values.set(key, value);
      return value;
    },
    PEXPIRE: (key, ms) => {
      setTimeout(() => values.delete(key), Number(ms));
      return 1;
    },
  };
  lua.global.set("redis", {
    call: (name: string, key: string, value: unknown) => {
      const command = commands[name];
      if (command === undefined) throw new Error(`ERR unknown command '${name}'`);
      return command(key, value);
    },
  });
  await lua.doString(LOADER);
  const prepare: (source: string) => Script = lua.global.get("prepare");

  async function evalsha(sha1: string, keys: string[], args: unknown[]): Promise<unknown> {
    const script = scripts.get(sha1);
    if (script === undefined) throw new Error("NOSCRIPT No matching script. Please use EVAL.");
    return script(keys.length, ...keys, ...args.map(String));
  }
  return {
    evalsha,
    eval(source, keys, args) {
      const sha1 = createHash("sha1").update(source).digest("hex");
      // The first line, `#!lua flags=…`, is not Lua.
      if (!scripts.has(sha1)) scripts.set(sha1, prepare(source.replace(/^#!.*/, "")));
      return evalsha(sha1, keys, args);
    },
    close: () => lua.global.close(),
  };
}
