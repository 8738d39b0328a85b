/** A service of pages in memory, by the rules of docs/contract.md section 10, with a bad line to it. */
import type { Answer, Call, Who } from "../../../src/client/api.ts";
import {
  type Draft,
  draftOf,
  isSame,
  type Link,
  newLink,
  type SavedPage,
} from "../../../src/client/editor/draft.ts";
import { USUAL_LOOK } from "../../../src/views/look-values.ts";

/** The answer or even the request may be lost, or given up and late, or reading the answer may fail. */
export type Fate =
  | "broken"
  | "answered"
  | "request_late"
  | "request_lost"
  | "answer_lost"
  | "signed_out"
  | "busy"
  | "down"
  | "invalid"
  | "gone";

export const USER = "u1";

export function plainSavedPage(links: readonly Link[]): SavedPage {
  return {
    page_id: "p1",
    slug: "sara",
    status: "published",
    locales: ["ar"],
    time_zone: "Asia/Riyadh",
    indexed: true,
    name: { ar: "سارة" },
    bio: {},
    avatar: null,
    contact: null,
    look: USUAL_LOOK,
    links: [...links],
    version: 1,
    created_at: "2026-11-01T00:00:00.000Z",
    updated_at: "2026-11-01T00:00:00.000Z",
    ends_at: null,
  };
}

export function savedLink(link_id: string, label: string): Link {
  return newLink("link", { link_id, label: { ar: label }, url: `https://${link_id}.example/` });
}

export class FakePages {
  page: SavedPage;
  /** The fates of the next requests; after them every request is answered. */
  fates: Fate[] = [];
  user_id: string | null = USER;
  saves = 0;
  #late: Call[] = [];
  #made = 0;

  constructor(page: SavedPage) {
    this.page = page;
  }

  readonly who = async (): Promise<Who | null> =>
    this.user_id === null ? null : { user_id: this.user_id, csrf_token: "token" };

  readonly call = async <T>(_path: string, call: Call = {}): Promise<Answer<T>> => {
    const fate = this.fates.shift() ?? "answered";
    if (fate === "request_late") this.#late.push(call);
    if (fate === "request_late" || fate === "request_lost") return refused(0, "NO_ANSWER");
    if (fate === "busy") return { ...refused(429, "RATE_LIMITED"), retry_after_s: 5 };
    if (fate === "gone") return refused(404, "PAGE_NOT_FOUND");
    if (fate === "invalid") return refused(400, "INVALID_FIELDS");
    if (fate === "down") return refused(503, "DEPENDENCY_DOWN");
    if (fate === "signed_out" || this.user_id === null) return refused(401, "AUTH_REQUIRED");
    const answer = call.method === "PUT" ? this.#put(call) : answered(this.page);
    if (fate === "broken") return { ...answered(this.page), body: {} } as Answer<T>;
    return (fate === "answer_lost" ? refused(0, "NO_ANSWER") : answer) as Answer<T>;
  };

  arriveLate(): void {
    for (const call of this.#late.splice(0)) if (call.method === "PUT") this.#put(call);
  }

  save(change: (page: Draft) => Draft): void {
    const draft = change(draftOf(this.page));
    if (isSame(draft, draftOf(this.page))) return;
    this.saves += 1;
    this.page = { ...this.page, ...draft, version: this.page.version + 1 };
  }

  #put({ json, headers }: Call): Answer<{ page: SavedPage }> {
    if (headers?.["If-Match"] !== `"v${this.page.version}"`) {
      return { ...refused(412, "VERSION_CONFLICT"), details: { page: this.page } };
    }
    const sent = structuredClone(json) as Draft;
    const links = sent.links.map((link) => {
      this.#made += link.link_id === undefined ? 1 : 0;
      return { ...link, link_id: link.link_id ?? `made${this.#made}` };
    });
    this.save(() => ({ ...sent, links }));
    return answered(this.page);
  }
}

function answered(page: SavedPage): Answer<{ page: SavedPage }> {
  return { ok: true, status: 200, body: { page: structuredClone(page) }, headers: new Headers() };
}

function refused(status: number, code: string) {
  const nothing = { message: code, issues: [], details: {}, retry_after_s: null };
  return { ok: false, status, code, ...nothing } as const;
}
