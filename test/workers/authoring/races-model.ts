/**
 * What two sessions did to pages, and what D1 may have of that (docs/faults.md F25): each version of a
 * page is the one before it with one edit that was acknowledged, or that was answered 503, and every edit
 * that was acknowledged is in the version that its answer named.
 */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Link, PageDocument } from "../../../src/pages/document/page-document.ts";
import { documentOf } from "../../../src/pages/document/pages-store.ts";
import type { PageJson } from "./authoring-kit.ts";

export interface Content extends PageDocument {
  slug: string;
  status: PageJson["status"];
  deleted: boolean;
}

const NEW = "new";
export type NewLink = Omit<Link, "link_id">;

export interface Edit {
  /** The version in its If-Match; null for any version. */
  base: number | null;
  /** What it changes; a number is the version whose document it restores. */
  members: Partial<Content> | number;
}

export function contentOf(page: PageJson): Content {
  const { slug, status, ends_at } = page;
  return { slug, status, deleted: ends_at !== null, ...documentOf(page) };
}

export function withNewLink(links: readonly Link[], link: NewLink): Link[] {
  return [...links, { ...link, link_id: NEW }];
}

export class PageModel {
  readonly page_id: string;
  /** Every link that a session has seen, as it was last. */
  readonly links = new Map<string, Link>();
  /** Edits by the version that their answer named. */
  readonly #saved: (Edit & { version: number })[] = [];
  /** Edits that were answered 503: each was made or not. */
  readonly #unknown: Edit[] = [];
  readonly #seen: PageJson[] = [];

  constructor(page_id: string) {
    this.page_id = page_id;
  }

  saw(page: PageJson): void {
    this.#seen.push(page);
    for (const link of page.links) this.links.set(link.link_id, link);
  }

  saved(edit: Edit, version: number): void {
    this.#saved.push({ ...edit, version });
  }

  unknown(edit: Edit): void {
    this.#unknown.push(edit);
  }

  /** Compares D1 with everything that was sent and answered. Returns the slugs that the page ever had. */
  async judge(): Promise<Set<string>> {
    const versions = await this.#versions();
    for (const page of this.#seen) expect(contentOf(page)).toEqual(versions[page.version]);
    const ids = new Set<string>();
    for (const [version, content] of versions.entries()) {
      const before = versions[version - 1];
      if (content !== undefined && before !== undefined) {
        this.#judgeVersion(version, versions, ids);
      }
      for (const { link_id } of content?.links ?? []) ids.add(link_id);
    }
    for (const { base, members, version } of this.#saved) {
      // What was acknowledged is in the version that the answer named: that edit made it, or found it so.
      const stored = versions[version];
      expect(named(after(stored, members, versions), stored, new Set())).toEqual(stored);
      expect(version).toBeGreaterThanOrEqual(base ?? 1);
    }
    return new Set(versions.flatMap((content) => (content === undefined ? [] : [content.slug])));
  }

  #judgeVersion(version: number, versions: (Content | undefined)[], ids: Set<string>): void {
    const made = this.#saved.filter((edit) => edit.version === version && edit.base !== version);
    const possible = [...made, ...this.#unknown];
    const contents = possible
      .filter(({ base }) => base === null || base === version - 1)
      .map(({ members }) =>
        named(after(versions[version - 1], members, versions), versions[version], ids),
      );
    expect(contents).toContainEqual(versions[version]);
  }

  /** The contents of all versions by number, from the revisions in D1; none is at 0. */
  async #versions(): Promise<(Content | undefined)[]> {
    const { results } = await env.DB.prepare(
      "SELECT version, what, slug, status, document FROM revisions WHERE page_id = ?1 ORDER BY version",
    )
      .bind(this.page_id)
      .all<{ version: number; what: string; slug: string; status: string; document: string }>();
    expect(results.map(({ version }) => version)).toEqual(results.map((_, i) => i + 1));
    const versions: (Content | undefined)[] = [undefined];
    for (const { what, slug, status, document } of results) {
      const changes = JSON.parse(what) as string[];
      const deleted = changes.includes("deleted")
        ? true
        : !changes.includes("undeleted") && (versions.at(-1)?.deleted ?? false);
      versions.push({ slug, status, deleted, ...JSON.parse(document) } as Content);
    }
    const row = await env.DB.prepare(
      "SELECT version, slug, status, ends_at IS NOT NULL AS deleted, document FROM pages WHERE page_id = ?1",
    )
      .bind(this.page_id)
      .first<{
        version: number;
        slug: string;
        status: string;
        deleted: number;
        document: string;
      }>();
    expect(row?.version).toBe(results.length);
    const now = { ...row, deleted: row?.deleted === 1, ...JSON.parse(row?.document ?? "{}") };
    expect(now).toMatchObject({ ...versions.at(-1) });
    return versions;
  }
}

function after(
  content: Content | undefined,
  members: Edit["members"],
  versions: (Content | undefined)[],
): Content | undefined {
  if (content === undefined) return undefined;
  if (typeof members !== "number") return { ...content, ...members };
  const from = versions[members];
  return from === undefined ? undefined : { ...content, ...documentOf(from) };
}

/** The content with the ids that the new links have got: none of them was there before. */
function named(
  content: Content | undefined,
  stored: Content | undefined,
  ids: ReadonlySet<string>,
): Content | undefined {
  if (content === undefined) return undefined;
  const links = content.links.map((link, i) => {
    const given = stored?.links[i]?.link_id ?? NEW;
    return link.link_id === NEW && !ids.has(given) ? { ...link, link_id: given } : link;
  });
  return { ...content, links };
}
