/** All that a run measures. What was not measured is absent, or null where this machine cannot. */
import type { Batches } from "./batches.ts";
import type { Commits } from "./commits.ts";
import type { Bill, PlanName } from "./cost.ts";
import type { Figure } from "./figure.ts";
import type { History } from "./history.ts";
import type { ScenarioName, Setting } from "./scenarios.ts";
import type { Speed } from "./throughput.ts";
import type { Files, Visit } from "./visits.ts";

export interface Results {
  speeds?: ReadonlyMap<ScenarioName, Speed>;
  commits?: ReadonlyMap<Setting, Commits> | null;
  batches?: Batches | null;
  bills?: ReadonlyMap<PlanName, Bill>;
  visits?: { files: Files; hot: Visit; quiet: Visit } | null;
  startup_ms?: Figure;
  history?: History;
}
