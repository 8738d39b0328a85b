/**
 * What creators really paste, and what becomes of it: pages of several services copied as text, notes, chats, bios,
 * in both languages. A comment names the source; those of a service's page are its texts and addresses.
 *
 * 1. The line directly above an address is its title (over a blank line, if all are so), or the line below, where
 *    addresses come first.
 * 2. A line alone is left out. It is a heading if it ends in a colon or begins with `#`, and links follow it.
 * 3. A title that only names the service, "Email" or "Website" gives way to the handle, the number, the mailbox, else to
 *    the service's name; an unknown site has an empty label and is shown by its host. An id is no handle.
 * 4. A number is for WhatsApp or a call where its line says so, else a question.
 * 5. The same address again is left out, and so is the service's that made the page.
 * 6. Tracking parameters go.
 * 7. A name with a dot is a question, unless it has a path, or its host is a known service. Among titles it is a title,
 *    unless its end is a common one of domains.
 * 8. A line without a letter, a digit or a picture is nothing.
 */
export type Expected =
  | { is: "link"; label: string; address: string }
  | { is: "heading"; label: string }
  | { is: "question"; text: string }
  | { is: "left_out"; text: string; why?: string };

export interface Paste {
  name: string;
  /** Of the page's zone; Egypt if it is not said. */
  country?: string;
  text: string;
  /** What the clipboard holds beside the text. */
  html?: string;
  expected: readonly Expected[];
}

/** What stands in the field after it is pasted: of a copied page each link behind its title. */
export function inField({ text, html, expected }: Paste): string {
  if (html === undefined) return text;
  const lines = expected.map((each) => {
    if (each.is === "heading") return each.label;
    return each.is === "link" ? `${each.label}\t${each.address}` : each.text;
  });
  return lines.join("\n");
}

