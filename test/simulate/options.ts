/** The command line: options, defaults, bounds and help. */
import { BadOption, parseOptions, wholeNumber } from "../command-line.ts";
import { randomSeed } from "../random.ts";
import { type FaultCounts, UNEDITED_PAGES } from "./faults.ts";

export interface Options extends FaultCounts {
  events: number;
  pages: number;
  links: number;
  senders: number;
  clients: number;
  routers: number;
  blocks: number;
  distance: number;
  drop: number;
  seconds: number;
  seed: number;
  json: boolean;
  keep: boolean;
}

interface Setting {
  /** `null`: derived from other options, or random. */
  default: number | null;
  min: number;
  max: number;
  en: string;
  ar: string;
}

/** Default number of events per ordinary sender: half of what a minute admits. */
const EVENTS_PER_SENDER = 30;
/** With more events per sender most requests would be refused. */
const EVENTS_PER_SENDER_MAX = 50;
const SENDERS_MIN = 40;
/** Default number of edits if there are enough pages. */
const EDITS = 4;

const SETTINGS = {
  events: {
    default: 20_000,
    min: 1,
    max: 1_000_000,
    en: "different views and clicks to send",
    ar: "عدد المشاهدات والنقرات المختلفة المطلوب عدّها",
  },
  pages: {
    default: 40,
    min: 1,
    max: 10_000,
    en: "pages; the n-th gets 1/n of what the first gets",
    ar: "عدد الصفحات، والأولى أكثرها زيارة",
  },
  links: { default: 5, min: 0, max: 1_000, en: "links on each page", ar: "عدد روابط كل صفحة" },
  senders: {
    default: null,
    min: 1,
    max: 1_000_000,
    en: "ordinary addresses; a few heavy ones are added (events/30)",
    ar: "عدد العناوين العادية، وتُضاف إليها عناوين قليلة مُفرطة",
  },
  kills: {
    default: 10,
    min: 0,
    max: 10_000,
    en: "SIGKILLs of workerd",
    ar: "عدد مرات قتل workerd",
  },
  "d1-outages": {
    default: 2,
    min: 0,
    max: 1_000,
    en: "outages of D1, 4 s each: calls are refused, lose their reply, or hang",
    ar: "عدد مرات تعطّل D1: يرفض، أو يكتب ويضيع ردّه، أو يتعلّق",
  },
  evictions: {
    default: 20,
    min: 0,
    max: 100_000,
    en: "objects evicted while they work",
    ar: "عدد الكائنات التي تُخرَج من الذاكرة أثناء عملها",
  },
  distance: {
    default: 100,
    min: 0,
    max: 1_000,
    en: "delays in percent of the usual 5-80 ms (500 at most) to objects, 2-50 to D1",
    ar: "نسبة مئوية من التأخير المعتاد: إلى الكائنات 5–80 مث، وإلى D1 من 2 إلى 50",
  },
  drop: {
    default: 2,
    min: 0,
    max: 500,
    en: "lost answers per 1,000 calls to objects",
    ar: "من كل ألف نداء للكائنات، عدد ما يضيع ردّه",
  },
  routers: {
    default: 3,
    min: 1,
    max: 16,
    en: "routers, each with its own memory",
    ar: "عدد الموجّهات، ولكل منها ذاكرته",
  },
  blocks: {
    default: 60,
    min: 0,
    max: 1_000,
    en: "tips, downloads, sign-ups and suggestions, so many of each; 0 for none",
    ar: "من الإكراميات، ومثلها من التنزيلات والاشتراكات والاقتراحات، و0 لا شيء",
  },
  edits: {
    default: null,
    min: 0,
    max: 1_000,
    en: "pages suspended or links removed while they are visited (4)",
    ar: "عدد الصفحات الموقوفة أو الروابط المحذوفة أثناء زيارتها",
  },
  clients: {
    default: 64,
    min: 1,
    max: 1_000,
    en: "concurrent browsers",
    ar: "عدد المتصفحات العاملة معًا",
  },
  seconds: {
    default: 240,
    min: 1,
    max: 86_400,
    en: "time limit in seconds; the events sent by then are judged",
    ar: "المهلة بالثواني، ثم لا يبدأ حدث جديد ويُحكم على ما أُرسل",
  },
  seed: {
    default: null,
    min: 0,
    max: 2 ** 32 - 1,
    en: "seed of all random choices; the exact times of faults still vary",
    ar: "بذرة الاختيارات العشوائية، أما لحظات الأعطال فللجهاز",
  },
} as const satisfies Record<string, Setting>;

