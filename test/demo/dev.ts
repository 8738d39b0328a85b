/**
 * The difference between `npm run dev` and `npm start`: each saved file of `src`, `objects` or `migrations` is
 * built and served within seconds. workerd restarts for it; what it stores stays.
 *
 * The neighbours keep running. wrangler.toml is read at each reload, but its saves start none.
 */
import { join, relative, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ROOT } from "../../src/commands/root.ts";
import { runNode } from "../../src/commands/serve/bundle.ts";
import type { Bundle } from "../../src/commands/serve/modules.ts";
import type { Server } from "../../src/commands/serve/server.ts";
import { clientSources } from "../server/client-sources.ts";
import { createBundler } from "../server/dev-bundle.ts";
import { watchFolders } from "../server/watch-folders.ts";

const FOLDERS = ["src", "objects", "migrations"];
/** Every file of this folder makes the client stale: no module imports the style sheets and icons. */
const CLIENT = "src/client";
const BUILT = ["src/client/dist", "src/commands/serve/dist"];
/** Swap files, lock files and backups that editors put beside a source file. */
const NO_SOURCE = /(^|[/\\])(\.[^/\\]*|[^/\\]*~)$/;
/** One save is several events, and a checkout is hundreds. */
const SETTLE_MS = 50;
const NAMED_FILES_MAX = 3;

export class Dev {
  readonly #bundler = createBundler();
  #server: Server | undefined;
  #saved = new Set<string>();
  #first_saved_at = 0;
  #client_stale = true;
  #client_sources: ReadonlySet<string> = new Set();
  #reloading: Promise<void> | undefined;
  #stopped = false;

  /** Watches from now on: what is saved during the first build is built after it. */
  constructor() {
    const folders = FOLDERS.map((folder) => join(ROOT, folder));
    watchFolders(
      folders,
      BUILT.map((folder) => join(ROOT, folder)),
      (path) => this.#save(relative(ROOT, path)),
    );
  }

  /** Builds the Workers, and what browsers load if that may have changed. @returns the Workers' modules */
  async build(): Promise<Bundle> {
    if (this.#client_stale) {
      // Another process: this one would import the modules of the first build again.
      await runNode(["--no-warnings", "src/client/build.ts", "--keep"]);
      this.#client_sources = await clientSources();
      this.#client_stale = false;
    }
    const bundle = await this.#bundler;
    return bundle();
  }

  reloadOnSave(server: Server): void {
    this.#server = server;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#reloading;
  }

  #save(file: string): void {
    if (NO_SOURCE.test(file)) return;
    if (this.#saved.size === 0) this.#first_saved_at = performance.now();
    this.#saved.add(file);
    this.#wake();
  }

  #wake(): void {
    const server = this.#server;
    if (server === undefined) return;
    this.#reloading ??= this.#reloadAll(server).finally(() => {
      this.#reloading = undefined;
    });
  }

  /** One reload at a time, until a reload has begun after the last save. */
  async #reloadAll(server: Server): Promise<void> {
    while (this.#saved.size > 0 && !this.#stopped) {
      await pause(SETTLE_MS);
      const files = [...this.#saved];
      this.#saved.clear();
      await this.#reload(server, files, this.#first_saved_at);
    }
  }

  /** For a path with `/`, as esbuild's are. It may be a folder that was moved or removed. */
  #isClientSource(path: string): boolean {
    const folder = `${path}/`;
    if (folder.startsWith(`${CLIENT}/`) || this.#client_sources.has(path)) return true;
    return [...this.#client_sources].some((source) => source.startsWith(folder));
  }

  async #reload(server: Server, files: string[], saved_at: number): Promise<void> {
    this.#client_stale ||= files.some((file) => this.#isClientSource(file.replaceAll(sep, "/")));
    const parts = this.#client_stale ? "client, Worker" : "Worker";
    const more = files.length - NAMED_FILES_MAX;
    const named = files.slice(0, NAMED_FILES_MAX).join(", ") + (more > 0 ? `, +${more}` : "");
    try {
      await server.reload(await this.build());
    } catch (error) {
      if (this.#stopped) return;
      console.error(`
  تعذّر تشغيل ما حُفظ، والنسخة السابقة ما زالت تعمل · what was saved failed; the previous version is still served
  ${named}

${error instanceof Error ? error.message : error}
`);
      return;
    }
    const ms = Math.round(performance.now() - saved_at);
    console.log(`  أُعيد البناء · rebuilt  ${parts} · ${ms} ms · ${named}`);
  }
}
