import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page as Tab } from "playwright-core";
import { ROOT } from "../../src/commands/root.ts";
import { type Page, readPage } from "../../src/pages/document/pages-store.ts";
import { type BreakingProxy, type Fault, type Request, startProxy } from "./breaking-proxy.ts";
import { freshAddress, type Service, type World } from "./browser-kit.ts";

export interface BadNetwork extends Disposable {
  proxy: BreakingProxy;
  /** The world behind the proxy. Its account hub sends nobody back there. */
  world: World;
  /** Breaks all requests of this kind until {@link mend}: browsers send some again by themselves. */
  break(isMeant: (request: Request) => boolean, fault: Fault): void;
  mend(): void;
}

export async function badNetwork(world: World): Promise<BadNetwork> {
  const proxy = await startProxy(world.origin);
  const breakAll = (isMeant: (request: Request) => boolean, fault?: Fault) => {
    proxy.rule = (request) => {
      // The limits count senders, and no journey of a bad network is about them.
      proxy.sender = freshAddress();
      return isMeant(request) ? fault : undefined;
    };
  };
  const mend = () => breakAll(() => false);
  mend();
  return {
    proxy,
    world: { ...world, origin: proxy.origin },
    break: breakAll,
    mend,
    [Symbol.dispose]: proxy.close,
  };
}

const ASSETS = "src/client/dist/public/assets";

export function isScriptWith(text: string): (request: Request) => boolean {
  const names = readdirSync(join(ROOT, ASSETS)).filter(
    (name) => name.endsWith(".js") && readFileSync(join(ROOT, ASSETS, name), "utf8").includes(text),
  );
  return ({ path }) => names.some((name) => path.split("?")[0] === `/assets/${name}`);
}

export const isSave = ({ method }: Request): boolean => method === "PUT";

/** The page in D1, because reads through the service are limited. */
export async function pageInD1({ server }: Service, page_id: string): Promise<Page> {
  const page = await readPage(await server.db(), page_id);
  if (page === null) throw new Error(`no page ${page_id}`);
  return page;
}

export function watchStates(tab: Tab): Promise<void> {
  return tab.evaluate(() => {
    const states: (string | undefined)[] = [];
    const look = () => {
      const state = document.querySelector<HTMLElement>("[data-saving]")?.dataset.saving;
      if (state !== states.at(-1)) states.push(state);
    };
    new MutationObserver(look).observe(document.body, {
      ...{ attributeFilter: ["data-saving"], subtree: true },
    });
    Object.assign(window, { takeStates: () => states.splice(0) });
  });
}

export const takeStates = (tab: Tab): Promise<string[]> =>
  tab.evaluate(() => (window as unknown as { takeStates: () => string[] }).takeStates());