const FLAGS = {
  json: {
    en: "print one JSON object and nothing else on stdout",
    ar: "اطبع كائن JSON واحدًا لا غير",
  },
  keep: { en: "keep the state folder and print its path", ar: "أبقِ مجلد الحالة واذكر مكانه" },
  help: { en: "show this help", ar: "اعرض هذه المساعدة" },
} as const;

type Name = keyof typeof SETTINGS;

/** The options, or null for `--help`. @throws {BadOption} */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args);
  if (values.help === true) return null;
  const number = (name: Name) => readNumber(name, values[name]);
  const events = number("events") ?? 1;
  const senders = number("senders") ?? Math.max(SENDERS_MIN, Math.ceil(events / EVENTS_PER_SENDER));
  const needed = Math.ceil(events / EVENTS_PER_SENDER_MAX);
  if (senders < needed) {
    throw new BadOption(
      `--senders must be at least ${needed} for --events ${events}: each may send 60 in a minute.`,
      `لا بد لهذه الأحداث من ${needed} عنوانًا على الأقل، فلكل عنوان 60 طلبًا في الدقيقة.`,
    );
  }
  const pages = number("pages") ?? 1;
  const editable = Math.max(0, pages - UNEDITED_PAGES);
  const edits = number("edits") ?? Math.min(EDITS, editable);
  if (edits > editable) {
    throw new BadOption(
      `--edits may be at most ${editable} for --pages ${pages}: the busiest ${UNEDITED_PAGES} stay as they are.`,
      `أكثر ما يمكن تعديله ${editable} من هذه الصفحات.`,
    );
  }
  return {
    events,
    senders,
    pages,
    edits,
    links: number("links") ?? 0,
    kills: number("kills") ?? 0,
    d1_outages: number("d1-outages") ?? 0,
    evictions: number("evictions") ?? 0,
    clients: number("clients") ?? 1,
    routers: number("routers") ?? 1,
    blocks: number("blocks") ?? 0,
    distance: number("distance") ?? 0,
    drop: number("drop") ?? 0,
    seconds: number("seconds") ?? 1,
    seed: number("seed") ?? randomSeed(),
    json: values.json === true,
    keep: values.keep === true,
  };
}

function parse(args: readonly string[]): Record<string, string | boolean | undefined> {
  const numbers = Object.keys(SETTINGS).map((name) => [name, { type: "string" }] as const);
  const flags = Object.keys(FLAGS).map((name) => [name, { type: "boolean" }] as const);
  return parseOptions(args, Object.fromEntries([...numbers, ...flags])) as Record<
    string,
    string | boolean | undefined
  >;
}

function readNumber(name: Name, given: string | boolean | undefined): number | null {
  return given === undefined
    ? SETTINGS[name].default
    : wholeNumber(name, String(given), SETTINGS[name]);
}

/** The text of `--help`. Arabic has lines of its own, so that the writing directions do not mix. */
export function help(): string {
  const settings = Object.entries<Setting>(SETTINGS).map(
    ([name, { default: usual, en, ar }]) =>
      `  --${`${name} N`.padEnd(15)}${en}${usual === null ? "" : ` (${usual})`}\n${" ".repeat(19)}${ar}`,
  );
  const flags = Object.entries(FLAGS).map(
    ([name, { en, ar }]) => `  --${name.padEnd(15)}${en}\n${" ".repeat(19)}${ar}`,
  );
  return `npm run simulate -- [options]

Runs the deployed bundle in workerd, with several routers and delayed calls, and sends events over HTTP
as browsers do. Meanwhile it ends workerd with SIGKILL, breaks D1, evicts objects and loses answers, and
browsers hang up. Then it compares what was acknowledged with what was counted, as sets of event ids, and
checks that each 5xx had a cause. Exit code 0: every promise was kept. 1: a promise was broken. 2: invalid
options. 3: it could not run.

يشغّل صلة كما تُنشر، بموجّهات عدّة ومع تأخير في كل نداء، ويرسل إليها كما ترسل المتصفحات،
ويقتلها ويعطّل قاعدتها ويُضيع ردودًا أثناء ذلك، ثم يقارن ما أُقرّ به بما عُدّ، معرّفًا بمعرّف،
ويطلب سببًا لكل جواب 5xx.
رمز الخروج 0 إن حُفظت الوعود كلها، و1 إن أُخلف وعد، و2 إن كان في الخيارات خطأ، و3 إن تعذّر التشغيل.

${[...settings, ...flags].join("\n")}
`;
}
