/** All that a run measures. What was not measured is absent, or null where this machine cannot. */
import type { Batches } from "./batches.ts";
import type { Commits } from "./commits.ts";
import type { Bill, PlanName } from "./cost.ts";
import type { Crowd } from "./crowd.ts";
import type { LoneEvent } from "./quiet.ts";
import type { ScenarioName, Setting } from "./scenarios.ts";
import type { Size } from "./size.ts";
import type { Speed } from "./throughput.ts";
import type { Files, Visit } from "./visits.ts";
import type { Waking } from "./waking.ts";

export interface Results {
  speeds?: ReadonlyMap<ScenarioName, Speed>;
  /** By number of limiter objects. */
  commits?: ReadonlyMap<Setting, Commits> | null;
  batches?: Batches | null;
  bills?: ReadonlyMap<PlanName, Bill>;
  lone?: LoneEvent;
  visits?: { files: Files | null; prices: ReadonlyMap<VisitKind, Visit> };
  waking?: Waking;
  crowd?: Crowd | null;
  size?: Size;
}

/** Hot pages, and pages with one event in ten minutes, by number of limiter objects. */
export const VISIT_KINDS = {
  hot: "hot pages, 16 limiter objects",
  quiet: "one event in ten minutes, 16",
  quiet_own: "one event in ten minutes, one a sender",
} as const;
export type VisitKind = keyof typeof VISIT_KINDS;
