/** The model's command line: options, defaults, bounds and help. */
import { parseArgs } from "node:util";
import { MUTANTS } from "./mutants.ts";

export interface Options {
  from: number;
  seeds: number;
  /** Print each step of the run. */
  is_traced: boolean;
  /** Name of the mutant to run, or null for the code as it is. */
  mutant: string | null;
}

const SEED_MAX = 2 ** 32 - 1;
const SEEDS_MAX = 10_000_000;

const CONFIG = {
  options: {
    seeds: { type: "string" },
    from: { type: "string" },
    seed: { type: "string" },
    mutant: { type: "string" },
    help: { type: "boolean", default: false },
  },
} as const;

/** An invalid command line; `arabic` is the message in Arabic. */
export class BadOption extends Error {
  readonly arabic: string;

  constructor(english: string, arabic: string) {
    super(english);
    this.arabic = arabic;
  }
}

/** The options, or null for `--help`. @throws {BadOption} */
export function readOptions(args: readonly string[]): Options | null {
  const { help, seed, seeds, from, mutant = null } = parse(args);
  if (help) return null;
  if (mutant !== null && !Object.hasOwn(MUTANTS, mutant)) {
    throw new BadOption(
      `No mutant is called "${mutant}". There are:\n  ${Object.keys(MUTANTS).join("\n  ")}`,
      "لا يوجد تعديل مُفسِد بهذا الاسم، وما يوجد منها مذكور أعلاه.",
    );
  }
  if (seed === undefined) {
    return {
      from: readNumber("from", from ?? "1", 0, SEED_MAX),
      seeds: readNumber("seeds", seeds ?? "1000", 1, SEEDS_MAX),
      is_traced: false,
      mutant,
    };
  }
  if (seeds !== undefined || from !== undefined) {
    throw new BadOption(
      "--seed is one run: it excludes --seeds and --from.",
      "الخيار ‎--seed لتشغيل واحد، فلا يجتمع مع ‎--seeds أو ‎--from.",
    );
  }
  return { from: readNumber("seed", seed, 0, SEED_MAX), seeds: 1, is_traced: true, mutant };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], ...CONFIG }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new BadOption(message, "خيار غير معروف أو ناقص.");
  }
}

function readNumber(name: string, given: string, min: number, max: number): number {
  const number = Number(given);
  if (/^\d+$/.test(given) && number >= min && number <= max) return number;
  throw new BadOption(
    `--${name} must be a whole number from ${min} to ${max}, not "${given}".`,
    `يجب أن تكون قيمة الخيار عددًا صحيحًا بين ${min} و${max}.`,
  );
}

/** The text of `--help`. Arabic has lines of its own, so that the writing directions do not mix. */
export const HELP = `npm run model -- [options]

Runs the code of routers, page objects and limiters on a simulated network, disk, clock and D1, with faults:
power fails, clocks step, calls are lost, clients hang up, D1 is restored. The seed decides all of it: the same
seed makes the same run. After each run, what was acknowledged is compared with what was counted.
Exit code 0: every promise was kept. 1: a promise was broken. 2: invalid options.

يشغّل شيفرة الموجّهات والصفحات والمُحدّدات على شبكة وقرص وساعة وقاعدة بيانات محاكاة، مع أعطال:
انقطاع الطاقة، وقفز الساعات، وضياع النداءات، وانقطاع الزوار، واسترجاع نسخة قديمة من القاعدة.
والبذرة تحدّد كل شيء، فالبذرة نفسها تعطي التشغيل نفسه. وبعد كل تشغيل يُقارن ما أُقرّ به بما عُدّ.
رمز الخروج 0 إن حُفظت الوعود كلها، و1 إن أُخلف وعد، و2 إن كان في الخيارات خطأ.

  --seeds N        runs, each with the next seed (1000)
                   عدد مرات التشغيل، ولكل منها البذرة التالية
  --from N         seed of the first run (1)
                   بذرة التشغيل الأول
  --seed N         one run with this seed, printed step by step
                   تشغيل واحد بهذه البذرة تُطبع خطواته
  --mutant NAME    the same with code that is broken on purpose; a wrong name lists them all
                   الشيء نفسه بشيفرة أُفسدت عمدًا، والاسم الخطأ يعرض الأسماء كلها
  --help           show this help
                   اعرض هذه المساعدة
`;
