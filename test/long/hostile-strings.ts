import { integer, pick, type Random } from "../random.ts";

/** Markup, scripts, styles and texts that have broken pages before. `__ran` marks a script that ran. */
export const PAYLOADS = [
  "<script>window.__ran=1</script>",
  '"><img src=x onerror="window.__ran=1">',
  "'><svg/onload=window.__ran=1>",
  "</title></style></textarea></noscript><script>window.__ran=1</script>",
  "<!--<script>window.__ran=1//-->",
  '<iframe srcdoc="<script>parent.__ran=1</script>">',
  '<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example">',
  "<style>*{display:none}body{background:url(//evil.example)}</style>",
  '<link rel=stylesheet href="//evil.example/x.css"><form action=//evil.example><input autofocus onfocus=window.__ran=1>',
  "javascript:window.__ran=1",
  "data:text/html,<script>parent.__ran=1</script>",
  "&lt;script&gt;window.__ran=1&lt;/script&gt;",
  "{{constructor.constructor('window.__ran=1')()}}",
  "\u2028\u2029]]>--></script>",
  "\u202e\u2066\u2067\u061c\u200f\u200e",
  "W".repeat(180),
  "ﷺ".repeat(60),
  "كلمةطويلةجدا".repeat(12),
  "a\u0301".repeat(80),
  `Z${"\u0310\u0489\u035b".repeat(40)}`,
  "👩‍👩‍👧‍👦🧑🏽‍🎨🏴󠁧󠁢󠁥󠁮󠁧󠁿".repeat(8),
  "\t\n\n\n\n\r\v\f",
  " ",
  "−1 ½ ٣٤٥ ۶۷ １２",
  "https://very-long-host-name.example.com/with/a/path?and=query&more=%F0%9F%98%80#fragment",
  "ᚠᛇᚻ ༀ ꧅ 𒐫 𝒜𝓃𝓈",
] as const;

export const ADDRESSES = [
  "javascript:window.__ran=1",
  "JaVaScRiPt:window.__ran=1",
  "java\nscript:window.__ran=1",
  " \u0001javascript:window.__ran=1",
  "data:text/html,<script>parent.__ran=1</script>",
  "vbscript:msgbox(1)",
  "blob:https://sila.example/x",
  "https://user:secret@evil.example/",
  "https://shop.example.com/<script>window.__ran=1</script>?q='\"><img>",
  `https://${"a".repeat(60)}.${"b".repeat(60)}.example.com/${"c".repeat(900)}`,
  "https://xn--mgbh0fb.xn--kgbechtv/",
  "https://موقع.وزارة-الاتصالات.مصر/",
  "https://аррӏе.example/",
  "mailto:a@example.com?subject=<script>&body=%0d%0aBcc:",
  `mailto:${"x".repeat(300)}@example.com`,
  "tel:+442079460142;ext=1",
  "sms:+447700900142?body=hi",
  "https://instagram.com/<b>",
  "https://wa.me/447700900142",
  "//evil.example",
  "/r/x/y",
  "#",
  "",
] as const;

export function hostileWords(random: Random): string {
  const parts = Array.from({ length: 1 + integer(3, random) }, () => pick(PAYLOADS, random));
  return [...parts.join(random() < 0.5 ? " " : "")].slice(0, 200).join("");
}
