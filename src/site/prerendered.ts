/**
 * Texts that the build made (`prerender.ts`): files like scripts and styles, which get the request's address
 * when they are served.
 */
import { callDependency } from "../http/dependency.ts";
import { assetUrl } from "../views/assets.ts";

/** The address for which the build renders; RFC 2606 reserves `.invalid`. */
export const PLACEHOLDER = new URL("https://origin.invalid/path.invalid");

type Name = Extract<Parameters<typeof assetUrl>[0], `prerendered-${string}`>;

/** Read once in an isolate; the files never change while it runs. */
const known = new Map<Name, string>();

/** Throws 503 where the file cannot be read. */
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

const PLACES = /https:\/\/origin\.invalid\/path\.invalid|(?:https:\/\/)?origin\.invalid/g;

/** The text with the request's address, whose host may contain `&` and quotation marks. */
export function addressed(text: string, url: URL, escaped = (part: string) => part): string {
  const parts: Readonly<Record<string, string>> = {
    [PLACEHOLDER.href]: escaped(url.origin + url.pathname),
    [PLACEHOLDER.origin]: escaped(url.origin),
    [PLACEHOLDER.host]: escaped(url.host),
  };
  return text.replace(PLACES, (place) => parts[place] ?? place);
}
