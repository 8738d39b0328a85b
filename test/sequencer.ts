import { BaseSequencer, type TestSpecification } from "vitest/node";
import { generator } from "./random.ts";

/** The projects of `npm test` with the longest files first, so that no file runs alone at the end. */
const FIRST = ["browser", "bundle", "workers-alone", "plain", "workers"];

/**
 * Projects one after the other, and the files of each in an order that is drawn anew in each run: a file that
 * depends on those before it would be red in some order. In an order across the projects, as the runner draws it,
 * a worker whose next file is of another project ends, and what it has loaded is loaded again: 64 times in a run,
 * a quarter of its time.
 */
export default class DrawnSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const random = generator(this.ctx.config.sequence.seed);
    const byName = files.toSorted((a, b) => compare(a.moduleId, b.moduleId));
    const drawn = new Map(byName.map((file) => [file, random()]));
    return byName.sort(
      (a, b) =>
        turn(a) - turn(b) ||
        compare(a.project.name, b.project.name) ||
        compare(drawn.get(a) ?? 0, drawn.get(b) ?? 0),
    );
  }
}

function turn({ project }: TestSpecification): number {
  const index = FIRST.indexOf(project.name);
  return index === -1 ? FIRST.length : index;
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
