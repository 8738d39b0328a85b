/**
 * An openly simple language model behind an OpenAI-compatible endpoint, so that suggestions can be
 * tried without an account and without a network. It knows what the service asks: a JSON object in
 * `<data>`. It has a small dictionary and a few templates; whatever it only repeats has its mark.
 */
import * as z from "zod";

type Locale = "ar" | "en";

export const Answers = z.object({
  /** Words in what is asked: a request has nothing else that tells whose it is. Without, whatever is asked. */
  about: z.string().default(""),
  answers: z.array(z.string()).max(1_000),
});

/** By those words. In memory: a restart removes them. */
const answers = new Map<string, string[]>();

export function setAnswers({ about, answers: next }: z.output<typeof Answers>): void {
  answers.set(about, [...next]);
}

function nextAnswer(text: string): string | undefined {
  const [, left] = [...answers].find(([about]) => text.includes(about)) ?? [];
  return left?.shift();
}

const Part = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
]);
const Request = z.object({
  model: z.string().min(1),
  messages: z
    .array(
      z.object({
        role: z.enum(["system", "user", "assistant"]),
        content: z.union([z.string(), z.array(Part)]),
      }),
    )
    .min(1),
});

const LocaleName = z.enum(["ar", "en"]);
const Data = z.discriminatedUnion("task", [
  z.object({ task: z.literal("bio"), locale: LocaleName, about: z.string() }),
  z.object({
    task: z.literal("labels"),
    locale: LocaleName,
    links: z.array(z.object({ url: z.string(), label: z.string().optional() })),
  }),
  z.object({
    task: z.literal("translate"),
    from: LocaleName,
    to: LocaleName,
    texts: z.array(z.string()),
  }),
  z.object({ task: z.literal("alt"), locale: LocaleName }),
]);
type Data = z.output<typeof Data>;

export function complete(body: unknown): Response {
  const request = Request.safeParse(body);
  if (!request.success)
    return Response.json({ error: { message: "bad request" } }, { status: 400 });
  const parts = request.data.messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
    );
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const picture = parts.find((part) => part.type === "image_url")?.image_url.url;
  const content = nextAnswer(text) ?? say(text, picture);
  return Response.json({
    id: `chatcmpl-${crypto.randomUUID()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model: request.data.model,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  });
}

function say(text: string, picture: string | undefined): string {
  const json = /<data>([^<]*)<\/data>/.exec(text)?.[1];
  const data = json === undefined ? null : Data.safeParse(JSON.parse(json));
  if (data?.success !== true) return "I am a demo and know only what Sila asks.";
  return JSON.stringify({ suggestions: suggestionsOf(data.data, picture ?? "") });
}

function suggestionsOf(data: Data, picture: string): unknown[] {
  if (data.task === "bio") return biosOf(data.about, data.locale);
  if (data.task === "labels") return data.links.map((link) => labelsOf(link, data.locale));
  if (data.task === "translate") return data.texts.map((text) => [translated(text, data.to)]);
  return [altOf(picture, data.locale)];
}

const DEMO = { ar: "(نموذج تجريبي)", en: "(demo model)" } as const;

function biosOf(about: string, locale: Locale): string[] {
  const line = shortened(about.replace(/\s+/g, " "), 120);
  const first = shortened(line.split(/[.!?؟،,]/)[0] ?? line, 80);
  return locale === "ar"
    ? [`${line} ${DEMO.ar}`, `${first} — أهلًا بكم ${DEMO.ar}`, `كل روابطي هنا. ${first} ${DEMO.ar}`]
    : [`${line} ${DEMO.en}`, `${first} — welcome! ${DEMO.en}`, `All my links. ${first} ${DEMO.en}`];
}

/** By a part of the host's name. */
const SITES: readonly (readonly [part: string, ar: string, en: string])[] = [
  ["instagram", "إنستغرام", "Instagram"],
  ["youtube", "يوتيوب", "YouTube"],
  ["wa.me", "واتساب", "WhatsApp"],
  ["shop", "المتجر", "Shop"],
  ["blog", "المدوّنة", "Blog"],
];

function labelsOf(
  { url, label = "" }: { url: string; label?: string | undefined },
  locale: Locale,
) {
  const { protocol, host } = new URL(url);
  if (protocol === "mailto:")
    return locale === "ar" ? ["راسلني", "اكتب إليّ"] : ["Email me", "Write to me"];
  if (protocol === "tel:" || protocol === "sms:")
    return locale === "ar" ? ["اتصل بي"] : ["Call me"];
  const site = SITES.find(([part]) => host.includes(part));
  const bare = host.replace(/^www\./, "").split(".")[0] ?? host;
  const name = site?.[locale === "ar" ? 1 : 2] ?? bare.charAt(0).toUpperCase() + bare.slice(1);
  const words = locale === "ar" ? [name, `زوروا ${name}`] : [name, `Visit ${name}`];
  return label === "" ? words : [...words, `${shortened(label, 80)} · ${name}`];
}

const DICTIONARY: readonly (readonly [ar: string, en: string])[] = [
  ["المتجر", "Shop"],
  ["المدوّنة", "Blog"],
  ["فيديو", "Video"],
  ["راسلني", "Email me"],
  ["أعمالي", "My work"],
  ["احجز موعدًا", "Book an appointment"],
  ["النشرة البريدية", "Newsletter"],
  ["إنستغرام", "Instagram"],
  ["يوتيوب", "YouTube"],
  ["رسّامة", "Painter"],
  ["خزّافة", "Potter"],
  ["خزّافة من صور", "Potter from Tyre"],
  ["ليان", "Layan"],
];

function translated(text: string, to: Locale): string {
  const wanted = text.trim().toLowerCase();
  const pair = DICTIONARY.find((words) => words.some((word) => word.toLowerCase() === wanted));
  return pair?.[to === "ar" ? 0 : 1] ?? shortened(`[${to}] ${text}`, 1_000);
}

const TYPE = /^data:image\/(\w+);base64,/;

function altOf(picture: string, locale: Locale): string {
  const type = TYPE.exec(picture)?.[1]?.toUpperCase() ?? "?";
  const kilobytes = Math.ceil(((picture.length - picture.indexOf(",") - 1) * 3) / 4 / 1_000);
  return locale === "ar"
    ? `صورة ${type} حجمها ${kilobytes} كيلوبايت ${DEMO.ar}`
    : `A ${type} picture of ${kilobytes} KB ${DEMO.en}`;
}

function shortened(text: string, max: number): string {
  const characters = [...text.trim()];
  return characters.length <= max
    ? characters.join("")
    : `${characters.slice(0, max - 1).join("")}…`;
}
