import { BadOption, parseOptions, wholeNumber } from "../command-line.ts";
import { BLOCK_MUTANTS } from "./blocks/mutants.ts";
import { MUTANTS } from "./mutants.ts";

export interface Options {
  from: number;
  seeds: number;
  is_traced: boolean;
  /** Run the model of the blocks of pages in place of that of counting. */
  is_blocks: boolean;
  mutant: string | null;
}

const SEED = { min: 0, max: 2 ** 32 - 1 };
const SEEDS = { min: 1, max: 10_000_000 };

const OPTIONS = {
  seeds: { type: "string" },
  from: { type: "string" },
  seed: { type: "string" },
  mutant: { type: "string" },
  blocks: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** The options, or null for `--help`. @throws {BadOption} */
export function readOptions(args: readonly string[]): Options | null {
  const { help, seed, seeds, from, mutant = null, blocks } = parseOptions(args, OPTIONS);
  const is_blocks = blocks === true;
  const mutants = is_blocks ? BLOCK_MUTANTS : MUTANTS;
  if (help) return null;
  if (mutant !== null && !Object.hasOwn(mutants, mutant)) {
    throw new BadOption(
      `No mutant is called "${mutant}". There are:\n  ${Object.keys(mutants).join("\n  ")}`,
      "لا يوجد تعديل مُفسِد بهذا الاسم، وما يوجد منها مذكور أعلاه.",
    );
  }
  if (seed === undefined) {
    return {
      from: wholeNumber("from", from ?? "1", SEED),
      seeds: wholeNumber("seeds", seeds ?? "1000", SEEDS),
      is_traced: false,
      is_blocks,
      mutant,
    };
  }
  if (seeds !== undefined || from !== undefined) {
    throw new BadOption(
      "--seed is one run: it excludes --seeds and --from.",
      "الخيار ‎--seed لتشغيل واحد، فلا يجتمع مع ‎--seeds أو ‎--from.",
    );
  }
  return { from: wholeNumber("seed", seed, SEED), seeds: 1, is_traced: true, is_blocks, mutant };
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
  --blocks         tips, downloads, newsletter and quotas, with a hub and a mail service that fail
                   الإكراميات والتنزيلات والنشرة والحصص، مع حساب وبريد يتعطلان
  --mutant NAME    the same with code that is broken on purpose; a wrong name lists them all
                   الشيء نفسه بشيفرة أُفسدت عمدًا، والاسم الخطأ يعرض الأسماء كلها
  --help           show this help
                   اعرض هذه المساعدة
`;
