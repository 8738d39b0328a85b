/** The editor's texts: journeys find its controls by the keys of their texts, never by the words. */
import { build } from "esbuild";
import { ROOT } from "../../src/commands/root.ts";
import type { Locale } from "../../src/views/locale.ts";
import { readerLocale } from "../../src/views/numbering.ts";

type Texts = typeof import("../../src/client/editor/ai/ai-texts.ts") &
  typeof import("../../src/client/editor/blocks/block-texts.ts") &
  typeof import("../../src/client/editor/conflict-texts.ts") &
  typeof import("../../src/client/editor/editor-texts.ts") &
  typeof import("../../src/client/editor/field-texts.ts") &
  typeof import("../../src/client/editor/files/files-texts.ts") &
  typeof import("../../src/client/editor/history/history-texts.ts") &
  typeof import("../../src/client/editor/links/links-texts.ts") &
  typeof import("../../src/client/editor/links/schedule-words.ts") &
  typeof import("../../src/client/editor/look/look-texts.ts") &
  typeof import("../../src/client/editor/pictures/picture-texts.ts") &
  typeof import("../../src/client/editor/profile/profile-texts.ts") &
  typeof import("../../src/client/editor/settings/settings-texts.ts") &
  typeof import("../../src/client/editor/share/share-texts.ts") &
  typeof import("../../src/client/editor/start/start-texts.ts") &
  typeof import("../../src/client/editor/ui-texts.ts");

const FILES = [
  ...["ai/ai", "blocks/block", "conflict", "editor", "field", "files/files", "history/history"],
  ...["links/links", "look/look", "pictures/picture", "profile/profile", "settings/settings"],
  ...["share/share", "start/start", "ui"],
].map((file) => `${file}-texts.ts`);

/** Each of the editor's two scripts has the texts of its language alone, so they are built like it. */
async function textsIn(locale: Locale): Promise<Texts> {
  // Numbers are written as readers see them who have chosen nothing.
  const editor = { dataset: { reader: readerLocale(locale, "arab") } };
  const { outputFiles } = await build({
    stdin: {
      contents: [...FILES, "links/schedule-words.ts"]
        .map((file) => `export * from "./${file}";`)
        .join("\n"),
      resolveDir: `${ROOT}src/client/editor`,
    },
    bundle: true,
    format: "esm",
    write: false,
    define: { LOCALE: JSON.stringify(locale) },
    banner: { js: `const document = { getElementById: () => (${JSON.stringify(editor)}) };` },
  });
  const script = outputFiles[0]?.text ?? "";
  return (await import(
    `data:text/javascript;base64,${Buffer.from(script).toString("base64")}`
  )) as Texts;
}

export const EDITOR: Record<Locale, Texts> = { ar: await textsIn("ar"), en: await textsIn("en") };
