/** Which links of a page are its service's own: its privacy, its sign-up, a report, other people's pages. */

/** Titles of what a service puts under every page, wherever it leads. */
const FOOTERS =
  /^(?:(?:our )?(?:privacy|cookies?)(?: (?:policy|notice|preferences|settings|statement))?|terms(?: (?:of|and|&) (?:service|use|conditions))?|(?:made|built|created|powered) (?:with|by|on) .+|سياسة الخصوصية|الخصوصية|ملفات تعريف الارتباط|شروط (?:الاستخدام|الخدمة)|الشروط والأحكام)$/i;
/** Titles and paths of an account's or a law's pages, on the site that the page itself is of. */
const HOUSEKEEPING =
  /^(?:report(?: .+)?|sign[ -]?(?:up|in)(?: .+)?|log[ -]?(?:in|out)|register|join(?: .+)?|create (?:your|an?) .+|home|إبلاغ|بلاغ|تسجيل(?: الدخول)?|إنشاء حساب|الرئيسية)$/i;
/** How the first part of their paths begins. */
const HOUSEKEEPING_PATH =
  /^(?:privacy|cookie|terms|legal|report|sign-?up|sign-?in|log-?in|register|join)/i;

/**
 * @param address where the page is; null for a file that does not say so
 * @param text what the link says
 */
export function isOfService(link: URL, text: string, address: URL | null): boolean {
  if (!/^https?:$/.test(link.protocol)) return false;
  if (FOOTERS.test(text)) return true;
  if (address === null) return false;
  const [to, page] = [hostOf(link), hostOf(address)];
  // `linktr.ee/salma` is a page among others of its host; `salma.example/` has the host for itself.
  const is_whole_site = /^\/(?:index\.\w+)?$/.test(address.pathname);
  if (to === page) {
    if (!is_whole_site) return true;
    const isItself = link.pathname === address.pathname || link.pathname === "/";
    return isItself || HOUSEKEEPING.test(text) || HOUSEKEEPING_PATH.test(link.pathname.slice(1));
  }
  if (to.endsWith(`.${page}`)) return !is_whole_site;
  return page.endsWith(`.${to}`);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, "");
}
