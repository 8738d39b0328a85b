/**
 * `npm start`: the service on http://localhost:8787 with its demo pages and people, and a mailbox, a receiver of
 * webhooks and a model on the next port. Needs no account, no network and no setting. `PORT` moves both; `STATE_PATH` (default
 * `.wrangler/state`) is the folder of all that they store.
 *
 * `--watch` (`npm run dev`) serves each saved file; see `dev.ts`.
 */
import { join, resolve } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import { readSecret } from "../../src/commands/serve/data-folder.ts";
import { freePair } from "../server/ports.ts";
import { Dev } from "./dev.ts";
import { startWithNeighbours, type WithNeighbours } from "./neighbours/with-neighbours.ts";
import { seedDemo } from "./seed.ts";
import { seedHistory } from "./seed-history.ts";
import { seedPeople } from "./seed-people.ts";
import { seedWebhook } from "./seed-webhook.ts";

/** Short, so that a developer's own click soon shows in the database. */
const FLUSH_SECONDS = "5";
const PARENT_CHECK_MS = 500;
/** The page whose events go to the neighbours' receiver. */
const DEMO_PAGE = "demo";
const ONE_TAP = join(ROOT, "test/demo/worker/one-tap.tsx");

const watching = process.argv.includes("--watch");
const command = watching ? "npm run dev" : "npm start";

const dev = watching ? new Dev() : undefined;
let running: WithNeighbours | undefined;
let stopping = false;

/** Ends both workerds, then this process. Before `running` is set, every child process ends with this one. */
async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await dev?.stop();
  await running?.dispose();
  process.exit(code);
}

function fail(arabic: string, english: string): Promise<void> {
  console.error(`\n  ${arabic}\n  ${english}\n`);
  return stop(1);
}

/** The banner. Each address begins its line, so that right-to-left text cannot reorder it. */
function greet(address: string, mailbox: string, hooks: string): void {
  console.log(`
  صلة تعمل الآن · Sila is running

    ${address}/demo       صفحة تجريبية بالعربية
    ${address}/demo-en    a demo page in English
    ${address}/account/sign-in
                                      تسجيل الدخول بحساب تجريبي · sign in with a demo account
    ${mailbox}
                                      صندوق البريد لرسائل النشرات · the mailbox for newsletters' mails
    ${hooks}
                                      أحداث الصفحة التجريبية · webhooks of the demo page
    ${address}/docs       مرجع الواجهة البرمجية · the API reference
    ${address}/admin      صفحات المشغّلين، لليان الحوراني · operators' pages, for Layan (ليان)
    ${address}/status     حالة الخدمة · the status of the service

  Ctrl-C  للإيقاف، والبيانات محفوظة · to stop; data is kept
${watching ? "\n  كل ملف يُحفظ في src أو objects أو migrations يُخدم فورًا · saved files are served at once\n" : ""}`);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop(0));
if (process.env.npm_lifecycle_event !== undefined) {
  // npm was killed with SIGKILL, which it cannot pass on.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(0), PARENT_CHECK_MS).unref();
}

const wanted = Number(process.env.PORT || 8787);
if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_534) {
  await fail(`قيمة PORT غير صالحة: ${process.env.PORT}`, `PORT is not a port: ${process.env.PORT}`);
}
// Before the build, so that the error comes at once.
const pair = await freePair(wanted);
if ("taken" in pair) {
  await fail(
    `المنفذ ${pair.taken} مشغول. جرّب: PORT=${wanted + 2} ${command}`,
    `Port ${pair.taken} is in use. Try: PORT=${wanted + 2} ${command}`,
  );
} else {
  try {
    const statePath = resolve(ROOT, process.env.STATE_PATH || ".wrangler/state");
    running = await startWithNeighbours({
      port: pair.port,
      hostname: "localhost",
      statePath,
      vars: {
        ...{ FLUSH_SECONDS, QUIET_FLUSH_SECONDS: FLUSH_SECONDS },
        // `npm run dump` finds it there.
        BACKUP_KEY: await readSecret(statePath, "backup-key"),
      },
      bundle: dev && (() => dev.build()),
      pageCache: !watching,
      aroundIdentity: ONE_TAP,
      async seed(db, media) {
        await seedPeople(db, Date.now());
        await seedDemo(db, media);
        await seedHistory(db, Date.now());
      },
      onDeath: () => fail("توقّف workerd من تلقاء نفسه.", "workerd ended by itself."),
    });
    const hooks = await seedWebhook(running, DEMO_PAGE);
    greet(running.origin, new URL("/mailbox", running.neighbours.url).href, hooks);
    dev?.reloadOnSave(running.server);
  } catch (error) {
    await fail(
      "لم تبدأ صلة.",
      `Sila did not start: ${error instanceof Error ? error.message : error}`,
    );
  }
}
