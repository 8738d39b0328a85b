/** Kinds of devices, compared with Bowser, whose rules they follow. */
import Bowser from "bowser";
import fc from "fast-check";
import { devices } from "playwright-core";
import { expect, test } from "vitest";
import { deviceOf } from "../../../src/counting/device.ts";

const bowser = (user_agent: string) => Bowser.parse(user_agent).platform.type;

test("devices of today have the kind that Bowser finds", () => {
  const agents = Object.values(devices).map(({ userAgent }) => userAgent);
  expect(agents.length).toBeGreaterThan(100);
  for (const agent of agents) expect(deviceOf(agent), agent).toBe(bowser(agent));
  expect(deviceOf("")).toBeUndefined();
});

/** Every word that a rule looks for, and words that rules must not mistake for one. */
const WORDS = [
  ...["googlebot", "LineSpider", "amazonbot", "GPTBot", "ChatGPT-User", "oai-searchbot"],
  ...["baiduspider", "bingbot", "DuckDuckBot", "claudebot", "claude-web", "claude-user"],
  ...["claude-searchbot", "omgilibot", "webzio-extended", "diffbot", "perplexitybot"],
  ...["perplexity-user", "youbot", "ia_archiver", "meta-webindexer", "meta-externalads"],
  ...["meta-externalagent", "meta-externalfetcher", "facebookexternalhit", "facebookcatalog"],
  ...["slackbot", "Slack-ImgProxy", "yahoo", "yandexbot", "yandexmobilebot", "pingdom", "claude"],
  ...["Huawei", "can-l01", "Nexus 5", "Nexus 7", "Nexus 10", "Nexus10", "nexus", "galaxy nexus"],
  ...["iPad", "Macintosh", " FxiOS/1", "FxiOS", "kftt build", "Silk", "tablet", "tablet pc"],
  ...["iPod", "iPhone", "like iPhone", "like ipod", "Nokia", "Mobile", "-mobile", "mobi"],
  ...["BlackBerry", "BB10", "abb10", "BB", "rim tablet", "bada"],
  ...["windows phone", "Windows Phone 8"],
  ...["android 4.4", "Android/2.3", "android-3", "android", "like android", "Android 14"],
  ...["smart-tv", "SmartTV", "NetCast", "Roku/DVP", "roku/dvp", "windows ", "Windows NT 10.0"],
  ...["OpenHarmony 5.0", "webOS", "web0s", "hpwOS", "tizen", "Linux", "CrOS", "cros"],
  ...["PlayStation 4", "playstation 4", "opera", "OPR/9", "opios", "SamsungBrowser", "Whale"],
  ...["PaleMoon", "HeyTapBrowser", "VivoBrowser", "MZBrowser", "focus", "swing", "coast"],
  ...["OPT/1.2", "opt/1", "OPT/12", "opt/1__2", "opt/1a_2", "opt/1ab2", "yabrowser", "ucbrowser"],
  ...["Maxthon", "mxios", "epiphany", "puffin", "sleipnir", "k-meleon", "micromessenger"],
  ...["qqbrowser", "msie", "trident", " Edg/1", "Edg/1", "EdgA/1", "EdgiOS/1", "edge/1", "vivaldi"],
  ...["seamonkey", "sailfish", "phantom", "slimerjs", "qupzilla", "Firefox", "Chrome", "Safari"],
  ...[" ", "/", "; ", "(", ")", "-", "1", "_", "\n"],
];

test("any words in any order have the kind that Bowser finds", () => {
  const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 7 });
  // What precedes the first slash can become a browser's name, which no rule should look for.
  const agents = words.map((found) => `Mozilla/5.0 ${found.join(" ")}`);
  const glued = words.map((found) => `Mozilla/5.0 ${found.join("")}`);
  fc.assert(
    fc.property(fc.oneof(agents, glued), (agent) => {
      expect(deviceOf(agent)).toBe(bowser(agent));
    }),
    { numRuns: 20_000 },
  );
});
