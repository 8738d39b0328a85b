import { BadOption, parseOptions, wholeNumber } from "../command-line.ts";
import { randomSeed } from "../random.ts";
import { type FaultCounts, UNEDITED_PAGES } from "./faults.ts";

export interface Options extends FaultCounts {
  events: number;
  pages: number;
  links: number;
  senders: number;
  clients: number;
  blocks: number;
  distance: number;
  drop: number;
  seconds: number;
  seed: number;
  json: boolean;
}

/** Default number of events per ordinary sender: half of what a minute admits. */
const EVENTS_PER_SENDER = 30;
/** With more events per sender most requests would be refused. */
const EVENTS_PER_SENDER_MAX = 50;
const SENDERS_MIN = 40;
/** Default number of edits if there are enough pages. */
const EDITS = 4;

const BOUNDS = {
  events: { min: 1, max: 1_000_000 },
  pages: { min: 1, max: 10_000 },
  links: { min: 0, max: 1_000 },
  senders: { min: 1, max: 1_000_000 },
  kills: { min: 0, max: 10_000 },
  "d1-outages": { min: 0, max: 1_000 },
  evictions: { min: 0, max: 100_000 },
  distance: { min: 0, max: 1_000 },
  drop: { min: 0, max: 500 },
  blocks: { min: 0, max: 1_000 },
  edits: { min: 0, max: 1_000 },
  clients: { min: 1, max: 1_000 },
  seconds: { min: 1, max: 86_400 },
  seed: { min: 0, max: 2 ** 32 - 1 },
};

const OPTIONS = Object.fromEntries([
  ...Object.keys(BOUNDS).map((name) => [name, { type: "string" }] as const),
  ...["json", "help"].map((name) => [name, { type: "boolean" }] as const),
]);

/** The options, or null for `--help`. @throws {BadOption} */
export function readOptions(args: readonly string[]): Options | null {
  const values = parseOptions(args, OPTIONS) as Record<string, string | boolean | undefined>;
  if (values.help === true) return null;
  const number = (name: keyof typeof BOUNDS, usual: number) => {
    const given = values[name];
    return given === undefined ? usual : wholeNumber(name, String(given), BOUNDS[name]);
  };
  const events = number("events", 20_000);
  const usual_senders = Math.max(SENDERS_MIN, Math.ceil(events / EVENTS_PER_SENDER));
  const senders = number("senders", usual_senders);
  const needed = Math.ceil(events / EVENTS_PER_SENDER_MAX);
  if (senders < needed) {
    throw new BadOption(
      `--senders must be at least ${needed} for --events ${events}: each may send 60 in a minute.`,
      `لا بد لهذه الأحداث من ${needed} عنوانًا على الأقل، فلكل عنوان 60 طلبًا في الدقيقة.`,
    );
  }
  const pages = number("pages", 40);
  const editable = Math.max(0, pages - UNEDITED_PAGES);
  const edits = number("edits", Math.min(EDITS, editable));
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
    links: number("links", 5),
    kills: number("kills", 10),
    d1_outages: number("d1-outages", 2),
    evictions: number("evictions", 20),
    clients: number("clients", 64),
    blocks: number("blocks", 60),
    distance: number("distance", 100),
    drop: number("drop", 2),
    seconds: number("seconds", 240),
    seed: number("seed", randomSeed()),
    json: values.json === true,
  };
}

/** The text of `--help`. Arabic has lines of its own, so that the writing directions do not mix. */
export const HELP = `npm run simulate -- [options]

Runs the deployed bundle in workerd, with several routers and delayed calls, and sends events over HTTP
as browsers do. Meanwhile it ends workerd with SIGKILL, breaks D1, evicts objects and loses answers, and
browsers hang up. Then it compares what was acknowledged with what was counted, as sets of event ids, and
checks that each 5xx had a cause. Exit code 0: every promise was kept. 1: a promise was broken. 2: invalid
options. 3: it could not run.

يشغّل صلة كما تُنشر، بموجّهات عدّة ومع تأخير في كل نداء، ويرسل إليها كما ترسل المتصفحات،
ويقتلها ويعطّل قاعدتها ويُضيع ردودًا أثناء ذلك، ثم يقارن ما أُقرّ به بما عُدّ، معرّفًا بمعرّف،
ويطلب سببًا لكل جواب 5xx.
رمز الخروج 0 إن حُفظت الوعود كلها، و1 إن أُخلف وعد، و2 إن كان في الخيارات خطأ، و3 إن تعذّر التشغيل.

  --events N       different views and clicks to send (20000)
                   عدد المشاهدات والنقرات المختلفة المطلوب عدّها
  --pages N        pages; the n-th gets 1/n of what the first gets (40)
                   عدد الصفحات، والأولى أكثرها زيارة
  --links N        links on each page (5)
                   عدد روابط كل صفحة
  --senders N      ordinary addresses; a few heavy ones are added (events/30)
                   عدد العناوين العادية، وتُضاف إليها عناوين قليلة مُفرطة
  --kills N        SIGKILLs of workerd (10)
                   عدد مرات قتل workerd
  --d1-outages N   outages of D1, 4 s each: calls are refused, lose their reply, or hang (2)
                   عدد مرات تعطّل D1: يرفض، أو يكتب ويضيع ردّه، أو يتعلّق
  --evictions N    objects evicted while they work (20)
                   عدد الكائنات التي تُخرَج من الذاكرة أثناء عملها
  --distance N     delays in percent of the usual 5-80 ms (500 at most) to objects, 2-50 to D1 (100)
                   نسبة مئوية من التأخير المعتاد: إلى الكائنات 5–80 مث، وإلى D1 من 2 إلى 50
  --drop N         lost answers per 1,000 calls to objects (2)
                   من كل ألف نداء للكائنات، عدد ما يضيع ردّه
  --blocks N       tips, downloads, sign-ups and suggestions, so many of each; 0 for none (60)
                   من الإكراميات، ومثلها من التنزيلات والاشتراكات والاقتراحات، و0 لا شيء
  --edits N        pages suspended or links removed while they are visited (4)
                   عدد الصفحات الموقوفة أو الروابط المحذوفة أثناء زيارتها
  --clients N      concurrent browsers (64)
                   عدد المتصفحات العاملة معًا
  --seconds N      time limit in seconds; the events sent by then are judged (240)
                   المهلة بالثواني، ثم لا يبدأ حدث جديد ويُحكم على ما أُرسل
  --seed N         seed of all random choices; the exact times of faults still vary
                   بذرة الاختيارات العشوائية، أما لحظات الأعطال فللجهاز
  --json           print one JSON object and nothing else on stdout
                   اطبع كائن JSON واحدًا لا غير
  --help           show this help
                   اعرض هذه المساعدة
`;
