/** Conversions on their way to the pages' objects, which count each once (`PageObject.convert`). */
import { Outbox, type OutboxRules, type OutboxTable, retryColumns } from "../platform/outbox.ts";
import type { Ports } from "../platform/ports.ts";
import { NEAR_RETRIES } from "../platform/retries.ts";
import type { Conversion } from "./conversion.ts";

const TABLE: OutboxTable = { name: "outbox", id: "id", target: "page_id", body: "conversion" };

/** The owner's first step has it, and a later one `OUTBOX_RETRIES` (`platform/schema.ts`). */
export const OUTBOX_TABLE =
  "CREATE TABLE outbox (id TEXT PRIMARY KEY, page_id TEXT NOT NULL, conversion TEXT NOT NULL) WITHOUT ROWID";
export const OUTBOX_RETRIES = retryColumns(TABLE);

export type SendConversions = (page_id: string, conversions: Conversion[]) => Promise<void>;

export class ConversionOutbox extends Outbox<Conversion> {
  constructor(
    ports: Pick<Ports, "storage" | "clock" | "random">,
    rules: Pick<OutboxRules<Conversion>, "exists" | "failed"> & { convert: SendConversions },
  ) {
    const { convert, ...others } = rules;
    const send: OutboxRules<Conversion>["send"] = (page_id, rows) =>
      convert(
        page_id,
        rows.map(({ body }) => body),
      );
    super(ports, { ...others, table: TABLE, schedule: NEAR_RETRIES, send });
  }
}
