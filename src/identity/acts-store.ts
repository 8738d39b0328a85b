/** What operators and users did to accounts: table `auth_acts`, which this file alone writes. */

export type Act =
  | "setup"
  | "signed_up"
  | "passkey_added"
  | "passkey_removed"
  | "email_changed"
  | "email_removed"
  | "identity_added"
  | "identity_removed"
  | "codes_made"
  | "code_used"
  | "sessions_ended"
  | "invited"
  | "link_taken_back"
  | "way_in_made"
  | "way_in_used"
  | "plan_changed"
  | "operator_made"
  | "operator_ended"
  | "suspended"
  | "reinstated"
  | "deletion_asked"
  | "deletion_undone"
  | "deleted"
  | "points_given";

export interface ListedAct {
  n: number;
  at: number;
  by_id: string;
  by_name: string;
  what: Act;
  user_id: string | null;
  user_name: string | null;
  note: string | null;
}

interface Person {
  id: string;
  name: string;
}

/** Part of the act's batch. Stores names: deleted users stay in the list. */
export function addAct(
  db: D1Database,
  what: Act,
  by: Person,
  user: Person | null,
  now: number,
  note: string | null = null,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO auth_acts (at, by_id, by_name, what, user_id, user_name, note)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
    )
    .bind(now, by.id, by.name, what, user?.id ?? null, user?.name ?? null, note);
}

/**
 * An act by an operator. Fails the batch if they are none any more, or the user is gone: of two operators who
 * suspend each other at once, the later one does nothing, and the service keeps one.
 */
export function addOperatorAct(
  db: D1Database,
  what: Act,
  by: { id: string; is_named: boolean },
  user_id: string | null,
  now: number,
  note: string | null = null,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO auth_acts (at, by_id, by_name, what, user_id, user_name, note)
       VALUES (?1, ?2,
         (SELECT name FROM auth_users WHERE id = ?2 AND suspended_at IS NULL AND ends_at IS NULL
            AND (is_operator = 1 OR ?3 = 1)
            AND (?5 IS NULL OR EXISTS (SELECT 1 FROM auth_users WHERE id = ?5))),
         ?4, ?5, (SELECT name FROM auth_users WHERE id = ?5), ?6)`,
    )
    .bind(now, by.id, by.is_named ? 1 : 0, what, user_id, note);
}

export function isActRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes("auth_acts.by_name");
}

export async function listActs(
  db: D1Database,
  { user_id, before, limit }: { user_id: string | null; before: number; limit: number },
): Promise<ListedAct[]> {
  const of_user = user_id === null ? "" : "AND user_id = ?3";
  const values = user_id === null ? [before, limit] : [before, limit, user_id];
  const { results } = await db
    .prepare(`SELECT * FROM auth_acts WHERE n < ?1 ${of_user} ORDER BY n DESC LIMIT ?2`)
    .bind(...values)
    .all<ListedAct>();
  return results;
}
