/**
 * Takedowns of pages by operators, and who did what: tables `takedowns` and `operator_actions`,
 * which only this file writes.
 *
 * The account hub and the operators suspend a page independently: its status is `suspended` while
 * one of them wants that, and neither can undo what the other did. Each act is one transaction,
 * which the row of the action opens: where that is not inserted, nothing else happens.
 */
import { notePageSaved } from "./page-changes-store.ts";
import { reinstateByAction, suspendByAction } from "./pages-store.ts";
import { addRevision } from "./revisions-store.ts";

export interface Takedown {
  reason: string;
  at: number;
}

export interface OperatorAction {
  action_id: string;
  user_id: string;
  what: "takedown" | "reinstate";
  page_id: string;
  reason: string;
  at: number;
}

const ACTIONS_LISTED_MAX = 50;

const TAKEN_DOWN = "EXISTS (SELECT 1 FROM takedowns WHERE page_id = ?1)";
const ACTED = "EXISTS (SELECT 1 FROM operator_actions WHERE action_id = ?2)";

/** The action's id is that of its save. Changes no page that is missing or in that state. */
export function takeAction(db: D1Database, action: OperatorAction): D1PreparedStatement[] {
  const { action_id, user_id, what, page_id, reason, at } = action;
  const is_takedown = what === "takedown";
  const opening = db
    .prepare(
      `INSERT INTO operator_actions (action_id, user_id, what, page_id, reason, at)
       SELECT ?2, ?3, ?4, page_id, ?5, ?6 FROM pages
       WHERE page_id = ?1 AND ?7 = ${TAKEN_DOWN}`,
    )
    .bind(page_id, action_id, user_id, what, reason, at, is_takedown ? 0 : 1);
  const save = is_takedown
    ? [
        db
          .prepare(
            `INSERT INTO takedowns (page_id, action_id, reason, at, is_hubs)
             SELECT page_id, ?2, ?3, ?4, status = 'suspended' FROM pages WHERE page_id = ?1 AND ${ACTED}`,
          )
          .bind(page_id, action_id, reason, at),
        suspendByAction(db, page_id, action_id, at),
      ]
    : [
        reinstateByAction(db, page_id, action_id, at),
        db
          .prepare(`DELETE FROM takedowns WHERE page_id = ?1 AND ${ACTED}`)
          .bind(page_id, action_id),
      ];
  return [
    opening,
    ...save,
    ...addRevision(db, page_id, action_id, [is_takedown ? "suspended" : "reinstated"], at),
    notePageSaved(db, page_id, action_id, at),
  ];
}

/** The hub's wish for a page that is taken down; belongs into its event's transaction. */
export function noteHubsWish(
  db: D1Database,
  { owner_id, page_id }: { owner_id: string; page_id: string },
  is_suspended: boolean,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE takedowns SET is_hubs = ?3 WHERE page_id = ?1
         AND EXISTS (SELECT 1 FROM pages WHERE page_id = ?1 AND owner_id = ?2)`,
    )
    .bind(page_id, owner_id, is_suspended ? 1 : 0);
}

/** Null where operators have not taken the page down. */
export async function findTakedown(db: D1Database, page_id: string): Promise<Takedown | null> {
  return db
    .prepare("SELECT reason, at FROM takedowns WHERE page_id = ?1")
    .bind(page_id)
    .first<Takedown>();
}

export async function listActions(db: D1Database, page_id: string): Promise<OperatorAction[]> {
  const { results } = await db
    .prepare(
      `SELECT action_id, user_id, what, page_id, reason, at FROM operator_actions
       WHERE page_id = ?1 ORDER BY at DESC LIMIT ${ACTIONS_LISTED_MAX}`,
    )
    .bind(page_id)
    .all<OperatorAction>();
  return results;
}
