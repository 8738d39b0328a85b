import { callDependency } from "../http/dependency.ts";
import { type Audit, auditOf } from "./audit.ts";
import { readAuditRows } from "./audit-store.ts";
import { consistentRead } from "./consistent-read.ts";

/** Null if the page is not this owner's. Throws 503 if D1 or the object fails. */
export async function pageAudit(
  env: Cloudflare.Env,
  owner_id: string,
  page_id: string,
): Promise<Audit | null> {
  const { snapshot, found } = await callDependency("audit_failed", () =>
    consistentRead(env, page_id, (stats) =>
      readAuditRows({ db: env.DB, stats }, owner_id, page_id),
    ),
  );
  return found === null ? null : auditOf(found, snapshot);
}
