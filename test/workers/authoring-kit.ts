/** Signed-in creators for the tests of the routes under /api/me/pages. */
import { expect } from "vitest";
import type { pageJson } from "../../src/authoring/page-json.ts";
import { signIn } from "./hub-kit.ts";
import { call, freshAddress, ORIGIN } from "./kit.ts";

export type PageJson = ReturnType<typeof pageJson>;

export interface PageAnswer {
  ok: boolean;
  page: PageJson;
}

let slugs_made = 0;

/** Long enough for a test that advances the clock by months, in seconds. */
const SESSION_S = 31_536_000;

/** A user of the demo hub, signed in, whose requests are never over the limit. */
export async function creator(user_id = "demo-business") {
  const Cookie = await signIn(user_id, SESSION_S);
  const session = await call("/api/auth/session", { headers: { Cookie } });
  const { csrf_token } = await session.json<{ csrf_token: string }>();
  const headers = {
    Cookie,
    "X-CSRF-Token": csrf_token,
    Origin: ORIGIN,
    "Sec-Fetch-Site": "same-origin",
  };

  /** A request with a JSON body; `headers` of its own come last. */
  const send = (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Response> =>
    call(path, {
      method,
      ip: freshAddress(),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...more,
      },
    });

  const change = async (
    method: "PATCH" | "PUT" | "DELETE",
    page: Pick<PageJson, "page_id" | "version">,
    body?: unknown,
  ): Promise<PageJson> => {
    const response = await send(method, `/api/me/pages/${page.page_id}`, body, {
      "If-Match": `"v${page.version}"`,
    });
    const answer = await response.json<PageAnswer>();
    expect(answer).toMatchObject({ ok: true });
    return answer.page;
  };

  return {
    headers,
    send,
    /** A slug that nobody has. */
    slug: () => {
      slugs_made += 1;
      return `s${slugs_made}-${crypto.randomUUID().slice(0, 8)}`;
    },
    /** A new page, a draft unless the members say otherwise. */
    make: async (members: Record<string, unknown> = {}): Promise<PageJson> => {
      slugs_made += 1;
      const slug = `s${slugs_made}-${crypto.randomUUID().slice(0, 8)}`;
      const body = { slug, name: { ar: "ليان" }, ...members };
      const response = await send("POST", "/api/me/pages", body);
      const answer = await response.json<PageAnswer>();
      expect(answer).toMatchObject({ ok: true });
      return answer.page;
    },
    patch: (page: Pick<PageJson, "page_id" | "version">, patch: unknown) =>
      change("PATCH", page, patch),
    put: (page: Pick<PageJson, "page_id" | "version">, body: unknown) => change("PUT", page, body),
    remove: (page: Pick<PageJson, "page_id" | "version">) => change("DELETE", page),
  };
}
