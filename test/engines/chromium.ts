/** Chromium's headless shell, which npm brings. */
import {
  CHROMIUM_ARGS,
  chromiumPath,
  DESKTOP,
  HAS_CHROMIUM,
  NOTHING_ELSE,
} from "../browser/browser-kit.ts";
import { type Engine, NoEngine } from "./engine.ts";
import { startDriven } from "./puppeteer.ts";

export async function startChromium(): Promise<Engine> {
  if (!HAS_CHROMIUM) throw new NoEngine("no Chromium for this system: set CHROME_PATH");
  return startDriven({
    name: "Chromium",
    launch: {
      executablePath: await chromiumPath(),
      headless: "shell",
      args: [
        ...CHROMIUM_ARGS,
        `--host-resolver-rules=${NOTHING_ELSE}`,
        // Its own is a bot's.
        `--user-agent=${DESKTOP.userAgent}`,
        "--lang=en-GB",
      ],
    },
    scriptless: "by tab",
  });
}
