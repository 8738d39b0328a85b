/** Firefox of Debian, over WebDriver BiDi. */
import { type Engine, NoEngine } from "./engine.ts";
import { onPath } from "./on-path.ts";
import { startDriven } from "./puppeteer.ts";

const PACKAGES = "firefox-esr";
/** Nobody listens on the port of `discard`: what is not for this machine ends there. */
const NOWHERE = { host: "127.0.0.1", port: 9 };

export async function startFirefox(downloads: string): Promise<Engine> {
  const executablePath = (await onPath("firefox-esr")) ?? (await onPath("firefox"));
  if (executablePath === null) throw new NoEngine(`no Firefox: apt-get install ${PACKAGES}`);
  const prefs = {
    "network.proxy.type": 1,
    "network.proxy.http": NOWHERE.host,
    "network.proxy.http_port": NOWHERE.port,
    "network.proxy.ssl": NOWHERE.host,
    "network.proxy.ssl_port": NOWHERE.port,
    "network.proxy.no_proxies_on": "127.0.0.1",
    "browser.download.folderList": 2,
    "browser.download.dir": downloads,
    "intl.accept_languages": "en-GB",
  };
  const launch = { browser: "firefox", executablePath, extraPrefsFirefox: prefs } as const;
  return startDriven({
    name: "Firefox",
    launch,
    // The protocol has no command for it.
    scriptless: {
      launch: { ...launch, extraPrefsFirefox: { ...prefs, "javascript.enabled": false } },
    },
  });
}
