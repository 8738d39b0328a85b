/**
 * `npm start`: the service on http://localhost:8787 with its demo pages. Needs no account, no network and no
 * setting. `PORT` moves it, `STATE_PATH` (default `.wrangler/state`) is where everything is kept.
 */
import { once } from "node:events";
import { createServer } from "node:net";
import { seedDemo } from "./seed.ts";
import { type Server, startServer } from "./server.ts";

/** Short enough to see one's own click in the database. */
const FLUSH_SECONDS = "5";
const PARENT_CHECK_MS = 500;

let server: Server | undefined;
let stopping = false;

/** Ends workerd, then this process. Before `server` is set, what was started ends with the process. */
async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await server?.dispose();
  process.exit(code);
}

function fail(arabic: string, english: string): Promise<void> {
  console.error(`\n  ${arabic}\n  ${english}\n`);
  return stop(1);
}

/** The banner; addresses stand on lines of their own, where writing direction cannot reorder them. */
function greet(address: string): void {
  console.log(`
  صلة تعمل الآن · Sila is running

    ${address}/demo       صفحة تجريبية بالعربية
    ${address}/demo-en    a demo page in English
    ${address}/docs       الواجهة البرمجية · the interface, to be read
    ${address}/health     حالة الخدمة · service health

  Ctrl-C  للإيقاف، والبيانات محفوظة · to stop; data is kept
`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch {
    return false;
  }
  await once(probe.close(), "close");
  return true;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop(0));
if (process.env.npm_lifecycle_event !== undefined) {
  // npm was killed in a way that it could not pass on: nobody is left to stop us.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(0), PARENT_CHECK_MS).unref();
}

const port = Number(process.env.PORT || 8787);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  await fail(`قيمة PORT غير صالحة: ${process.env.PORT}`, `PORT is not a port: ${process.env.PORT}`);
}
// Asked before anything is built, so that the answer comes at once.
if (!(await isFree(port))) {
  await fail(
    `المنفذ ${port} مشغول. جرّب: PORT=${port + 1} npm start`,
    `Port ${port} is in use. Try: PORT=${port + 1} npm start`,
  );
}
try {
  server = await startServer({
    port,
    ...(process.env.STATE_PATH ? { statePath: process.env.STATE_PATH } : {}),
    vars: { FLUSH_SECONDS },
    seed: seedDemo,
    onDeath: () => fail("توقّف workerd من تلقاء نفسه.", "workerd ended by itself."),
  });
  greet(`http://localhost:${server.url.port}`);
} catch (error) {
  await fail(
    "لم تبدأ صلة.",
    `Sila did not start: ${error instanceof Error ? error.message : error}`,
  );
}
