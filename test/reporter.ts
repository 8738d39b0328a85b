/**
 * What a run prints: each failure as soon as it has happened, with the line that repeats it; how far the run is; and at
 * the end the failures with their differences, and the sums. Nothing about what passes.
 */
import { MinimalReporter, type TestCase } from "vitest/node";

type Failure = NonNullable<ReturnType<TestCase["result"]>["errors"]>[number];

/** Tests between two lines that say how far the run is. */
const STRIDE = 500;

export default class QuietReporter extends MinimalReporter {
  #ended = 0;
  #failed = 0;

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    const { state, errors } = test.result();
    this.#ended += 1;
    if (state === "failed") {
      this.#failed += 1;
      const { relativeModuleId: file } = test.module;
      const lines = [`failed: ${file} > ${test.fullName}`, ...errors.map(reason), repetition(test)];
      this.ctx.logger.error(lines.join("\n"));
    }
    if (this.#ended % STRIDE === 0) {
      this.ctx.logger.log(`   ${this.#ended} tests have ended, ${this.#failed} failed`);
    }
  }
}

/** The message and that of its cause: of a property, the counterexample and what did not hold for it. */
function reason({ message, cause }: Failure): string {
  return cause === undefined ? message : `${message}\ncaused by: ${cause.message}`;
}

/** The command that runs the test again; a property that failed names the seed of its inputs above. */
function repetition({ module, name }: TestCase): string {
  const seed = process.env.TEST_SEED === undefined ? "" : `TEST_SEED=${process.env.TEST_SEED} `;
  const pattern = JSON.stringify(name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const options = `--config test/vitest.config.ts --project ${module.project.name}`;
  return `repeat: ${seed}npx vitest run ${options} ${module.relativeModuleId} -t ${pattern}`;
}
