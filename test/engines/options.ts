import { BadOption, parseOptions, wholeNumber } from "../command-line.ts";

export const ENGINES = ["firefox", "webkit", "chromium"] as const;
export type EngineName = (typeof ENGINES)[number];

export interface Options {
  engines: readonly EngineName[];
  taps: number;
  /** Part of a situation's name, or of the word "journeys"; null for all. */
  only: string | null;
  write: boolean;
}

const TAPS = { default: 8, min: 1, max: 1_000 };

/** The options, or null for `--help`. @throws {BadOption} */
export function readOptions(args: readonly string[]): Options | null {
  const { engine, taps, only, write, help } = parseOptions(args, {
    engine: { type: "string", multiple: true },
    taps: { type: "string" },
    only: { type: "string" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  });
  if (help === true) return null;
  if (write === true && (engine !== undefined || only !== undefined)) {
    throw new BadOption(
      "--write is for all engines and all situations.",
      "الكتابة في الوثيقة لتشغيل كامل فقط.",
    );
  }
  return {
    engines: engine?.map(engineNamed) ?? ENGINES,
    taps: taps === undefined ? TAPS.default : wholeNumber("taps", taps, TAPS),
    only: only ?? null,
    write: write === true,
  };
}

function engineNamed(name: string): EngineName {
  const found = ENGINES.find((engine) => engine === name);
  if (found !== undefined) return found;
  throw new BadOption(
    `--engine must be one of ${ENGINES.join(", ")}, not "${name}".`,
    "محرّك غير معروف.",
  );
}

export function help(): string {
  return `npm run engines -- [options]

Taps on links in real browser engines, while answers are lost, late or cut between them and the service, and
compares what a person did with the requests, the arrivals and the counts in D1. Needs the Debian packages
firefox-esr xvfb xdotool gir1.2-webkit2-4.1 python3-gi. Exit code 0: all is right. 1: something is not.
2: invalid options. 3: it could not run.

ينقر الروابط في محرّكات متصفحات حقيقية، وتضيع أجوبة أو تتأخر أو تنقطع أثناء ذلك، ثم يقارن ما فعله الناس
بالطلبات وبما وصل وبما عُدّ في القاعدة.
رمز الخروج 0 إن صحّ كل شيء، و1 إن لم يصحّ، و2 إن كان في الخيارات خطأ، و3 إن تعذّر التشغيل.

  --engine NAME    one of ${ENGINES.join(", ")}; may be repeated (all)
                   محرّك بعينه
  --taps N         visits of each situation (${TAPS.default})
                   عدد الزيارات في كل حالة
  --only TEXT      situations whose name has this text, or "journeys"
                   الحالات التي في اسمها هذا النص وحدها
  --write          put the table into docs/proof.md
                   اكتب الجدول في الوثيقة
  --help           show this help
                   اعرض هذه المساعدة
`;
}
