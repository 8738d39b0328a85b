/**
 * The kind of device by its user agent. The rules and their order are those of Bowser 2.15 (MIT licence, Dustin
 * Diaz and Denis Demchenko), with which tests compare them: the library also finds names and versions, which
 * nobody here reads, and has 34 KB for them.
 */

export type Device = "mobile" | "tablet" | "desktop" | "tv" | "bot";

const BOT =
  /googlebot|linespider|amazonbot|gptbot|chatgpt-user|oai-searchbot|baiduspider|bingbot|duckduckbot|claudebot|claude-(?:web|user|searchbot)|omgilibot|webzio-extended|diffbot|perplexity(?:bot|-user)|youbot|ia_archiver|meta-(?:webindexer|external(?:ads|agent|fetcher))|facebook(?:externalhit|catalog)|slackbot|slack-imgproxy|yahoo|yandex(?:mobile)?bot|pingdom/i;
const TABLET = /nexus\s*(?:[789]|10)|ipad|kftt build|silk|tablet(?! pc)/i;
const APPLE_PHONE = /ipod|iphone/i;
const LIKE_APPLE_PHONE = /like (?:ipod|iphone)/i;
const PHONE = /nexus\s*[0-6]|galaxy nexus|nokia|[^-]mobi/i;
const TV = /smart-?tv|netcast/i;

const BLACKBERRY = /blackberry|\bbb\d|rim\stablet/i;
const WEBOS = /(?:web|hpw)[o0]s/i;
const BADA = /bada/i;
/** Browsers that come before the names of telephones and do not tell what they run on. */
const OTHER_BROWSER =
  /opera|opr\/|opios|opt\/\d.?_?\d|coast|samsungbrowser|whale|palemoon|heytapbrowser|vivobrowser|mzbrowser|focus|swing|yabrowser|ucbrowser|maxthon|mxios|epiphany|puffin|sleipnir|k-meleon|micromessenger|qqbrowser|msie|trident|\sedg\/|edg(?:[ea]|ios)\/|vivaldi|seamonkey|sailfish|phantom|slimerjs/i;

/** The first system that matches decides; most say nothing. */
const SYSTEMS: readonly (readonly [RegExp, Device | "android" | undefined])[] = [
  [/Roku\/DVP/, "tv"],
  [/windows phone/i, undefined],
  [/windows /i, "desktop"],
  [/macintosh/i, "desktop"],
  [APPLE_PHONE, undefined],
  [/OpenHarmony/i, undefined],
  [/^(?![\s\S]*like android)[\s\S]*android/i, "android"],
  [WEBOS, undefined],
  [BLACKBERRY, undefined],
  [BADA, undefined],
  [/tizen/i, undefined],
  [/linux/i, "desktop"],
  [/CrOS/, undefined],
  [/PlayStation 4/, "tv"],
];

/** The first Android for tablets. Phones have said that they are mobile ever since. */
const TABLET_ANDROID = 3;

export function deviceOf(user_agent: string): Device | undefined {
  if (BOT.test(user_agent)) return "bot";
  if (/huawei/i.test(user_agent)) return "mobile";
  if (TABLET.test(user_agent) || isFirefoxOnIpad(user_agent)) return "tablet";
  if (APPLE_PHONE.test(user_agent) && !LIKE_APPLE_PHONE.test(user_agent)) return "mobile";
  if (PHONE.test(user_agent) || isOldPhone(user_agent)) return "mobile";
  const device = SYSTEMS.find(([words]) => words.test(user_agent))?.[1];
  if (device === "android") {
    const [, version] = /android[\s/-](\d+)/i.exec(user_agent) ?? [];
    return Number(version) >= TABLET_ANDROID ? "tablet" : "mobile";
  }
  return TV.test(user_agent) ? "tv" : device;
}

/** Such a Firefox says that it runs on a Mac. Not one expression, which could take cubic time. */
function isFirefoxOnIpad(user_agent: string): boolean {
  const mac = user_agent.indexOf("Macintosh");
  const firefox = mac === -1 ? -1 : user_agent.indexOf(" FxiOS", mac);
  return firefox !== -1 && user_agent.includes("/", firefox);
}

function isOldPhone(user_agent: string): boolean {
  if (!BLACKBERRY.test(user_agent) && !BADA.test(user_agent)) return false;
  if (OTHER_BROWSER.test(user_agent)) return false;
  return BLACKBERRY.test(user_agent) || !WEBOS.test(user_agent);
}
