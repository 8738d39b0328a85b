/** A Worker that logs as much as it is asked to, in a workerd like that of every server here. */
import { convertV4MiniflareOptions, Log, LogLevel } from "miniflare";
import { startWorkerd, type Workerd } from "../server/workerd.ts";

/** Two bytes a character, 2 KB a line. */
export const LINE = "ص".repeat(1_000);

/** Answers `/?lines=…&after_ms=…`, then waits so long, then logs so many lines without a pause. */
const SCRIPT = `export default {
  fetch(request, env, ctx) {
    const ask = new URL(request.url).searchParams;
    const log = () => {
      for (let i = 0; i < Number(ask.get("lines")); i++) console.log(${JSON.stringify(LINE)});
    };
    if (!ask.has("after_ms")) log();
    else ctx.waitUntil(scheduler.wait(Number(ask.get("after_ms"))).then(log));
    return new Response();
  }
}`;

export function startLoudWorker(onLine: (line: string) => void): Promise<Workerd> {
  return startWorkerd(
    convertV4MiniflareOptions({
      modules: true,
      script: SCRIPT,
      compatibilityDate: "2026-10-23",
      d1Databases: ["DB"],
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ message }) => onLine(message),
    } as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
}