export const PASTES: readonly Paste[] = [
  {
    name: "Linktree 2025, selected and copied: titles with addresses below, as a note app pastes them",
    // linktree/athoye-2025-10.html (texts, addresses, footer are the page's)
    text: [
      "@athoye",
      "X",
      "https://x.com/red_sswan",
      "GitHub",
      "https://github.com/AthoyeMahmud",
      "Last.fm",
      "https://last.fm/user/Athoye/",
      "Goodreads",
      "https://goodreads.com/athoye",
      "Hugging Face",
      "https://hf.co/athoye",
      "Cookie Preferences",
      "·",
      "Report",
      "·",
      "Privacy",
      "View on mobile",
    ].join("\n"),
    expected: [
      {
        is: "left_out",
        text: "@athoye",
        why: "the page's own name: a handle above the first link, with an address of nothing",
      },
      { is: "link", label: "@red_sswan", address: "https://x.com/red_sswan" },
      { is: "link", label: "@AthoyeMahmud", address: "https://github.com/AthoyeMahmud" },
      { is: "link", label: "Last.fm", address: "https://last.fm/user/Athoye/" },
      { is: "link", label: "Goodreads", address: "https://goodreads.com/athoye" },
      { is: "link", label: "Hugging Face", address: "https://hf.co/athoye" },
      { is: "left_out", text: "Cookie Preferences" },
      { is: "left_out", text: "Report" },
      { is: "left_out", text: "Privacy" },
      { is: "left_out", text: "View on mobile" },
    ],
  },
  {
    name: "Linktree 2025, plain text of select-all: titles without any address",
    // linktree/athoye-2025-10.html
    text: [
      "@athoye",
      "X",
      "GitHub",
      "LinkedIn",
      "Instagram",
      "Last.fm",
      "Goodreads",
      "Flickr",
      "Steam",
      "roadmap.sh",
      "Kaggle",
      "GitLab",
      "Cookie Preferences",
      "·",
      "Report",
      "·",
      "Privacy",
      "View on mobile",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "@athoye" },
      { is: "left_out", text: "X" },
      { is: "left_out", text: "GitHub" },
      { is: "left_out", text: "LinkedIn" },
      { is: "left_out", text: "Instagram" },
      {
        is: "left_out",
        text: "Last.fm",
        why: "a title, although fm is a top-level domain: no path, no known host",
      },
      { is: "left_out", text: "Goodreads" },
      { is: "left_out", text: "Flickr" },
      { is: "left_out", text: "Steam" },
      { is: "left_out", text: "roadmap.sh", why: "a title, although sh is a top-level domain" },
      { is: "left_out", text: "Kaggle" },
      { is: "left_out", text: "GitLab" },
      { is: "left_out", text: "Cookie Preferences" },
      { is: "left_out", text: "Report" },
      { is: "left_out", text: "Privacy" },
      { is: "left_out", text: "View on mobile" },
    ],
  },
  {
    name: "the same with the clipboard's text/html: pairs are exact",
    // linktree/athoye-2025-10.html
    text: [
      "@athoye",
      "Last.fm",
      "Goodreads",
      "roadmap.sh",
      "Cookie Preferences",
      "·",
      "Report",
      "·",
      "Privacy",
    ].join("\n"),
    html: '<h1>@athoye</h1><a href="https://last.fm/user/Athoye/"><div>Last.fm</div></a><a href="https://goodreads.com/athoye"><div>Goodreads</div></a><a href="https://roadmap.sh/u/athoye"><div>roadmap.sh</div></a><button>Cookie Preferences</button><span>·</span><a href="https://linktr.ee/s/about/trust-center/report/?field86145911=https%3A%2F%2Flinktr.ee%2Fathoye">Report</a><span>·</span><a href="https://linktr.ee/privacy">Privacy</a>',
    expected: [
      { is: "left_out", text: "@athoye" },
      { is: "link", label: "Last.fm", address: "https://last.fm/user/Athoye/" },
      { is: "link", label: "Goodreads", address: "https://goodreads.com/athoye" },
      { is: "link", label: "roadmap.sh", address: "https://roadmap.sh/u/athoye" },
      { is: "left_out", text: "Cookie Preferences" },
      {
        is: "left_out",
        text: "Report\thttps://linktr.ee/s/about/trust-center/report/?field86145911=https%3A%2F%2Flinktr.ee%2Fathoye",
        why: "its address is linktr.ee's own",
      },
      { is: "left_out", text: "Privacy\thttps://linktr.ee/privacy" },
    ],
  },
  {
    name: "Linktree 2026 with its footer's advertising",
    // linktree/bunstreetboys-2026.html; footer words from index ids 71149282421, 65864491496
    text: [
      "bunstreetboys",
      "🍔 Welcome to Bun Street Boys! Like a band, but with burgers!",
      "Menu",
      "TikTok",
      "https://www.tiktok.com/@bunstreetboys",
      "Instagram",
      "https://www.instagram.com/bunstreetboys",
      "Facebook",
      "https://www.facebook.com/bunstreetboys",
      "Join bunstreetboys on Linktree",
      "Cookie Preferences",
      "Report",
      "Privacy",
      "Explore other Linktrees",
      "About this account",
      "More from Linktree",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "bunstreetboys" },
      { is: "left_out", text: "🍔 Welcome to Bun Street Boys! Like a band, but with burgers!" },
      { is: "left_out", text: "Menu", why: "no address before the next title" },
      { is: "link", label: "@bunstreetboys", address: "https://www.tiktok.com/@bunstreetboys" },
      { is: "link", label: "@bunstreetboys", address: "https://www.instagram.com/bunstreetboys" },
      { is: "link", label: "@bunstreetboys", address: "https://www.facebook.com/bunstreetboys" },
      { is: "left_out", text: "Join bunstreetboys on Linktree" },
      { is: "left_out", text: "Cookie Preferences" },
      { is: "left_out", text: "Report" },
      { is: "left_out", text: "Privacy" },
      { is: "left_out", text: "Explore other Linktrees" },
      { is: "left_out", text: "About this account" },
      { is: "left_out", text: "More from Linktree" },
    ],
  },
  {
    name: "Linktree 2021, a shop",
    // linktree/eileentown-2021.body.html
    text: [
      "Eileen Town",
      "Eileen Town is a Singapore online gift shop, offering unique gifts such as money flowers, fortune cat, music boxes, wedding gifts, couple gifts and much more for various occasions.",
      "Money Flowers",
      "https://www.eileentown.com/category/flowers/money-flowers/",
      "Fortune Cat",
      "https://www.eileentown.com/category/home-living/fortune-cat/",
      "Music Boxes",
      "https://www.eileentown.com/category/home-living/music-boxes/",
      "Marry Me",
      "https://www.eileentown.com/category/wedding/marry-me/",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "Eileen Town" },
      {
        is: "left_out",
        text: "Eileen Town is a Singapore online gift shop, offering unique gifts such as money flowers, fortune cat, music boxes, wedding gifts, couple gifts and much more for various occasions.",
      },
      {
        is: "link",
        label: "Money Flowers",
        address: "https://www.eileentown.com/category/flowers/money-flowers/",
      },
      {
        is: "link",
        label: "Fortune Cat",
        address: "https://www.eileentown.com/category/home-living/fortune-cat/",
      },
      {
        is: "link",
        label: "Music Boxes",
        address: "https://www.eileentown.com/category/home-living/music-boxes/",
      },
      {
        is: "link",
        label: "Marry Me",
        address: "https://www.eileentown.com/category/wedding/marry-me/",
      },
    ],
  },
  {
    name: "Linktree with a heading of its own",
    // linktree/kaiserlol-2021-07.next-data.json (HEADER without address)
    text: [
      "My Title",
      "My Bio",
      "Heading 1",
      "Blog",
      "https://blog.kaiser.lol/",
      "Kaiser LOL",
      "https://kaiser.lol/",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "My Title" },
      { is: "left_out", text: "My Bio" },
      { is: "left_out", text: "Heading 1", why: "as text nothing tells it from a bio" },
      { is: "link", label: "Blog", address: "https://blog.kaiser.lol/" },
      { is: "link", label: "Kaiser LOL", address: "https://kaiser.lol/" },
    ],
  },
  {
    name: "Linktree in Arabic",
    // composed; footer as in linktree/athoye-2025-10.html
    text: [
      "سلمى العطار",
      "مصممة · القاهرة",
      "معرض أعمالي",
      "https://www.behance.net/salmaattar",
      "احجزي موعدًا",
      "https://calendly.com/salma-attar/30min",
      "واتساب",
      "https://wa.me/201012345678",
      "Join salma.attar on Linktree",
      "Cookie Preferences",
      "Report",
      "Privacy",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "سلمى العطار" },
      { is: "left_out", text: "مصممة · القاهرة" },
      { is: "link", label: "معرض أعمالي", address: "https://www.behance.net/salmaattar" },
      { is: "link", label: "احجزي موعدًا", address: "https://calendly.com/salma-attar/30min" },
      { is: "link", label: "+20 101 234 5678", address: "https://wa.me/201012345678" },
      { is: "left_out", text: "Join salma.attar on Linktree" },
      { is: "left_out", text: "Cookie Preferences" },
      { is: "left_out", text: "Report" },
      { is: "left_out", text: "Privacy" },
    ],
  },
  {
    name: "Beacons, text",
    // beacons/angjianming-2025-02.html (names of its links), footer composed
    text: [
      "angjianming",
      "LinkedIn",
      "https://www.linkedin.com/in/ang-jianming-3a2a3a319/",
      "YouTube",
      "https://www.youtube.com/@AngJianming",
      "Instagram",
      "https://www.instagram.com/angjianming05/",
      "Discord",
      "https://discordapp.com/users/642621296860987403",
      "Subscribe to angjianming",
      "Sign up to get exclusive email updates directly from me.",
      "Make your own Beacons page",
      "https://beacons.ai/signup?c=angjianming",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "angjianming" },
      {
        is: "link",
        label: "@ang-jianming-3a2a3a319",
        address: "https://www.linkedin.com/in/ang-jianming-3a2a3a319/",
      },
      { is: "link", label: "@AngJianming", address: "https://www.youtube.com/@AngJianming" },
      { is: "link", label: "@angjianming05", address: "https://www.instagram.com/angjianming05/" },
      { is: "link", label: "Discord", address: "https://discordapp.com/users/642621296860987403" },
      { is: "left_out", text: "Subscribe to angjianming" },
      { is: "left_out", text: "Sign up to get exclusive email updates directly from me." },
      {
        is: "left_out",
        text: "Make your own Beacons page\nhttps://beacons.ai/signup?c=angjianming",
        why: "the service's own advertising: title and address go together",
      },
    ],
  },
  {
    name: "Carrd, a streamer's page",
    // carrd/riletin-2024-12.html
    text: [
      "Riletin",
      "Diagnosed with ADHD &Autism.",
      "He/They | Pan | 18",
      "Game Profiles",
      "https://bit.ly/rilegmpfls",
      "Ransore Website",
      "https://ransore.pages.dev",
      "Bluesky",
      "https://bsky.app/profile/riletin.lol",
      "Donation Page",
      "https://streamlabs.com/riletin/tip",
      "TikTok",
      "https://www.tiktok.com/@riletin",
      "696",
      "Followers",
      "Discord",
      "https://discord.gg/jMdFegecuZ",
      "78",
      "Members",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "Riletin" },
      { is: "left_out", text: "Diagnosed with ADHD &Autism." },
      { is: "left_out", text: "He/They | Pan | 18" },
      { is: "link", label: "Game Profiles", address: "https://bit.ly/rilegmpfls" },
      { is: "link", label: "Ransore Website", address: "https://ransore.pages.dev/" },
      { is: "link", label: "Bluesky", address: "https://bsky.app/profile/riletin.lol" },
      { is: "link", label: "Donation Page", address: "https://streamlabs.com/riletin/tip" },
      { is: "link", label: "@riletin", address: "https://www.tiktok.com/@riletin" },
      { is: "left_out", text: "696" },
      { is: "left_out", text: "Followers" },
      { is: "link", label: "Discord", address: "https://discord.gg/jMdFegecuZ" },
      { is: "left_out", text: "78" },
      { is: "left_out", text: "Members" },
    ],
  },
  {
    name: "Carrd, free page's credit",
    // composed; words of Carrd's footer
    text: [
      "noor ahmed",
      "illustrator",
      "Commissions",
      "https://ko-fi.com/noorahmed/commissions",
      "Made with Carrd",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "noor ahmed" },
      { is: "left_out", text: "illustrator" },
      { is: "link", label: "Commissions", address: "https://ko-fi.com/noorahmed/commissions" },
      { is: "left_out", text: "Made with Carrd" },
    ],
  },
  {
    name: "Carrd's menu without addresses",
    // carrd/junki-2022-08.html
    text: ["Home", "Discography", "Stream", "https://l.junki.li/spotify"].join("\n"),
    expected: [
      { is: "left_out", text: "Home" },
      { is: "left_out", text: "Discography" },
      { is: "link", label: "Stream", address: "https://l.junki.li/spotify" },
    ],
  },
  {
    name: "bio.link",
    // biolink/airajena.html
    text: [
      "Aira Jena",
      "Web3 Developer",
      "LinkedIn @ AiraJena",
      "https://www.linkedin.com/in/aira-jena/",
      "Twitter @ 0xAira",
      "https://twitter.com/0xAira",
      "LeetCode @ airajena",
      "https://leetcode.com/airajena/",
      "Hashnode @ 0xaira",
      "https://0xaira.hashnode.dev/",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "Aira Jena" },
      { is: "left_out", text: "Web3 Developer" },
      {
        is: "link",
        label: "LinkedIn @ AiraJena",
        address: "https://www.linkedin.com/in/aira-jena/",
      },
      { is: "link", label: "Twitter @ 0xAira", address: "https://twitter.com/0xAira" },
      { is: "link", label: "LeetCode @ airajena", address: "https://leetcode.com/airajena/" },
      { is: "link", label: "Hashnode @ 0xaira", address: "https://0xaira.hashnode.dev/" },
    ],
  },
  {
    name: "Lnk.Bio",
    // lnkbio/charlidamelio-reduced-by-a-test.html
    text: [
      "@charlidamelio",
      "official website of charli d'amelio",
      "https://www.charlidamelio.com",
      "Facebook",
      "https://facebook.com/thecharlidamelio",
      "Instagram",
      "https://instagram.com/charlidamelio",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "@charlidamelio" },
      {
        is: "link",
        label: "official website of charli d'amelio",
        address: "https://www.charlidamelio.com/",
      },
      { is: "link", label: "@thecharlidamelio", address: "https://facebook.com/thecharlidamelio" },
      { is: "link", label: "@charlidamelio", address: "https://instagram.com/charlidamelio" },
    ],
  },
  {
    name: "LittleLink, text/html whose pictures have alt texts",
    // littlelink/littlelink-demo.html (structure; addresses composed)
    text: [
      "LittleLink",
      "An open source DIY Linktree alternative.",
      "Amazon Wishlist",
      "Bluesky",
    ].join("\n"),
    html: '<h1><div>LittleLink</div></h1><p>An open source DIY Linktree alternative.</p><a class="button button-amazon" href="https://www.amazon.com/hz/wishlist/ls/3ABC"><img class="icon" alt="Amazon Wishlist Logo">Amazon Wishlist</a><a class="button" href="https://bsky.app/profile/littlelink.io"><img alt="Bluesky Logo">Bluesky</a>',
    expected: [
      { is: "left_out", text: "LittleLink" },
      { is: "left_out", text: "An open source DIY Linktree alternative." },
      {
        is: "link",
        label: "Amazon Wishlist",
        address: "https://www.amazon.com/hz/wishlist/ls/3ABC",
      },
      { is: "link", label: "Bluesky", address: "https://bsky.app/profile/littlelink.io" },
    ],
  },
  {
    name: "a page where each link stands twice, in English and Arabic",
    // own-site/almobader-ar-en.html
    text: [
      "ALMOBADER QADISYEH",
      "المبادر قادسية",
      "English",
      "العربية",
      "Youth Center Workshop",
      "https://forms.gle/QBtGscVwxk9gdZ216",
      "دورات للشباب و الشابات",
      "https://forms.gle/QBtGscVwxk9gdZ216",
      "English Registration Form",
      "https://forms.gle/cEHydt2nyEPuCkLw7",
      "دورة اللغة الإنكليزيّة",
      "https://forms.gle/cEHydt2nyEPuCkLw7",
      "https://wa.me/96179138664",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "ALMOBADER QADISYEH" },
      { is: "left_out", text: "المبادر قادسية" },
      { is: "left_out", text: "English" },
      { is: "left_out", text: "العربية" },
      {
        is: "link",
        label: "Youth Center Workshop",
        address: "https://forms.gle/QBtGscVwxk9gdZ216",
      },
      {
        is: "left_out",
        text: "دورات للشباب و الشابات\nhttps://forms.gle/QBtGscVwxk9gdZ216",
        why: "the address stands above; better still: the second language's title of that link",
      },
      {
        is: "link",
        label: "English Registration Form",
        address: "https://forms.gle/cEHydt2nyEPuCkLw7",
      },
      {
        is: "left_out",
        text: "دورة اللغة الإنكليزيّة\nhttps://forms.gle/cEHydt2nyEPuCkLw7",
        why: "as above",
      },
      { is: "link", label: "+961 79 138 664", address: "https://wa.me/96179138664" },
    ],
  },
  {
    name: "an own page with the parameters of shared addresses",
    // own-site/igshid-jordan.html
    text: [
      "Salma Attar",
      "Email",
      "salma@example.com",
      "Facebook",
      "https://www.facebook.com/salma.attar.545?mibextid=LQQJ4d",
      "Instagram",
      "https://instagram.com/salma.attar?igshid=MzRlODBiNWFlZA==",
      "Telegram",
      "https://t.me/salma_attar",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "Salma Attar" },
      { is: "link", label: "salma@example.com", address: "mailto:salma@example.com" },
      {
        is: "link",
        label: "@salma.attar.545",
        address: "https://www.facebook.com/salma.attar.545",
      },
      { is: "link", label: "@salma.attar", address: "https://instagram.com/salma.attar" },
      { is: "link", label: "@salma_attar", address: "https://t.me/salma_attar" },
    ],
  },
  {
    name: "WhatsApp's word with Arabic digits",
    // issue 37, 1
    text: "واتساب ٠١٠١٢٣٤٥٦٧٨",
    expected: [{ is: "link", label: "+20 101 234 5678", address: "https://wa.me/201012345678" }],
  },
  {
    name: "the same in English, with spaces",
    // issue 37, 1
    text: "WhatsApp 0101 234 5678",
    expected: [{ is: "link", label: "+20 101 234 5678", address: "https://wa.me/201012345678" }],
  },
  {
    name: "the word behind the number",
    // composed
    text: "٠١٠١٢٣٤٥٦٧٨ واتس",
    expected: [{ is: "link", label: "+20 101 234 5678", address: "https://wa.me/201012345678" }],
  },
  {
    name: "a page in Riyadh",
    // composed
    country: "SA",
    text: "للتواصل واتساب: 0501234567",
    expected: [{ is: "link", label: "للتواصل", address: "https://wa.me/966501234567" }],
  },
  {
    name: "mixed digits in one number",
    // composed
    country: "SA",
    text: "واتساب ٠٥٠ 123 ٤٥٦٧",
    expected: [{ is: "link", label: "+966 50 123 4567", address: "https://wa.me/966501234567" }],
  },
  {
    name: "plus at the wrong end, as right-to-left text shows it",
    // phone.ts
    text: "واتساب 201012345678+",
    expected: [{ is: "link", label: "+20 101 234 5678", address: "https://wa.me/201012345678" }],
  },
  {
    name: "with bidi marks, as WhatsApp copies a contact",
    // composed
    text: "\u2066+20 101 234 5678\u2069",
    expected: [{ is: "question", text: "+20 101 234 5678" }],
  },
  {
    name: "a number alone asks: call or WhatsApp",
    // composed
    text: "01012345678",
    expected: [{ is: "question", text: "01012345678" }],
  },
  {
    name: "a bare handle with a dot is no address",
    // issue 37, 2
    text: "salma.attar",
    expected: [{ is: "question", text: "salma.attar" }],
  },
  {
    name: "a handle",
    // issue 37, 2
    text: "@salma.attar",
    expected: [{ is: "question", text: "@salma.attar" }],
  },
  {
    name: "service and handle",
    // issue 37, 2
    text: "instagram salma.attar",
    expected: [
      { is: "link", label: "@salma.attar", address: "https://www.instagram.com/salma.attar" },
    ],
  },
  {
    name: "service and handle in Arabic",
    // issue 37, 2
    text: "إنستغرام salma.attar",
    expected: [
      { is: "link", label: "@salma.attar", address: "https://www.instagram.com/salma.attar" },
    ],
  },
  {
    name: "a profile's address without a scheme",
    // issue 37, 2
    text: "instagram.com/salma.attar?igsh=MXFoYTJ2bmJ4cQ==",
    expected: [{ is: "link", label: "@salma.attar", address: "https://instagram.com/salma.attar" }],
  },
  {
    name: "a first name that is no top-level domain, and one that could be",
    // IANA list in npm tlds 1.261.0: no salma, noor; yes moe, baby
    text: ["sara.noor", "sara.baby", "sara.shop/new"].join("\n"),
    expected: [
      { is: "question", text: "sara.noor" },
      { is: "question", text: "sara.baby" },
      { is: "link", label: "", address: "https://sara.shop/new" },
    ],
  },
  {
    name: "a product's name with a dot",
    // composed
    text: ["Node.js", "Vue.js course", "v2.0"].join("\n"),
    expected: [
      { is: "left_out", text: "Node.js" },
      { is: "left_out", text: "Vue.js course" },
      { is: "left_out", text: "v2.0" },
    ],
  },
  {
    name: "a real domain without path, of a known host",
    // composed
    text: ["soundcloud.com", "salma-studio.com"].join("\n"),
    expected: [
      { is: "link", label: "SoundCloud", address: "https://soundcloud.com/" },
      { is: "question", text: "salma-studio.com" },
    ],
  },
  {
    name: "email in a sentence's end",
    // composed
    text: "للتعاون: salma.attar@gmail.com.",
    expected: [{ is: "link", label: "للتعاون", address: "mailto:salma.attar@gmail.com" }],
  },
  {
    name: "bio of Instagram in Arabic",
    // composed after usual bios
    text: [
      "🎨 مصممة جرافيك",
      "📍 القاهرة",
      "📩 salma.attar@gmail.com",
      "📱 ٠١٠١٢٣٤٥٦٧٨ (واتساب فقط)",
      "👇 المتجر",
      "salma-attar.myshopify.com/collections/all",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "🎨 مصممة جرافيك" },
      { is: "left_out", text: "📍 القاهرة" },
      { is: "link", label: "salma.attar@gmail.com", address: "mailto:salma.attar@gmail.com" },
      { is: "link", label: "+20 101 234 5678", address: "https://wa.me/201012345678" },
      { is: "link", label: "المتجر", address: "https://salma-attar.myshopify.com/collections/all" },
    ],
  },
  {
    name: "bio of Instagram in English",
    // composed
    text: [
      "Photographer 📷 | Dubai",
      "Bookings: +971 50 123 4567",
      "Prints ↓",
      "noorphoto.com/prints",
      "DM for collabs",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "Photographer 📷 | Dubai" },
      { is: "question", text: "Bookings: +971 50 123 4567" },
      { is: "link", label: "Prints", address: "https://noorphoto.com/prints" },
      { is: "left_out", text: "DM for collabs" },
    ],
  },
  {
    name: "bio of X",
    // composed
    text: [
      "كاتبة ومترجمة. آراء شخصية.",
      "النشرة: https://salma.substack.com/?utm_source=twitter&utm_medium=bio",
      "Threads: @salma.attar",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "كاتبة ومترجمة. آراء شخصية." },
      { is: "link", label: "النشرة", address: "https://salma.substack.com/" },
      { is: "link", label: "@salma.attar", address: "https://www.threads.com/@salma.attar" },
    ],
  },
  {
    name: "handles with emoji and service names, all in one line",
    // composed
    text: "Snap: salma_a | IG: salma.attar | TikTok: @salma.attar",
    expected: [
      { is: "link", label: "@salma_a", address: "https://www.snapchat.com/add/salma_a" },
      { is: "link", label: "@salma.attar", address: "https://www.instagram.com/salma.attar" },
      { is: "link", label: "@salma.attar", address: "https://www.tiktok.com/@salma.attar" },
    ],
  },
  {
    name: "the Gulf's way: one handle for all",
    // composed
    text: "سناب وانستا وتيك توك: salma.attar",
    expected: [
      { is: "link", label: "@salma.attar", address: "https://www.snapchat.com/add/salma.attar" },
      { is: "link", label: "@salma.attar", address: "https://www.instagram.com/salma.attar" },
      { is: "link", label: "@salma.attar", address: "https://www.tiktok.com/@salma.attar" },
    ],
  },
  {
    name: "pronouns, ages, quotes",
    // carrd/riletin-2024-12.html
    text: ["he/they | 18", "“less is more”", "discord: riletin", "https://throne.com/riletin"].join(
      "\n",
    ),
    expected: [
      { is: "left_out", text: "he/they | 18" },
      { is: "left_out", text: "“less is more”" },
      { is: "left_out", text: "discord: riletin", why: "Discord has no profile addresses by name" },
      { is: "link", label: "", address: "https://throne.com/riletin" },
    ],
  },
  {
    name: "notes: title, dash, address",
    // composed
    text: [
      "معرض أعمالي - https://www.behance.net/salmaattar",
      "دورة التصميم - https://salma.teachable.com/p/design",
      "قائمة الأمنيات - https://www.amazon.eg/hz/wishlist/ls/2ABC?ref_=wl_share",
    ].join("\n"),
    expected: [
      { is: "link", label: "معرض أعمالي", address: "https://www.behance.net/salmaattar" },
      { is: "link", label: "دورة التصميم", address: "https://salma.teachable.com/p/design" },
      {
        is: "link",
        label: "قائمة الأمنيات",
        address: "https://www.amazon.eg/hz/wishlist/ls/2ABC?ref_=wl_share",
      },
    ],
  },
  {
    name: "notes: numbered in Arabic digits",
    // composed
    text: [
      "روابطي:",
      "١. المدونة https://salma.blog/ar",
      "٢. البودكاست https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk?si=a1b2c3d4",
      "٣. اليوتيوب https://youtube.com/@salmaattar?si=Zx9",
    ].join("\n"),
    expected: [
      { is: "heading", label: "روابطي" },
      { is: "link", label: "المدونة", address: "https://salma.blog/ar" },
      {
        is: "link",
        label: "البودكاست",
        address: "https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk",
      },
      { is: "link", label: "@salmaattar", address: "https://youtube.com/@salmaattar" },
    ],
  },
  {
    name: "notes: bullets and blank lines between pairs",
    // composed
    text: [
      "• Portfolio",
      "https://noor.design/work",
      "",
      "• CV (PDF)",
      "https://drive.google.com/file/d/1AbC/view?usp=sharing",
      "",
      "• Calendar",
      "https://cal.com/noor/intro",
    ].join("\n"),
    expected: [
      { is: "link", label: "Portfolio", address: "https://noor.design/work" },
      {
        is: "link",
        label: "CV (PDF)",
        address: "https://drive.google.com/file/d/1AbC/view?usp=sharing",
      },
      { is: "link", label: "Calendar", address: "https://cal.com/noor/intro" },
    ],
  },
  {
    name: "notes: address first, title below, in pairs",
    // composed
    text: [
      "https://noor.design/work",
      "Portfolio",
      "",
      "https://cal.com/noor/intro",
      "Book a call",
    ].join("\n"),
    expected: [
      { is: "link", label: "Portfolio", address: "https://noor.design/work" },
      { is: "link", label: "Book a call", address: "https://cal.com/noor/intro" },
    ],
  },
  {
    name: "notes: two sections that end in a colon",
    // composed
    text: [
      "Music:",
      "Spotify - https://open.spotify.com/artist/1C3aEfW34xkicZ5umNYdJM?si=x",
      "Anghami - https://play.anghami.com/artist/123456",
      "Contact:",
      "booking@noor.band",
    ].join("\n"),
    expected: [
      { is: "heading", label: "Music" },
      {
        is: "link",
        label: "Spotify",
        address: "https://open.spotify.com/artist/1C3aEfW34xkicZ5umNYdJM",
      },
      { is: "link", label: "Anghami", address: "https://play.anghami.com/artist/123456" },
      { is: "heading", label: "Contact" },
      { is: "link", label: "booking@noor.band", address: "mailto:booking@noor.band" },
    ],
  },
  {
    name: "Markdown",
    // composed
    text: [
      "# Links",
      "- [Shop](https://salma.shop/?utm_campaign=bio)",
      "- [Instagram](https://www.instagram.com/salma.attar/)",
      "",
    ].join("\n"),
    expected: [
      { is: "heading", label: "Links" },
      { is: "link", label: "Shop", address: "https://salma.shop/" },
      { is: "link", label: "@salma.attar", address: "https://www.instagram.com/salma.attar/" },
    ],
  },
  {
    name: "a table from a sheet",
    // composed
    text: [
      "Title\tURL",
      "Shop\thttps://salma.shop/",
      "الدورة\thttps://salma.teachable.com/p/design",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "Title\tURL" },
      { is: "link", label: "Shop", address: "https://salma.shop/" },
      { is: "link", label: "الدورة", address: "https://salma.teachable.com/p/design" },
    ],
  },
  {
    name: "five addresses alone",
    // composed
    text: [
      "https://www.instagram.com/salma.attar?igsh=abc%3D%3D",
      "https://www.tiktok.com/@salma.attar?_t=8abc&_r=1",
      "https://x.com/salma_attar?s=21&t=AbC",
      "https://www.snapchat.com/add/salma_a?share_id=xyz&locale=ar-EG",
      "https://salma.shop/?fbclid=IwAR0abc",
    ].join("\n"),
    expected: [
      { is: "link", label: "@salma.attar", address: "https://www.instagram.com/salma.attar" },
      { is: "link", label: "@salma.attar", address: "https://www.tiktok.com/@salma.attar" },
      { is: "link", label: "@salma_attar", address: "https://x.com/salma_attar" },
      { is: "link", label: "@salma_a", address: "https://www.snapchat.com/add/salma_a" },
      { is: "link", label: "", address: "https://salma.shop/" },
    ],
  },
  {
    name: "parameters that mean something stay",
    // composed
    text: [
      "https://www.youtube.com/watch?v=dQw4w9WgXcQ&si=Zx9&t=43",
      "https://www.facebook.com/profile.php?id=100069119236321&mibextid=ZbWKwL",
      "https://wa.me/201012345678?text=مرحبا",
    ].join("\n"),
    expected: [
      { is: "link", label: "YouTube", address: "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=43" },
      {
        is: "link",
        label: "Facebook",
        address: "https://www.facebook.com/profile.php?id=100069119236321",
      },
      {
        is: "link",
        label: "+20 101 234 5678",
        address: "https://wa.me/201012345678?text=%D9%85%D8%B1%D8%AD%D8%A8%D8%A7",
      },
    ],
  },
  {
    name: "WhatsApp export, English date",
    // composed; format of WhatsApp's export
    text: [
      "[12/11/2026, 9:41:05 PM] Salma: المتجر https://salma.shop/",
      "[12/11/2026, 9:41:30 PM] Salma: https://maps.app.goo.gl/AbC123",
      "[12/11/2026, 9:42:01 PM] Salma: شكراً 🙏",
    ].join("\n"),
    expected: [
      { is: "link", label: "المتجر", address: "https://salma.shop/" },
      { is: "link", label: "خرائط غوغل", address: "https://maps.app.goo.gl/AbC123" },
      {
        is: "left_out",
        text: "[12/11/2026, 9:42:01 PM] Salma: شكراً 🙏",
        why: "date and sender are part of no title",
      },
    ],
  },
  {
    name: "WhatsApp on Android, Arabic date",
    // composed
    text: [
      "١٢\u200f/١١\u200f/٢٠٢٦، ٩:٤١ م - سلمى: حسابي الجديد https://www.instagram.com/salma.attar?igsh=abc",
      "١٢\u200f/١١\u200f/٢٠٢٦، ٩:٤٢ م - سلمى: <تم استبعاد الوسائط>",
    ].join("\n"),
    expected: [
      { is: "link", label: "حسابي الجديد", address: "https://www.instagram.com/salma.attar" },
      { is: "left_out", text: "١٢\u200f/١١\u200f/٢٠٢٦، ٩:٤٢ م - سلمى: <تم استبعاد الوسائط>" },
    ],
  },
  {
    name: "a message in one paragraph",
    // composed
    text: "أهلاً بكم في متجر سلمى 🌸 للطلب تواصلوا واتساب 01012345678 أو زوروا موقعنا https://salma.shop/ وتابعونا على انستقرام @salma.attar",
    expected: [
      {
        is: "left_out",
        text: "أهلاً بكم في متجر سلمى 🌸 للطلب تواصلوا واتساب",
        why: "the rest of a paragraph is no title",
      },
      { is: "link", label: "+20 101 234 5678", address: "https://wa.me/201012345678" },
      { is: "link", label: "", address: "https://salma.shop/" },
      { is: "link", label: "@salma.attar", address: "https://www.instagram.com/salma.attar" },
    ],
  },
  {
    name: "a forwarded catalogue message",
    // composed
    text: [
      "*متجر سلمى*",
      "_توصيل لكل المحافظات_",
      "📞 ٠١٠١٢٣٤٥٦٧٨ - ٠١١١٢٣٤٥٦٧٨",
      "🌐 www.salma.shop",
      "📍 https://goo.gl/maps/AbC",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "*متجر سلمى*" },
      { is: "left_out", text: "_توصيل لكل المحافظات_" },
      { is: "link", label: "+20 101 234 5678", address: "tel:+201012345678" },
      { is: "link", label: "+20 111 234 5678", address: "tel:+201112345678" },
      { is: "link", label: "", address: "https://www.salma.shop/" },
      { is: "link", label: "خرائط غوغل", address: "https://goo.gl/maps/AbC" },
    ],
  },
  {
    name: "a price list in Arabic",
    // composed
    text: [
      "أسعار الجلسات:",
      "جلسة تصوير منتجات ١٥٠٠ جنيه",
      "جلسة عائلية ٢٥٠٠ جنيه",
      "ألبوم ٣٠×٣٠ - ٨٠٠",
      "للحجز ٠١٠١٢٣٤٥٦٧٨",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "أسعار الجلسات:", why: "a heading only above links" },
      { is: "left_out", text: "جلسة تصوير منتجات ١٥٠٠ جنيه" },
      { is: "left_out", text: "جلسة عائلية ٢٥٠٠ جنيه" },
      { is: "left_out", text: "ألبوم ٣٠×٣٠ - ٨٠٠" },
      { is: "question", text: "للحجز ٠١٠١٢٣٤٥٦٧٨" },
    ],
  },
  {
    name: "a price list with links",
    // composed
    text: [
      "Logo — EGP 3,500",
      "https://salma.shop/p/logo",
      "Brand kit — EGP 9,000",
      "https://salma.shop/p/brand",
      "Prices include VAT.",
    ].join("\n"),
    expected: [
      { is: "link", label: "Logo — EGP 3,500", address: "https://salma.shop/p/logo" },
      { is: "link", label: "Brand kit — EGP 9,000", address: "https://salma.shop/p/brand" },
      { is: "left_out", text: "Prices include VAT." },
    ],
  },
  {
    name: "a menu with mixed digits and hours",
    // composed
    text: [
      "قهوة تركي 25",
      "لاتيه ٤٥",
      "مواعيد العمل 10:00 - 23:30",
      "19123",
      "https://menu.qahwa.cafe/ar",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "قهوة تركي 25" },
      { is: "left_out", text: "لاتيه ٤٥" },
      { is: "left_out", text: "مواعيد العمل 10:00 - 23:30" },
      { is: "left_out", text: "19123", why: "a short code: too short to be sure" },
      { is: "link", label: "", address: "https://menu.qahwa.cafe/ar" },
    ],
  },
  {
    name: "dates, dimensions, IDs are no numbers to call",
    // composed
    country: "SA",
    text: [
      "2024-11-05",
      "١٤٤٧/٥/١٢",
      "30 × 40 cm",
      "س.ت: 1010123456",
      "IBAN SA03 8000 0000 6080 1016 7519",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "2024-11-05" },
      { is: "left_out", text: "١٤٤٧/٥/١٢" },
      { is: "left_out", text: "30 × 40 cm" },
      {
        is: "left_out",
        text: "س.ت: 1010123456",
        why: "a commercial register, although it has the length of a number",
      },
      { is: "left_out", text: "IBAN SA03 8000 0000 6080 1016 7519" },
    ],
  },
  {
    name: "a signature of a mail",
    // composed
    country: "JO",
    text: [
      "Noor Ahmed",
      "Product Designer, Studio Nour",
      "T +962 7 9123 4567",
      "E noor@studio-nour.jo",
      "W studio-nour.jo/work",
      "Sent from my iPhone",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "Noor Ahmed" },
      { is: "left_out", text: "Product Designer, Studio Nour" },
      { is: "link", label: "+962 7 9123 4567", address: "tel:+962791234567" },
      { is: "link", label: "noor@studio-nour.jo", address: "mailto:noor@studio-nour.jo" },
      { is: "link", label: "", address: "https://studio-nour.jo/work" },
      { is: "left_out", text: "Sent from my iPhone" },
    ],
  },
  {
    name: "dangerous and strange lines",
    // composed
    text: [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "https://user:pass@example.com/",
      "https://example.com/ok",
    ].join("\n"),
    expected: [
      { is: "left_out", text: "javascript:alert(1)", why: "refused" },
      { is: "left_out", text: "file:///etc/passwd", why: "refused" },
      { is: "left_out", text: "https://user:pass@example.com/", why: "refused" },
      { is: "link", label: "", address: "https://example.com/ok" },
    ],
  },
  {
    name: "her own old page's address alone",
    // issue 37, 4
    text: "linktr.ee/salma.attar",
    expected: [{ is: "question", text: "linktr.ee/salma.attar" }],
  },
  {
    name: "an address that a line break has cut",
    // composed; notes and mails wrap so
    text: ["الدورة", "https://salma.teachable.com/p/design-for-", "beginners?utm_source=ig"].join(
      "\n",
    ),
    expected: [
      { is: "link", label: "الدورة", address: "https://salma.teachable.com/p/design-for-" },
      { is: "left_out", text: "beginners?utm_source=ig", why: "joining lines is a guess: never" },
    ],
  },
];
