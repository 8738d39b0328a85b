/** What the commands of the tests share: how they read options, answer `--help` and refuse what is invalid. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

export const BAD_OPTIONS = 2;

/** An invalid command line; `arabic` is the message in Arabic. */
export class BadOption extends Error {
  readonly arabic: string;

  constructor(english: string, arabic: string) {
    super(english);
    this.arabic = arabic;
  }
}

/** The options of a command line as they are spelt. @throws {BadOption} for an unknown or incomplete one */
export function parseOptions<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new BadOption(message, "خيار غير معروف أو ناقص.");
  }
}

/** The whole number of an option. @throws {BadOption} */
export function wholeNumber(
  name: string,
  given: string,
  { min, max }: { min: number; max: number },
): number {
  const number = Number(given);
  if (/^\d+$/.test(given) && number >= min && number <= max) return number;
  throw new BadOption(
    `--${name} must be a whole number from ${min} to ${max}, not "${given}".`,
    `يجب أن تكون قيمة الخيار عددًا صحيحًا بين ${min} و${max}.`,
  );
}

/** The number of an option. @throws {BadOption} */
export function decimalNumber(
  name: string,
  given: string,
  { min, max }: { min: number; max: number },
): number {
  const number = Number(given);
  if (/^\d+(\.\d+)?$/.test(given) && number >= min && number <= max) return number;
  throw new BadOption(
    `--${name} must be a number from ${min} to ${max}, not "${given}".`,
    `يجب أن تكون قيمة الخيار عددًا بين ${min} و${max}.`,
  );
}

/** Answers the exit code. @param readOptions the options, or null for `--help` */
export async function runCommand<Options>(
  readOptions: () => Options | null,
  help: () => string,
  run: (options: Options) => Promise<number>,
): Promise<number> {
  let options: Options | null;
  try {
    options = readOptions();
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    console.error(`${error.message}\n${error.arabic}\nSee --help.`);
    return BAD_OPTIONS;
  }
  if (options !== null) return run(options);
  process.stdout.write(help());
  return 0;
}
