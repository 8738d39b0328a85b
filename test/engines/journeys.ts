/**
 * What a creator does, once with each engine: one profile signs in, makes a page, sees its clicks live and uses the
 * forms of a demo page.
 *
 * Signing in does not go through the proxy, whose address the account hub does not know. So all engines are one sender
 * there, and come one after the other: sign-in is limited to ten requests in a minute.
 */

import { TIP_PATH } from "../../src/pages/document/tip-address.ts";
import type { BreakingProxy, Request } from "../browser/breaking-proxy.ts";
import { freshAddress, type Service, settledCounts } from "../browser/browser-kit.ts";
import { type Engine, pointOf, type Tab, until, untilIn } from "./engine.ts";

/** Of the invented people, the one who may have a page from each engine. */
const CREATOR = "demo-business";
const LINKS_PASTED = 2;
/** Longer than the time in which the address of a page is proposed, and its draft saved. */
const TYPED_DEADLINE_MS = 20_000;

interface Journey {
  service: Service;
  proxy: BreakingProxy;
  engine: Engine;
  tab: Tab;
  path: string;
  page_id: string;
}

/** Runs the journeys and names each that failed, with the reason; the next ones may need it. */
export async function travel(
  places: Pick<Journey, "service" | "proxy" | "engine">,
): Promise<Record<string, string | null>> {
  const journey: Journey = { ...places, tab: await places.engine.open(), path: "", page_id: "" };
  const outcomes: Record<string, string | null> = {};
  try {
    for (const [name, go] of Object.entries(JOURNEYS)) {
      outcomes[name] = await go(journey).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    }
  } finally {
    await journey.tab.close();
  }
  return outcomes;
}

const JOURNEYS: Readonly<Record<string, (journey: Journey) => Promise<void>>> = {
  "the first minute": firstMinute,
  "the dashboard, live": dashboard,
  "the tip form, answer lost": tip,
  "the newsletter form": newsletter,
};

async function click(tab: Tab, selector: string): Promise<void> {
  await untilIn(
    tab,
    `document.querySelector(${JSON.stringify(`${selector}:enabled, a${selector}`)})`,
  );
  await tab.press("mouse", await pointOf(tab, selector));
}

async function firstMinute(journey: Journey): Promise<void> {
  const { service, engine, tab } = journey;
  await tab.load(`${service.origin}/en`);
  await click(tab, 'form[action="/dashboard/new"] button');
  await click(tab, `button[value="${CREATOR}"]`);
  await pressField(tab, "#name");
  await tab.type(`Walks in ${engine.name}`);
  await untilIn(tab, 'document.querySelector("#slug").value !== ""');
  await click(tab, "#start button[type=submit]");
  await untilIn(tab, 'document.querySelector(".add-links textarea")');
  await tab.evaluate(
    pasting(`Tapes ${address(service, "tapes")}\nWalks ${address(service, "walks")}`),
  );
  await untilIn(tab, `document.querySelectorAll("[data-row]").length === ${LINKS_PASTED}`);
  await click(tab, ".steps-foot .primary");
  await untilIn(tab, 'document.querySelector(".tile")');
  await tab.press("mouse", await pointOf(tab, ".tile:nth-of-type(2)"));
  await click(tab, ".steps-foot .primary");
  await untilIn(tab, 'document.querySelector("dialog.share a.share-shown")');
  const shared = await tab.evaluate<string>('document.querySelector("a.share-shown").href');
  journey.path = new URL(shared).pathname;
  const link = await visit(journey);
  const [, , page_id = "", link_id = ""] = link.split("/");
  journey.page_id = page_id;
  const counts = await settledCounts(service, page_id, 2);
  const seen = JSON.stringify(counts);
  const right = JSON.stringify({ [`click human ${link_id}`]: 1, "view human": 1 });
  if (seen !== right) throw new Error(`counted ${seen}, not ${right}`);
}

const address = ({ outside_port }: Service, what: string) =>
  `http://127.0.0.1:${outside_port}/journey/${what}`;

