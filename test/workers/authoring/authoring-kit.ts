/** Signed-in creators for the tests of the routes under /api/me/pages. */
import { expect } from "vitest";
import type { pageJson } from "../../../src/authoring/page-json.ts";
import { signIn } from "../kit/hub-kit.ts";
import { call, freshAddress, ORIGIN } from "../kit/kit.ts";

export type PageJson = ReturnType<typeof pageJson>;

export interface PageAnswer {
  ok: boolean;
  page: PageJson;
}

export type Creator = Awaited<ReturnType<typeof creator>>;

export const pathOf = ({ page_id }: Pick<PageJson, "page_id">) => `/api/me/pages/${page_id}`;

export async function pageOf(response: Response): Promise<PageJson> {
  return (await response.json<PageAnswer>()).page;
}

let slugs_made = 0;

/** Long enough for a test that advances the clock by months, in seconds. */
const SESSION_S = 31_536_000;

/** Fewer than any scope admits in a minute. */
const REQUESTS_PER_ADDRESS = 8;

/**
 * Addresses without a request under way, because in this runner no two requests may share a call of their
 * limiter. They are used again: a new limiter object takes as long as the rest of a request.
 */
const idle: { ip: string; left: number }[] = [];

/** A request to the Worker, over no limit. */
export async function callFromIdle(path: string, init: RequestInit): Promise<Response> {
  const address = idle.pop() ?? { ip: freshAddress(), left: REQUESTS_PER_ADDRESS };
  const response = await call(path, { ...init, ip: address.ip });
  address.left -= 1;
  if (address.left > 0) idle.push(address);
  return response;
}

/** A user of the demo hub, signed in, whose requests are never over the limit. */
export async function creator(user_id = "demo-business") {
  const Cookie = await signIn(user_id, SESSION_S);
  const session = await callFromIdle("/api/auth/session", { headers: { Cookie } });
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
    callFromIdle(path, {
      method,
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
    const response = await send(method, pathOf(page), body, {
      "If-Match": `"v${page.version}"`,
    });
    const answer = await response.json<PageAnswer>();
    expect(answer).toMatchObject({ ok: true });
    return answer.page;
  };

  return {
    headers,
    send,
    slug: () => {
      slugs_made += 1;
      return `s${slugs_made}-${crypto.randomUUID().slice(0, 8)}`;
    },
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
