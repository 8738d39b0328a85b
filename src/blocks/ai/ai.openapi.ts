import * as z from "zod";
import {
  AI_ALT_PATH,
  AI_BIO_PATH,
  AI_LABELS_PATH,
  AI_TRANSLATE_PATH,
} from "../../http/endpoints.ts";
import { success } from "../../openapi/answers.ts";
import { describe, described } from "../../openapi/described.ts";
import { jsonBody, type Operation } from "../../openapi/operation.ts";
import { BAD_BODY, HUB, json } from "../../openapi/responses.ts";
import {
  ALT_CHARS_MAX,
  BIO_CHARS_MAX,
  LINK_LABEL_CHARS_MAX,
  LINK_TEXT_CHARS_MAX,
} from "../../pages/document/limits.ts";
import { type Bilingual, bilingual } from "../../views/bilingual.ts";
import { AI_SUGGESTIONS_MAX } from "./limits.ts";
import { AltRequest, BioRequest, LabelsRequest, TranslateRequest } from "./suggestion-schema.ts";

describe(
  BioRequest.shape.about,
  bilingual(
    "What the creator says about themselves, in any language.",
    "ما يقوله صاحب الصفحة عن نفسه، بأي لغة.",
  ),
);
describe(
  LabelsRequest.shape.links,
  bilingual("The links, with their present labels.", "الروابط، ومعها نصوصها الحالية."),
);
describe(
  TranslateRequest.shape.texts,
  bilingual("Texts of the page; 4,000 characters together.", "نصوص من الصفحة؛ ٤٬٠٠٠ حرف معًا."),
);

const ONE_UNIT: Bilingual = {
  ar: "كل طلب وحدة من رصيد باقتك في أي ٢٤ ساعة: ١٠ في المجانية و٢٠٠ في الاحترافية و١٬٠٠٠ في الأعمال؛ والطلب الذي لا يُجاب لا يُحسب.",
  en: "Each request is one unit of your plan's in any 24 hours: free 10, pro 200, business 1,000. A request that fails is not counted.",
};

function textsOf(max: number) {
  return z.array(z.string().min(1).max(max)).min(1).max(AI_SUGGESTIONS_MAX);
}

function suggestions(schema: z.ZodArray, id: string, words: Bilingual) {
  const list = schema.meta(bilingual(words.en, words.ar));
  return success(id, { suggestions: list });
}

const BEST_FIRST: Bilingual = {
  ar: "نصّ إلى ثلاثة نصوص، أفضلها أولًا.",
  en: "One to three texts, the best first.",
};
const BY_INPUT: Bilingual = {
  ar: "قائمة لكل عنصر في الطلب وبترتيبه، في كل منها نصّ إلى ثلاثة، أفضلها أولًا.",
  en: "A list for each entry of the request, in their order, of one to three texts each, the best first.",
};

const REFUSED: Operation["errors"] = [
  ...BAD_BODY,
  "AUTH_REQUIRED",
  "CSRF_REQUIRED",
  "RATE_LIMITED",
  "AI_QUOTA_EXCEEDED",
  ...HUB,
  "DEPENDENCY_DOWN",
  "AI_UNAVAILABLE",
];

const SHARED = { method: "post", tag: "suggestions", access: "session and token" } as const;

export const SUGGESTIONS: readonly Operation[] = [
  {
    ...SHARED,
    path: AI_BIO_PATH,
    id: "suggestBio",
    ar: { summary: "اقترح نبذة", description: `نبذات قصيرة مما تقوله عن نفسك. ${ONE_UNIT.ar}` },
    en: {
      summary: "Suggest a bio",
      description: `Short biographies from what you say about yourself. ${ONE_UNIT.en}`,
    },
    requestBody: jsonBody(described(BioRequest, { id: "BioRequest" }), {
      locale: "ar",
      about: "خزّافة من صور، أصنع الأكواب وأعلّم الصغار",
    }),
    responses: {
      "200": json(
        "The suggestions.",
        suggestions(textsOf(BIO_CHARS_MAX), "BioSuggestions", BEST_FIRST),
      ),
    },
    errors: REFUSED,
  },
  {
    ...SHARED,
    path: AI_LABELS_PATH,
    id: "suggestLabels",
    ar: { summary: "اقترح نصوصًا للروابط", description: `لما يصل إلى ٢٠ رابطًا معًا. ${ONE_UNIT.ar}` },
    en: {
      summary: "Suggest labels",
      description: `Better labels for up to 20 links at once. ${ONE_UNIT.en}`,
    },
    requestBody: jsonBody(described(LabelsRequest, { id: "LabelsRequest" }), {
      locale: "en",
      links: [
        { url: "https://www.instagram.com/layan", label: "insta" },
        { url: "https://shop.example/" },
      ],
    }),
    responses: {
      "200": json(
        "The suggestions.",
        suggestions(z.array(textsOf(LINK_LABEL_CHARS_MAX)), "LabelsSuggestions", BY_INPUT),
      ),
    },
    errors: REFUSED,
  },
  {
    ...SHARED,
    path: AI_TRANSLATE_PATH,
    id: "suggestTranslations",
    ar: {
      summary: "اقترح اللغة الأخرى",
      description: `لما يصل إلى ١٠٠ نصّ و٤٬٠٠٠ حرف معًا. ${ONE_UNIT.ar}`,
    },
    en: {
      summary: "Suggest the other language",
      description: `For up to 100 texts and 4,000 characters together. ${ONE_UNIT.en}`,
    },
    requestBody: jsonBody(described(TranslateRequest, { id: "TranslateRequest" }), {
      from: "ar",
      to: "en",
      texts: ["خزّافة من صور", "المتجر"],
    }),
    responses: {
      "200": json(
        "The suggestions.",
        suggestions(z.array(textsOf(LINK_TEXT_CHARS_MAX)), "TranslateSuggestions", BY_INPUT),
      ),
    },
    errors: REFUSED,
  },
  {
    ...SHARED,
    path: AI_ALT_PATH,
    id: "suggestAlt",
    ar: { summary: "صِف صورة", description: `لصورة رفعتها لإحدى صفحاتك. ${ONE_UNIT.ar}` },
    en: {
      summary: "Describe a picture",
      description: `For a picture that you uploaded for a page of yours. ${ONE_UNIT.en}`,
    },
    requestBody: jsonBody(described(AltRequest, { id: "AltRequest" }), {
      locale: "en",
      image: "pictures/demo/0123456789abcdef0123456789abcdef.webp",
    }),
    responses: {
      "200": json(
        "The suggestions.",
        suggestions(textsOf(ALT_CHARS_MAX), "AltSuggestions", BEST_FIRST),
      ),
    },
    errors: [...REFUSED, "NOT_FOUND"],
  },
];
