/** Arabic controls are verbal nouns, so that they address nobody as a man (CONTRIBUTING.md). */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROOT } from "../../../src/commands/root.ts";

/** Commands to one man, by the verbs of controls. Words that may be another form are left out. */
const COMMANDS = [
  "أبقِ|أدِر|أرسل|أزل|أزلها|أضف|أظهر|أعدها|أغلق|أكمل|ألغِ|أنشئ|أوقف|أوقفه|ابحث|اجعلها|احذف|احذفه|احذفها",
  "احفظ|اختر|اختره|ارفع|استعد|استعمل|استورد|اشترك|اصنع|اعرض|افتح|افتحها|اقترح|اكتب|الصق|امسح|انسخ",
  "انشر|تابع|جرّب|رتّب|سجّل|شارك|شغّله|صغّر|عدّل|غيّر|كبّر|نزّل",
].join("|");
const LITERAL = new RegExp(`["\`]((?:${COMMANDS})(?= |["\`])[^"\`]*)["\`]`, "gu");
const FOLDERS = "src/{client/editor,blocks,pages/render,pages/document,dashboard/stats,views}";

/** What is no sentence is a label, and sentences end with a mark. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(LITERAL)]
    .map(([, words = ""]) => words)
    .filter((words) => !/[.؟!:]$|\. /u.test(words));
}

test("what commands is found, and a sentence may", () => {
  const texts = '"احذف" `احذف «ملف»` "احفظ الصفحة أولًا." "حذف الصفحة" "اختر، ثم يُضاف."';
  expect(commandsIn(texts)).toEqual(["احذف", "احذف «ملف»"]);
});

test("no Arabic control of the editor, the dashboard's numbers or a page is a command", () => {
  const files = globSync(`${FOLDERS}/**/*.{ts,tsx}`, { cwd: ROOT });
  const commands = files
    .filter((file) => !file.endsWith(".openapi.ts"))
    .flatMap((file) =>
      commandsIn(readFileSync(`${ROOT}${file}`, "utf8")).map((words) => `${file}: ${words}`),
    );
  expect(files.length).toBeGreaterThan(100);
  expect(commands).toEqual([]);
});
