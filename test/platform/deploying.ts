/** `npm run deploy` and `npm run doctor` in processes of their own, sent to the stand-in by their environment. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import release from "../../package.json" with { type: "json" };
import { ROOT } from "../../src/commands/root.ts";
import { Platform, TOKEN } from "./platform.ts";

/** Variables of the machine that would reach past the stand-in, or say something else than the test does. */
const WITHOUT =
  /^(?:CLOUDFLARE_|CF_|WRANGLER_|HUB_|AUTH_URL|SESSION_KEY|SENDER_KEY|SILA_KEY|AI_|MAIL_|WORKERS_CI|NODE_ENV|VITEST|npm_config_)|^CI$/;

const PRELOADED = ["record-command-lines.ts", "name-hub.ts"].map(
  (file) => new URL(file, import.meta.url).href,
);

export interface Run {
  code: number | null;
  output: string;
}

export class Deploying {
  readonly platform = new Platform();
  /** The user's folder `.sila`, and that of temporary files in it. */
  readonly folder: string;
  readonly temporary: string;
  readonly #root: string;
  readonly #api: string;
  readonly #service: Server;
  /** The commands that were started, each with a group of its own. */
  readonly #started: number[] = [];
  readonly url: string;
  /** A file with the command lines of all processes that the runs started. */
  readonly command_lines: string;

  private constructor(
    platform: Platform,
    folder: string,
    root: string,
    api: string,
    service: Server,
  ) {
    this.platform = platform;
    this.folder = folder;
    this.temporary = join(folder, "tmp");
    this.#root = root;
    this.#api = api;
    this.#service = service;
    this.url = addressOf(service);
    this.command_lines = join(folder, "command-lines.txt");
  }

  static async start(root = ROOT): Promise<Deploying> {
    const platform = new Platform();
    const service = serviceOf(platform, await faultsInService());
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const folder = await mkdtemp(join(tmpdir(), "sila-deploying-"));
    await mkdir(join(folder, "tmp"));
    return new Deploying(platform, folder, root, await platform.start(), service);
  }

  async stop(): Promise<void> {
    // A command that was killed leaves the wrangler that it started.
    for (const group of this.#started) {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    this.#service.closeAllConnections();
    await new Promise((resolve) => this.#service.close(resolve));
    await this.platform.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** @param killed when the command is killed, but not the wrangler that it started */
  deploy(
    args: readonly string[] = [],
    env: Record<string, string> = {},
    killed?: Promise<void>,
  ): Promise<Run> {
    return this.#run("src/commands/deploy/deploy.ts", args, env, killed);
  }

  doctor(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Run> {
    return this.#run("src/commands/deploy/doctor.ts", args, env);
  }

  async #run(
    script: string,
    args: readonly string[],
    env: Record<string, string>,
    killed?: Promise<void>,
  ): Promise<Run> {
    const own = Object.entries(process.env).filter(([name]) => !WITHOUT.test(name));
    const child = spawn(process.execPath, ["--no-warnings", script, ...args], {
      cwd: this.#root,
      env: {
        ...Object.fromEntries(own),
        CLOUDFLARE_API_BASE_URL: this.#api,
        CLOUDFLARE_API_TOKEN: TOKEN,
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        SILA_DEPLOY_FOLDER: this.folder,
        SILA_COMMAND_LINES: this.command_lines,
        TMPDIR: this.temporary,
        HOME: this.folder,
        XDG_CONFIG_HOME: this.folder,
        NODE_OPTIONS: PRELOADED.map((url) => `--import=${url}`).join(" "),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    if (child.pid !== undefined) this.#started.push(child.pid);
    killed?.then(() => child.kill("SIGKILL"));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    });
    return { code, output };
  }
}

/**
 * The deployed service's `/health/deep`: well if the settings that were uploaded pass the service's own checks, and
 * the database has its tables.
 */
function serviceOf(platform: Platform, faultsOf: FaultsOf): Server {
  return createServer((_, response) => {
    const worker = [...platform.workers.values()].find(
      ({ name }) => !/-(?:workshop|identity)$/.test(name),
    );
    const mail = worker?.current.bindings.find(({ type }) => type === "send_email");
    const config = faultsOf({ ...worker?.values, ...(mail && { MAIL: mail.name }) }).size === 0;
    const d1 = platform.databases.some((database) => database.tables().includes("pages"));
    const checks = { d1: { ok: d1 }, config: { ok: config } };
    const ok = config && d1;
    response.writeHead(ok ? 200 : 503, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify(
        ok
          ? { ok, status: "pass", app: "sila", version: release.version, checks }
          : { ok, code: "DEPENDENCY_DOWN", details: { checks } },
      ),
    );
  });
}

type FaultsOf = (env: Record<string, string>) => Map<string, string>;

/** The service's own checks. Their types are the Worker's, which this folder's have no place for. */
async function faultsInService(): Promise<FaultsOf> {
  const config = new URL("../../src/http/config.ts", import.meta.url).href;
  return ((await import(config)) as { faultsOf: FaultsOf }).faultsOf;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
