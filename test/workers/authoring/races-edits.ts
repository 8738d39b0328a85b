/** The edits that a session makes of a page as it sees it (`authoring-races.test.ts`). */
import type { PageJson } from "./authoring-kit.ts";
import { type Content, contentOf, type PageModel, withNewLink } from "./races-model.ts";

/** The frequent ones more than once. `any` is an edit of whatever version there is. */
export const KINDS = [
  ...(["name", "any", "put", "slug", "slug", "slug", "slug", "status", "toggle"] as const),
  ...(["toggle", "reorder", "remove", "add", "back", "restore"] as const),
  ...(["delete", "undelete", "undelete"] as const),
] as const;
type Kind = (typeof KINDS)[number];

interface EditRequest {
  method: string;
  /** After the page's path. */
  path?: string;
  body?: unknown;
  slug?: string;
  members: Partial<Content> | number;
}

const NEW_LINK = {
  kind: "link",
  label: { ar: "جديد" },
  url: "https://new.example/",
  enabled: true,
  from: null,
  until: null,
  highlight: false,
  image: null,
} as const;

/**
 * The request of an edit, or null where the page has nothing to edit in this way.
 *
 * @param n chooses the link, slug or revision
 * @param edits edits of the history so far, for texts that differ
 */
export function requestFor(
  kind: Kind,
  n: number,
  about: { seen: PageJson; model: PageModel; slugs: readonly string[]; edits: number },
): EditRequest | null {
  const { seen, model, slugs, edits } = about;
  const { links } = seen;
  const patch = (members: Partial<Content>): EditRequest => ({
    method: "PATCH",
    body: members,
    members,
  });
  switch (kind) {
    case "name":
    case "any":
      return patch({ name: { ar: `اسم ${edits}` } });
    case "put": {
      const bio = { ar: `نبذة ${edits}` };
      return { method: "PUT", body: { ...seen, bio }, members: { ...contentOf(seen), bio } };
    }
    case "slug": {
      const slug = slugs[n % slugs.length] ?? "";
      return { ...patch({ slug }), slug };
    }
    case "status":
      return patch({ status: seen.status === "draft" ? "published" : "draft" });
    case "toggle":
      return patch({
        links: links.map((link, i) =>
          i === n % links.length ? { ...link, enabled: !link.enabled } : link,
        ),
      });
    case "reorder":
      return patch({ links: links.toReversed() });
    case "remove":
      return patch({ links: links.filter((_, i) => i !== n % links.length) });
    case "add":
      return {
        method: "PATCH",
        body: { links: [...links, NEW_LINK] },
        members: { links: withNewLink(links, NEW_LINK) },
      };
    case "back": {
      const there = new Set(links.map(({ link_id }) => link_id));
      const [link] = [...model.links.values()].filter(({ link_id }) => !there.has(link_id));
      return link === undefined ? null : patch({ links: [...links, link] });
    }
    case "restore": {
      const version = 1 + (n % seen.version);
      return { method: "POST", path: `/revisions/${version}/restore`, members: version };
    }
    case "delete":
      return { method: "DELETE", members: { deleted: true } };
    case "undelete":
      return { method: "POST", path: "/undelete", members: { deleted: false } };
  }
}
