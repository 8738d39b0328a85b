/** `llms.txt` (llmstxt.org): what Sila is and how to use it, for language models. */
import { EDGE_LIMIT_PER_MINUTE, LIMITS_PER_MINUTE } from "../http/limits.ts";
import { HOME_TEXTS } from "./home-texts.ts";

/**
 * llmstxt.org asks for Markdown: a title, a summary as a quotation, text without headings, then lists of
 * links under headings of the second level.
 */
export function llmsTxt(origin: string): string {
  return `# Sila · صلة

> Sila hosts link-in-bio pages: one address for a creator's links and the ways to reach them, made for Arabic first and in English too. It counts every view and click that reaches it exactly once.

${HOME_TEXTS.ar.what} ${HOME_TEXTS.ar.promise} ${HOME_TEXTS.ar.privacy}

- A bio page is \`${origin}/<slug>\`: HTML, Arabic (right to left) or English. A slug has 1 to 64 letters and digits of Latin or Arabic script, with \`-\`, \`_\` and \`.\` inside; any other spelling redirects to the canonical one. The sitemap lists all pages.
- A page's contact card is \`${origin}/vcard/<slug>.vcf\`: vCard 4.0 (RFC 6350); \`?v=3\` gives 3.0.
- The picture that stands for a page where its address is shared is \`${origin}/<slug>/share.png\`.
- To refer a person to a page or a link, use the page's address, not the \`/r/…\` links inside it: a request to one counts as a click.
- Counting promise: an event that was acknowledged is in durable storage and in every total exactly once. Nothing is sampled or estimated. Bots, prefetches, owners and senders over their limit are counted in classes of their own, apart from people.
- Privacy: no cookies for visitors, no IP addresses stored.
- Errors are JSON: \`{"ok":false,"error":"<Arabic>","message_en":"<English>","code","details":{"request_id"}}\`.
- Limits, per sender: ${LIMITS_PER_MINUTE.public} requests in any 60 seconds to \`/api\`, about ${EDGE_LIMIT_PER_MINUTE} a minute to pages and files. A 429 carries \`Retry-After\`.

## Interface

- [OpenAPI description](${origin}/openapi.json): every JSON route with its bodies, limits and errors, OpenAPI 3.1
- [Reference](${origin}/docs/en): the same as a page for people; [in Arabic](${origin}/docs/ar)
- [Health](${origin}/health): name and version of the service; \`/health/deep\` also checks its dependencies

## Site

- [Home page](${origin}/en): what Sila is, with an example of a page in sixteen looks; [in Arabic](${origin}/ar)
- [Sitemap](${origin}/sitemap.xml): every published page with the time of its last change
- [Crawl policy](${origin}/robots.txt): pages may be crawled; the API, redirects and contact cards may not

## Optional

- [App manifest](${origin}/manifest.json): name, icons and colours for a phone's home screen
`;
}
