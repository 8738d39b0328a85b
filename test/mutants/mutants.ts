/** `npm run mutants`: shows that each broken rule is noticed. `--help` lists the options. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseOptions, runCommand } from "../command-line.ts";
import { KINDS, PINS } from "./kinds.ts";
import type { Outcome, Task } from "./worker.ts";

/** For the two cores that the tests are meant for. */
const PROCESSES = 2;
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const PINS_FILE = fileURLToPath(new URL("pins.json", import.meta.url));

const OPTIONS = {
  only: { type: "string" },
  pin: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean" },
} as const;

interface Options {
  /** Part of the names to run, or of their kind. */
  only: string;
  is_pinning: boolean;
  is_listing: boolean;
}

const HELP = `npm run mutants -- [options]

Breaks the code on purpose, in about 200 ways, and shows that each break is noticed: by the models with a seed that
is pinned, by the storms, or by the one test that must fail. Exit code 0: all were noticed. 1: some were not.

يُفسد الشيفرة عمدًا بنحو مئتي طريقة، ويُظهر أن كل إفساد يُلاحَظ: تلاحظه النماذج ببذرة مثبّتة، أو العواصف،
أو الاختبار الواحد الذي يجب أن يفشل. رمز الخروج 0 إن لوحظت كلها، و1 إن لم يُلاحَظ بعضها.

  --only TEXT      only those whose kind (model, blocks, storm, rooms, drawn) or name has this text
                   ما كان في نوعه أو اسمه هذا النص وحده
  --pin            write the seeds that notice them to pins.json
                   اكتب البذور التي لاحظتها في ملف التثبيت
  --list           print what noticed each
                   اطبع ما لاحظ كلًّا منها
  --help           show this help
                   اعرض هذه المساعدة
`;

function readOptions(): Options | null {
  const { only = "", pin, list, help } = parseOptions(process.argv.slice(2), OPTIONS);
  return help ? null : { only, is_pinning: pin === true, is_listing: list === true };
}

async function work(tasks: Task[], done: (outcome: Outcome) => void): Promise<void> {
  const worker = fork(WORKER);
  const ended = once(worker, "exit");
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    worker.send(task);
    const answer = await Promise.race([once(worker, "message"), ended.then(() => null)]);
    if (answer === null) throw new Error(`a process ended during ${task.kind}: ${task.name}`);
    done(answer[0] as Outcome);
  }
  worker.disconnect();
  await ended;
}

async function run({ only, is_pinning, is_listing }: Options): Promise<number> {
  const tasks = Object.entries(KINDS).flatMap(([kind, { names }]) =>
    names.map((name) => ({ kind, name })),
  );
  const wanted = tasks.filter(({ kind, name }) => `${kind}: ${name}`.includes(only));
  const outcomes: Outcome[] = [];
  const started = performance.now();
  const done = (outcome: Outcome) => {
    outcomes.push(outcome);
    report(outcome);
    if (is_listing) console.info(`${outcome.kind}: ${outcome.name}\n  ${outcome.by}`);
  };
  const queue = [...wanted];
  await Promise.all(Array.from({ length: PROCESSES }, () => work(queue, done)));
  if (is_pinning) await pin(outcomes);
  const missed = outcomes.filter(({ by }) => by === null);
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.info(
    `\n${outcomes.length - missed.length} mutants noticed, ${missed.length} not, in ${seconds} s`,
  );
  return missed.length === 0 && outcomes.length > 0 ? 0 : 1;
}

/** Nothing about a mutant that was noticed as it should be. */
function report({ kind, name, by, error, pin, pinned }: Outcome): void {
  if (by === null) console.error(`NOT NOTICED ${kind}: ${name}${error ? `\n  ${error}` : ""}`);
  else if (pin !== undefined && pin !== pinned) {
    console.warn(`${kind}: ${name}: noticed by ${pin}, not by ${pinned}; --pin writes it down`);
  }
}

/** Those that were not run keep their pins, unless they are gone. */
async function pin(outcomes: readonly Outcome[]): Promise<void> {
  const found = new Map(outcomes.map(({ kind, name, pin }) => [`${kind}: ${name}`, pin]));
  const pins = Object.entries(KINDS).map(([kind, { names }]) => {
    const pinned = names.map((name) => [name, found.get(`${kind}: ${name}`) ?? PINS[kind]?.[name]]);
    return [kind, Object.fromEntries(pinned)];
  });
  await writeFile(PINS_FILE, `${JSON.stringify(Object.fromEntries(pins), null, 2)}\n`);
}

process.exitCode = await runCommand(readOptions, () => HELP, run);
