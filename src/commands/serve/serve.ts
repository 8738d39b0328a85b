/**
 * `npm run serve`: the service on a machine of one's own (docs/operations.md "On a machine of your
 * own"), in one process and one workerd, with all its data in one folder.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { request } from "node:http";
import type { Socket } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { SETUP_PAGE } from "../../http/endpoints.ts";
import { ROOT } from "../root.ts";
import { type Front, startFront } from "./front.ts";
import { isHeld, lockState } from "./lock.ts";
import type { Prepared } from "./prepared.ts";
import { START_BYTES, sentenceOf } from "./refusal.ts";
import {
  BEGUN,
  ENTRY_SOCKET,
  FILES_SOCKET,
  MAIL_SOCKET,
  PAUSED,
  RUN,
  SERVICE_SOCKET,
  UNFINISHED,
} from "./run-folder.ts";
import { Runtime } from "./runtime.ts";
import { BadSetting, checked, readSettings, type ServeSettings } from "./settings.ts";
import { endWithUs } from "./workerd-guard.ts";

const HELP = `npm run serve

Serves Sila from this checkout, with all data in one folder. Everything is set in the environment:

  DATA                 folder of all data (default: data)
  PORT, HOST           where it listens (default: 8787 on 127.0.0.1, for a proxy on this machine)
  SITE_ORIGIN          its address in browsers, as https://links.example
  TRUST_PROXY          addresses and networks of proxies whose X-Forwarded-For is believed, with commas between
  SMTP_URL, MAIL_FROM  a mail server as smtps://user:password@host:465, and the sender; without them no mail is sent
  OUTBOUND             networks that may be asked from here, with commas between (default: public)
  …                    and each variable and secret of docs/operations.md "Settings"

Ctrl-C or SIGTERM ends it; nothing is lost by SIGKILL either. npm run backup copies the folder while it runs.
`;

/** Requests get this long to be answered when the service ends. */
const GRACE_MS = 10_000;
const PARENT_CHECK_MS = 500;
const LEFT_MS = 10_000;
const LEFT_POLL_MS = 50;
const CRON_INTERVAL_MS = 60_000;
/** Requests wait no longer for a backup. */
const PAUSE_MS_MAX = 60_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

let front: Front | undefined;
let runtime: Runtime | undefined;
let stopping: Promise<void> | undefined;

function stop(code: number): Promise<void> {
  stopping ??= (async () => {
    await front?.close(GRACE_MS);
    await runtime?.stop();
    process.exit(code);
  })();
  return stopping;
}

async function serve(settings: ServeSettings, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  process.chdir(folder);
  if (existsSync(UNFINISHED))
    throw new Error(`${folder} is a copy that broke off: take another one`);
  await lockState(folder, takeBackup);
  await noneLeft(folder);
  await rm(RUN, { recursive: true, force: true });
  await mkdir(RUN, { mode: 0o700 });
  const { origin, setup_code, crons, files } = await prepare();
  if (settings.smtp !== "") await startMails(settings.smtp);
  runtime = await Runtime.start();
  const { host: hostname, port, trusted } = settings;
  front = await startFront({
    hostname,
    port,
    trusted,
    service: SERVICE_SOCKET,
    files_socket: FILES_SOCKET,
    files,
  });
  setInterval(() => crons.forEach(runCron), CRON_INTERVAL_MS).unref();
  greet(origin || `http://localhost:${front.port}`, setup_code, folder);
}

/** A killed run's workerd ends a moment after it. Two would count side by side. */
async function noneLeft(folder: string): Promise<void> {
  for (let waited_ms = 0; await isHeld(SERVICE_SOCKET); waited_ms += LEFT_POLL_MS) {
    if (waited_ms > LEFT_MS) throw new Error(`${folder} is being served by a workerd that is left`);
    await pause(LEFT_POLL_MS);
  }
}

let backup: Socket | undefined;

/** One backup at a time. workerd stands still from `PAUSE` on until the socket or its time ends. */
function takeBackup(socket: Socket): void {
  socket.on("error", () => {});
  socket.once("data", () => {
    if (backup !== undefined || runtime === undefined) {
      socket.destroy();
      return;
    }
    backup = socket.once("close", () => {
      backup = undefined;
    });
    socket.once("data", () => standStill(socket)).write(BEGUN);
  });
}

function standStill(socket: Socket): void {
  const release = runtime?.suspend(() => socket.destroy());
  if (release === undefined) {
    socket.destroy();
    return;
  }
  const over = setTimeout(() => socket.destroy(), PAUSE_MS_MAX);
  socket.once("close", () => {
    clearTimeout(over);
    release();
  });
  socket.write(PAUSED);
}

/** The library for mail is loaded only where it is used. */
async function startMails(smtp: string): Promise<void> {
  const { serveMails, smtpTransport } = await import("./mail-server.ts");
  const transport = checked("SMTP_URL", () => smtpTransport(smtp));
  await serveMails(transport, MAIL_SOCKET);
}

/** @throws when it has said what is wrong */
async function prepare(): Promise<Prepared> {
  const child = spawn(
    process.execPath,
    ["--no-warnings", join(ROOT, "src/commands/serve/prepare.ts")],
    {
      stdio: ["ignore", "pipe", "inherit"],
      // Nothing outside the data folder need be writable.
      env: { ...process.env, TMPDIR: resolve(RUN) },
    },
  );
  // It would write beside the next start.
  endWithUs(child);
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Said();
  return JSON.parse(printed) as Prepared;
}

class Said extends Error {}

/** A run that fails is repeated by the next one. */
function runCron(cron: string): void {
  const path = `/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}`;
  request({ socketPath: ENTRY_SOCKET, path, headers: { host: "localhost" } })
    .on("response", (response) => {
      if (response.statusCode !== 200) failed(`${response.statusCode}`);
      response.resume();
    })
    .on("error", (error) => failed(error.message))
    .end();
}

function failed(cause: string): void {
  console.error(JSON.stringify({ event: "cron_failed", cause }));
}

/** Each address begins its line, so that right-to-left text cannot reorder it. */
function greet(origin: string, setup_code: string, folder: string): void {
  const setup = `
    ${origin}${SETUP_PAGE}#${setup_code}
                    أنشئ حسابك الأول هنا · make the first account here
`;
  console.log(`
  صلة تعمل الآن · Sila is running

    ${origin}
${setup_code === "" ? "" : setup}
    ${folder}
                    البيانات · the data
`);
}

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  process.stdout.write(HELP);
} else {
  for (const signal of SIGNALS) process.on(signal, () => void stop(0));
  // A log on a full disk, or of a reader that is gone, is lost; the service is not.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  if (process.env.npm_lifecycle_event !== undefined) {
    // npm was killed with SIGKILL, which it cannot pass on.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && void stop(0), PARENT_CHECK_MS).unref();
  }
  let folder = "";
  try {
    const settings = readSettings(process.env);
    folder = resolve(ROOT, settings.data);
    await serve(settings, folder);
  } catch (error) {
    if (error instanceof BadSetting) {
      console.error(`✗ ${error.message}\n  See npm run serve -- --help`);
    } else if (!(error instanceof Said)) {
      console.error(`✗ ${await sentenceOf(error, folder, START_BYTES)}`);
    }
    await stop(1);
  }
}
