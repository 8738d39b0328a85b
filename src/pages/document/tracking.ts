/**
 * Parameters by which advertisers and sites follow who shared an address. They say nothing of what it leads
 * to, and one of them in a page's link would credit each visitor to whoever copied it first.
 */

/** Names that mean the same on every site: campaigns and clicks first, mails and shops last. */
const EVERYWHERE = new Set(
  [
    "fbclid gclid dclid gbraid wbraid gad_source msclkid yclid ysclid twclid ttclid li_fat_id epik sccid",
    "igshid srsltid _ga _gl _openstat wickedid",
    "mc_eid mc_cid mkt_tok _hsenc __hssc __hstc __hsfp hsctatracking vero_id oly_anon_id oly_enc_id",
  ].flatMap((names) => names.split(" ")),
);

/**
 * Names that only these hosts and their subdomains use so: `t` is a share on x.com and a time on
 * YouTube. What may be a creator's income or the content (`ref`, `aff`, `via`, `tag`, `code`,
 * `coupon`, `text`, `start`) is in no list.
 */
const BY_HOST: readonly (readonly [hosts: string, names: string])[] = [
  ["instagram.com", "igsh"],
  ["threads.net threads.com", "igsh xmt slof"],
  [
    "facebook.com fb.com",
    "mibextid extid tracking __tn__ __cft__ __xts__ eav paipv _rdr rdid share_url",
  ],
  ["youtube.com youtu.be", "si feature pp kw"],
  ["spotify.com", "si"],
  ["x.com twitter.com", "s t cn ref_src ref_url"],
  [
    "tiktok.com",
    "_t _r _d u_code preview_pb timestamp user_id share_app_name share_iid share_app_id share_author_id " +
      "share_link_id tt_from is_from_webapp sender_device web_id sec_uid refer embed_source",
  ],
  ["snapchat.com", "sc_referrer sc_ua share_id locale sid"],
  ["linkedin.com", "trk trackingid refid rcm"],
  ["reddit.com", "share_id ref_source"],
  ["medium.com", "source"],
  ["twitch.tv", "tt_content tt_medium"],
];

const HOSTS = new Map(
  BY_HOST.flatMap(([hosts, names]) => {
    const set = new Set(names.split(" "));
    return hosts.split(" ").map((host) => [host, set] as const);
  }),
);

/**
 * Returns a copy without them; `url` is not changed. The other parameters keep their order and
 * their spelling, which some servers sign. For addresses that are pasted or read from a page, not
 * for those that a creator edits: a campaign of their own may be meant.
 */
export function withoutTracking(url: URL): URL {
  const clean = new URL(url);
  if (!/^https?:$/.test(url.protocol) || url.search === "") return clean;
  const own = namesOf(url.hostname);
  const kept = url.search
    .slice(1)
    .split("&")
    .filter((part) => !isTracking(nameIn(part), own));
  clean.search = kept.join("&");
  return clean;
}

function namesOf(hostname: string): ReadonlySet<string> | undefined {
  const labels = hostname.split(".");
  const at = labels.findIndex((_, i) => HOSTS.has(labels.slice(i).join(".")));
  return at < 0 ? undefined : HOSTS.get(labels.slice(at).join("."));
}

function isTracking(name: string, own: ReadonlySet<string> | undefined): boolean {
  return name.startsWith("utm_") || EVERYWHERE.has(name) || own?.has(name) === true;
}

/** In lower case and without an index: `__cft__[0]`. */
function nameIn(part: string): string {
  const [name = ""] = part.split("=", 1);
  return readable(name)
    .toLowerCase()
    .replace(/\[\d*\]$/, "");
}

function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
