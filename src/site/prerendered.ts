/**
 * Texts of this site that the build has made (`prerender.ts`): neither they nor what renders them are in the
 * Worker. They are files like scripts and styles, and get the address of the request when they are served.
 */
import { callDependency } from "../http/dependency.ts";
import { assetUrl } from "../views/assets.ts";

/** The address with which the build renders; `.invalid` is reserved by RFC 2606. */
export const PLACEHOLDER = new URL("https://origin.invalid/path.invalid");

type Name = Extract<Parameters<typeof assetUrl>[0], `prerendered-${string}`>;

/** What this isolate has read; the files never change while it runs. */
const known = new Map<Name, string>();

/** The text as the build has made it. Throws 503 where it cannot be read. */
export async function prerendered(env: Cloudflare.Env, name: Name): Promise<string> {
  const text = known.get(name) ?? (await callDependency("assets_failed", () => read(env, name)));
  known.set(name, text);
  return text;
}

async function read(env: Cloudflare.Env, name: Name): Promise<string> {
  const path = assetUrl(name);
  // The binding looks at the path only.
  const response = await env.ASSETS.fetch(new URL(path, PLACEHOLDER));
  if (response.status !== 200) throw new Error(`no text at ${path}: ${response.status}`);
  return response.text();
}

/** The placeholder's origin and path, origin, or host. */
const PLACES = /https:\/\/origin\.invalid\/path\.invalid|(?:https:\/\/)?origin\.invalid/g;

/** The text with the address of the request, whose host may contain `&` and quotation marks. */
export function addressed(text: string, url: URL, escaped = (part: string) => part): string {
  const parts: Readonly<Record<string, string>> = {
    [PLACEHOLDER.href]: escaped(url.origin + url.pathname),
    [PLACEHOLDER.origin]: escaped(url.origin),
    [PLACEHOLDER.host]: escaped(url.host),
  };
  return text.replace(PLACES, (place) => parts[place] ?? place);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For markup, as JSX escapes it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
