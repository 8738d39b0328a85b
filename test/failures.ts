/**
 * A reporter that says why a test failed as soon as it has failed. The default one does at the end of the run,
 * which a run that is cancelled does not reach; and the counterexample of a property is hard to find again.
 */
import type { Reporter, TestCase } from "vitest/node";

type Failure = NonNullable<ReturnType<TestCase["result"]>["errors"]>[number];

export default class FailuresReporter implements Reporter {
  onTestCaseResult = (test: TestCase) => {
    const { state, errors } = test.result();
    if (state !== "failed") return;
    const lines = [`failed: ${test.module.relativeModuleId} > ${test.fullName}`];
    process.stderr.write(`${[...lines, ...errors.map(reason)].join("\n")}\n`);
  };
}

/** The message and that of its cause: of a property, the counterexample and what did not hold for it. */
function reason({ message, cause }: Failure): string {
  return cause === undefined ? message : `${message}\ncaused by: ${cause.message}`;
}
