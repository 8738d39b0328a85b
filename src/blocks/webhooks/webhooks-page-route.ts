import type { Context } from "hono";
import * as z from "zod/mini";
import type { EndpointChange, WebhookEvent } from "../../../objects/blocks/webhooks/webhook.ts";
import { isOwnForm } from "../../accounts/csrf.ts";
import { privateRoute } from "../../accounts/private.ts";
import { requireSession, type SignedIn } from "../../accounts/require-session.ts";
import { drawnPage } from "../../dashboard/drawn-page.ts";
import { frameOf } from "../../dashboard/frame-of.ts";
import { ApiError } from "../../http/api-error.ts";
import { readBytes } from "../../http/body.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { defaultLocale, languageIn, textIn } from "../../pages/document/page-words.ts";
import { DELIVERIES_PER_PAGE, WEBHOOK_BODY_BYTES_MAX } from "./limits.ts";
import { endpointAddress } from "./webhook-address.ts";
import {
  ask,
  changeEndpoints,
  createEndpoint,
  requireOwnPage,
  sendByHand,
  tellAgain,
} from "./webhook-calls.ts";
import { DeliveriesQuery, DeliveryId, WebhookBody } from "./webhook-schema.ts";
import type { FormFault } from "./webhooks-page.tsx";

const PATH = "/dashboard/pages/:page_id/webhooks";
const FORM_TYPE = "application/x-www-form-urlencoded";

export const webhooksPage = new Hono<SignedIn>();

webhooksPage.use(PATH, exactLimit);

const PageQuery = z.object({
  cursor: DeliveriesQuery.shape.cursor,
  delivery: z.optional(DeliveryId),
});

/**
 * A page's endpoints, and twenty deliveries before the one numbered `?cursor=`; with `?delivery=` one in full. 200
 * HTML; 400, 401, 404 for another user's page, 429, 502, 503, 504 as error pages.
 */
webhooksPage.get(PATH, privateRoute, (c) => show(c, null));

/**
 * The page's forms: `action` with `csrf_token`, `id`, `url`, `events`. 303 back to the page; 400 with the page for a
 * wrong address or no events; 401, 403, 404, 409, 429, 502, 503, 504 as error pages.
 */
webhooksPage.post(PATH, requireSession, async (c) => {
  const form = await readForm(c);
  const isOwn = isOwnForm(c, c.get("session").cookie, form?.get("csrf_token") ?? "");
  if (form === null || !isOwn) throw new ApiError("CSRF_REQUIRED");
  const fault = await act(c, form);
  if (fault !== null) return show(c, fault);
  const url = new URL(c.req.url);
  return c.redirect(url.pathname + url.search, 303);
});
webhooksPage.all(PATH, onlyMethods("GET", "POST"));

async function act(c: Context<SignedIn>, form: URLSearchParams): Promise<FormFault | null> {
  const { page_id } = await requireOwnPage(c);
  const id = form.get("id") ?? "";
  const action = form.get("action");
  const change = async (changes: EndpointChange) =>
    found(await changeEndpoints(c, page_id, (object) => object.change(id, changes)));
  switch (action) {
    case "create":
    case "change": {
      const input = readEndpoint(c, form);
      if ("why" in input) return { id, ...input };
      if (action === "create") await createEndpoint(c, page_id, input);
      else await change(input);
      return null;
    }
    case "on":
    case "off":
      await change({ enabled: action === "on" });
      return null;
    case "rotate":
      found(await ask(c, page_id, (object) => object.rotate(id)));
      return null;
    case "remove":
      found(await changeEndpoints(c, page_id, (object) => object.remove(id)));
      return null;
    case "test":
      await sendByHand(c, page_id, (object) => object.sendTest(id));
      return null;
    case "again": {
      const seq = validate(DeliveryId, id);
      await sendByHand(c, page_id, (object) => object.sendAgain(seq));
      return null;
    }
    default:
      throw new ApiError("VALIDATION_FAILED");
  }
}

function readEndpoint(
  c: Context<SignedIn>,
  form: URLSearchParams,
): { url: string; events: WebhookEvent[] } | Omit<FormFault, "id"> {
  const written = { url: form.get("url") ?? "", events: form.getAll("events[]") };
  const { data, error } = WebhookBody.safeParse(written);
  const isEvents = error?.issues.some(({ path }) => path[0] === "events") === true;
  if (data === undefined) return { ...written, why: isEvents ? "events_missing" : "address_wrong" };
  try {
    return { url: endpointAddress(c, data.url), events: data.events };
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    return { ...written, why: "address_wrong" };
  }
}

async function show(c: Context<SignedIn>, fault: FormFault | null): Promise<Response> {
  const frame = await frameOf(c);
  const { cursor, delivery } = validate(PageQuery, c.req.query());
  const page = await requireOwnPage(c);
  const { page_id } = page;
  const { listed, rows, shown } = await ask(c, page_id, async (object) => {
    const [listed, rows, shown] = await Promise.all([
      object.list(),
      object.deliveries(cursor ?? null, DELIVERIES_PER_PAGE + 1),
      delivery === undefined ? null : object.delivery(delivery),
    ]);
    return { listed, rows, shown };
  });
  tellAgain(c, page_id);
  const deliveries = rows.slice(0, DELIVERIES_PER_PAGE);
  const last = rows.length > deliveries.length ? deliveries.at(-1) : undefined;
  const props = {
    page_id,
    page_name: textIn(page.name, defaultLocale(page)),
    page_locale: languageIn(page.name, defaultLocale(page)),
    ...listed,
    deliveries,
    next_cursor: last === undefined ? null : String(last.id),
    shown,
    fault,
  };
  const html = await drawnPage(c, frame, ["webhooks", props]);
  return c.html(html, fault === null ? 200 : 400);
}

/** Null for a body of another type, which has no token. */
async function readForm(c: Context<SignedIn>): Promise<URLSearchParams | null> {
  const type = (c.req.header("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE) return null;
  const bytes = await readBytes(c.req.raw, WEBHOOK_BODY_BYTES_MAX);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

function found<T>(endpoint: T | null | false): T {
  if (endpoint === null || endpoint === false) throw new ApiError("NOT_FOUND");
  return endpoint;
}
