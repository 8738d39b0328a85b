/** The pauses of flushes, broken on purpose in likely ways: a storm in which each broken rule shows. */
import type { PageCounter } from "../../objects/page/page-counter.ts";
import { type Break, loadBroken } from "../mutants/breaks.ts";
import { burst, full, outage, overload } from "./storms.ts";

const PAUSES = "objects/flush/flush-pauses.ts";
const SCHEDULER = "objects/flush/flush-scheduler.ts";

export const STORM_MUTANTS: Record<
  string,
  [Break, (counter: typeof PageCounter) => Promise<string[]>]
> = {
  "an overload that is taken for an outage": [
    {
      file: PAUSES,
      from: '  if (/D1 DB is overloaded/i.test(message)) return "overloaded";\n',
      to: "",
    },
    (counter) => overload(counter, 200, "short"),
  ],
  "pages that retry the later the longer they have waited": [
    { file: PAUSES, from: "OVERLOADED_MAX_MS / failures", to: "OVERLOADED_MIN_MS * failures" },
    (counter) => outage(counter, 200, "short"),
  ],
  "a flush that gives up before a long queue has ended": [
    {
      file: PAUSES,
      from: "FLUSH_TIMEOUT_MS = 30 * SECOND_MS",
      to: "FLUSH_TIMEOUT_MS = 10 * SECOND_MS",
    },
    (counter) => overload(counter, 200, "longer than the time-out of old"),
  ],
  "pauses without jitter": [
    { file: PAUSES, from: "(1 - JITTER * random)", to: "(1 - 0 * random)" },
    (counter) => burst(counter, 400, "short"),
  ],
  "no back-off": [
    { file: PAUSES, from: "Math.ceil(longest(refusal, failures) *", to: "Math.ceil(SECOND_MS *" },
    (counter) => burst(counter, 400, "short"),
  ],
  "a full D1 that is taken for an outage": [
    { file: PAUSES, from: 'return "full";', to: 'return "failed";' },
    (counter) => full(counter, 20, 48),
  ],
  "events that end a pause": [
    { file: SCHEDULER, from: "if (!urgent && until_ms > now) {", to: "if (until_ms === 0) {" },
    (counter) => full(counter, 20, 48),
  ],
  "a pause that is kept in memory alone": [
    { file: PAUSES, from: "this.#until_ms = alarm_ms;", to: "void alarm_ms;" },
    (counter) => full(counter, 20, 48),
  ],
  "a journal that is not cleared in a pause": [
    {
      file: SCHEDULER,
      from: "await this.runExclusive((now) => this.#prepare(now));",
      to: "await null;",
    },
    (counter) => full(counter, 20, 48),
  ],
};

export async function stormOf(name: string): Promise<string[]> {
  const [broken, storm] = STORM_MUTANTS[name] ?? [];
  if (broken === undefined || storm === undefined) throw new Error(`no mutant ${name}`);
  const { PageCounter } = await loadBroken([broken])("objects/page/page-counter.ts");
  return storm(PageCounter);
}
