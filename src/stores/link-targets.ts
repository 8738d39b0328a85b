/**
 * Where links lead, remembered per isolate for the redirect: one read of D1 serves the clicks of
 * half a minute, and while D1 is down what was known goes on serving (FAULTS F4).
 */
import { findLinkTarget, type LinkTarget } from "./pages.ts";

/** An edit shows within 60 s (CONTRACT section 4); this leaves room for a cached page before it. */
const FRESH_MS = 30_000;
/** Links remembered; beyond it the one that was read longest ago is forgotten. */
const TARGETS_MAX = 5_000;

const remembered = new Map<string, { target: LinkTarget; read_at: number }>();

/**
 * The link's target, or null where there is no such link. What does not exist is never remembered,
 * so a link added a moment ago works at once. Rejects when D1 fails and nothing is remembered.
 */
export async function rememberedLinkTarget(
  db: D1Database,
  page_id: string,
  link_id: string,
): Promise<LinkTarget | null> {
  const key = `${page_id}/${link_id}`;
  const entry = remembered.get(key);
  if (entry !== undefined && Date.now() - entry.read_at < FRESH_MS) return entry.target;
  try {
    const target = await findLinkTarget(db, page_id, link_id);
    remembered.delete(key);
    if (target !== null) remember(key, target);
    return target;
  } catch (error) {
    if (entry !== undefined) return entry.target;
    throw error;
  }
}

function remember(key: string, target: LinkTarget): void {
  const oldest = remembered.keys().next().value;
  if (remembered.size >= TARGETS_MAX && oldest !== undefined) remembered.delete(oldest);
  remembered.set(key, { target, read_at: Date.now() });
}