async function pressField(tab: Tab, selector: string): Promise<void> {
  await untilIn(tab, `document.querySelector(${JSON.stringify(selector)})`);
  await tab.press("mouse", await pointOf(tab, selector));
  await untilIn(tab, `document.activeElement.matches(${JSON.stringify(selector)})`);
}

/** The clipboards of these engines are filled differently; the event is the same. */
function pasting(text: string): string {
  return `(() => {
    const data = ${JSON.stringify(text)};
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", data);
    // Firefox reads "data" and "dataType", the others "clipboardData".
    const content = { clipboardData, data, dataType: "text/plain" };
    const paste = new ClipboardEvent("paste", { ...content, bubbles: true, cancelable: true });
    document.querySelector(".add-links textarea").dispatchEvent(paste);
  })()`;
}

async function visit({ proxy, engine, path }: Journey): Promise<string> {
  proxy.reset(freshAddress());
  const tab = await engine.open();
  try {
    // Published just now: the edge may not know the page yet.
    await until("the page", async () => (await fetch(proxy.origin + path)).status === 200);
    await tab.load(proxy.origin + path);
    await proxy.quiet();
    const at = await pointOf(tab, "a.link");
    const link = await tab.evaluate<string>('document.querySelector("a.link").pathname');
    await tab.press("mouse", at);
    await untilIn(tab, 'location.pathname.startsWith("/journey/")');
    return link;
  } finally {
    await tab.close();
  }
}

async function dashboard(journey: Journey): Promise<void> {
  const { service, tab, page_id } = journey;
  await tab.load(`${service.origin}/dashboard/${page_id}?lang=en`);
  await untilIn(tab, `document.querySelector('[data-live-state="live"]')`);
  await untilIn(tab, `document.querySelector('[data-exact="exact"]')`);
  const shows = (clicks: number) =>
    untilIn(
      tab,
      `document.querySelector('[data-live="clicks"]').textContent.trim() === "${clicks}"`,
    );
  await shows(1);
  await visit(journey);
  await shows(2);
}

/** The answer to a tip is lost. Whoever opens its page again is told that it was sent. */
async function tip({ service, proxy, tab }: Journey): Promise<void> {
  const before = await transfers(service);
  proxy.reset(freshAddress());
  const isTip = ({ method, path }: Request) => method === "POST" && path.startsWith(TIP_PATH);
  proxy.rule = (request) => (isTip(request) ? { end: "lose" } : undefined);
  // Cookies do not know ports: the creator is signed in here, too.
  await tab.load(`${proxy.origin}/demo-en`);
  await click(tab, `form[action^="${TIP_PATH}"] button`);
  await untilIn(tab, `document.querySelector('[data-step="confirm"]')`);
  const address = await tab.evaluate<string>("location.href");
  await click(tab, `form[action^="${TIP_PATH}"] button`);
  await until("a lost answer", () => proxy.requests.some(isTip));
  await proxy.quiet();
  proxy.rule = () => undefined;
  await tab.load(address);
  await untilIn(tab, `document.querySelector('[data-step="sent"]')`);
  const sent = (await transfers(service)) - before;
  if (sent !== 1) throw new Error(`${sent} tips were sent`);
}

async function transfers({ hub }: Service): Promise<number> {
  const books = (await hub.control("GET", "/books")) as { transfers: { user_id: string }[] };
  return books.transfers.filter(({ user_id }) => user_id === CREATOR).length;
}

async function newsletter({ service, engine, tab }: Journey): Promise<void> {
  const email = `${engine.name.toLowerCase()}@example.com`;
  await tab.load(`${service.origin}/demo-en`);
  await pressField(tab, 'input[name="email"]');
  await tab.type(email);
  await tab.press("enter", { x: 0, y: 0 });
  await untilIn(tab, 'location.pathname !== "/demo-en" && document.readyState === "complete"');
  const mailbox = new URL(`/mailbox?to=${encodeURIComponent(email)}`, service.hub.url);
  const hasMail = async () => (await (await fetch(mailbox)).text()).includes('class="mails"');
  await until(`a mail to ${email}`, hasMail, TYPED_DEADLINE_MS);
}
