/** Saving in the editor: whatever happens to requests, nothing that was typed is lost (docs/faults.md F34). */
import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Api, NO_ANSWER } from "../../../src/client/api.ts";
import {
  type Draft,
  draftOf,
  newLink,
  withLink,
  withLinkAt,
} from "../../../src/client/editor/draft.ts";
import {
  Editing,
  KEPT_WITHIN_MS,
  type Ports,
  SAVE_AFTER_MS,
  SAVE_EVERY_MS,
} from "../../../src/client/editor/editing.ts";
import { type LocalDraft, LocalDrafts } from "../../../src/client/editor/local-drafts.ts";
import { arrived, merge, resolved } from "../../../src/client/editor/merge.ts";
import { RELOAD_MS, takeUpDrafts } from "../../../src/client/editor/take-up.ts";
import { FakePages, type Fate, plainSavedPage, savedLink, USER } from "./fake-pages.ts";

const PAGE = plainSavedPage([
  savedLink("a", "الأول"),
  savedLink("b", "الثاني"),
  savedLink("c", "الثالث"),
]);

/** Longer than the shortest pause between two edits, so the creator goes on while a save is under way. */
const LATENCY_MS = 300;

/** One tab: an editor with a clock of its own and the browser's storage. */
class Tab {
  now = 0;
  stored: LocalDraft | null = null;
  /** What the browser says of the storing of a draft. */
  stores: () => Promise<boolean> = async () => true;
  readonly reported: unknown[] = [];
  readonly editing: Editing;
  #timers: { at: number; work: () => void }[] = [];

  /**
   * @param latency_ms of a request, and of its answer
   * @param drafts the browser's storage, where tabs share it
   */
  constructor(service: FakePages, latency_ms = 0, drafts?: Ports["drafts"]) {
    const wait = () =>
      new Promise<void>((resolve) => {
        if (latency_ms === 0) resolve();
        else this.#timers.push({ at: this.now + latency_ms, work: resolve });
      });
    this.editing = new Editing(structuredClone(service.page), {
      api: {
        who: service.who,
        call: async (path, call) => {
          await wait();
          const answer = await service.call(path, call);
          await wait();
          return answer as never;
        },
      },
      user_id: USER,
      drafts: drafts ?? {
        write: (draft) => {
          this.stored = structuredClone(draft);
          return this.stores();
        },
        clear: () => {
          this.stored = null;
        },
        flush: () => {},
      },
      now: () => this.now,
      after: (ms, work) => this.after(ms, work),
      is_online: () => true,
      report: (error) => this.reported.push(error),
    });
  }

  /** Calls `work` after this time of the tab. Returns what prevents it. */
  after(ms: number, work: () => void): () => void {
    const timer = { at: this.now + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  get kind(): string {
    return this.editing.state.saving.kind;
  }

  get timers(): number {
    return this.#timers.length;
  }

  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      await settled();
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.now = Math.max(this.now, next.at);
      next.work();
    }
    this.now = until;
  }
}

/** A service that meets these fates, and an editor of its page. */
function open(fates: Fate[] = []) {
  const service = new FakePages(PAGE);
  service.fates = fates;
  return { service, tab: new Tab(service) };
}

/** Every promise of a call has run. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

const rename = (name: string) => (draft: Draft) => ({ ...draft, name: { ar: name } });
const relabel = (id: string, label: string) => (draft: Draft) =>
  withLink(draft, id, (link) => ({ ...link, label: { ar: label } }));
const moved = (id: string, to: number) => (draft: Draft) => withLinkAt(draft, id, to);
const without = (id: string) => (draft: Draft) => ({
  ...draft,
  links: draft.links.filter(({ link_id }) => link_id !== id),
});

describe("saving", () => {
  it("sends a change a second after the last one, and no earlier", async () => {
    const { service, tab } = open();
    await tab.pass(10_000);
    tab.editing.edit(rename("سا"));
    await tab.pass(SAVE_AFTER_MS - 1);
    tab.editing.edit(rename("سارة ع"));
    await tab.pass(SAVE_AFTER_MS - 1);
    expect(service.saves).toBe(0);
    await tab.pass(1);
    expect(service.page.name).toEqual({ ar: "سارة ع" });
    expect(tab.kind).toBe("saved");
  });

  it("saves at most once in two seconds", async () => {
    const { service, tab } = open();
    for (let i = 0; i < 40; i += 1) {
      tab.editing.edit(rename(`سارة ${i}`));
      await tab.pass(1_500);
    }
    expect(service.saves).toBeLessThanOrEqual((40 * 1_500) / SAVE_EVERY_MS + 1);
    await tab.pass(3_000);
    expect(service.page.name).toEqual({ ar: "سارة 39" });
  });

  it.each([
    ["an address is not one", { url: "javascript:alert(1)" }, "links.a.url", "not_an_address"],
    [
      "a time is none",
      { from: Date.parse("0002-03-29T02:30Z") / 1_000 },
      "links.a.from",
      "not_a_time",
    ],
  ])("saves the other fields while %s yet", async (_, members, path, reason) => {
    const { service, tab } = open();
    const [link] = service.page.links;
    tab.editing.edit((draft) => withLink(draft, "a", (each) => ({ ...each, ...members })));
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(3_000);
    expect(service.page.name).toEqual({ ar: "سارة علي" });
    expect(service.page.links[0]).toEqual(link);
    expect(tab.editing.state.withheld).toEqual(new Map([[path, reason]]));
    expect(tab.editing.has_unsaved).toBe(true);
    expect(tab.stored?.draft.links[0]).toMatchObject(members);
  });

  it("saves an address when the creator leaves its field, not half of it", async () => {
    const { service, tab } = open();
    const type = (url: string) => {
      tab.editing.setTyping("a", true);
      tab.editing.edit((draft) => withLink(draft, "a", (link) => ({ ...link, url })), "url");
    };
    type("https://exa");
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(5_000);
    expect(service.page.name).toEqual({ ar: "سارة علي" });
    expect(service.page.links[0]?.url).toBe("https://a.example/");
    expect(tab.stored?.draft.links[0]?.url).toBe("https://exa");
    expect(tab.editing.has_unsaved).toBe(true);
    type("https://example.org/");
    tab.editing.setTyping("a", false);
    await tab.pass(5_000);
    expect(service.page.links[0]?.url).toBe("https://example.org/");
    expect(tab.editing.has_unsaved).toBe(false);
    type("https://left.example/");
    tab.editing.flush();
    await tab.pass(5_000);
    expect(service.page.links[0]?.url).toBe("https://left.example/");
  });

  it("says that an emptied address is not saved, and a new link without one needs nothing", async () => {
    const { service, tab } = open();
    tab.editing.edit((draft) => ({ ...draft, links: [newLink("link"), ...draft.links] }));
    await tab.pass(3_000);
    expect(tab.editing.has_unsaved).toBe(false);
    tab.editing.edit((draft) => withLink(draft, "a", (link) => ({ ...link, url: "" })));
    await tab.pass(3_000);
    expect(tab.editing.state.withheld.get("links.a.url")).toBe("emptied");
    expect(tab.editing.has_unsaved).toBe(true);
    expect(service.page.links[0]?.url).toBe("https://a.example/");
  });

  it("keeps the row of a new link when its save gives the link its id", async () => {
    const { tab } = open();
    const link = newLink("link", { url: "https://new.example/" });
    tab.editing.edit((draft) => ({ ...draft, links: [link, ...draft.links] }));
    await tab.pass(3_000);
    expect(tab.editing.rowKey("made1")).toBe(link.link_id);
  });

  it("undoes a removal after it was saved, with the same id", async () => {
    const { service, tab } = open();
    tab.editing.edit((draft) => ({ ...draft, links: draft.links.slice(1) }));
    await tab.pass(3_000);
    expect(service.page.links).toHaveLength(2);
    tab.editing.undo();
    await tab.pass(3_000);
    expect(service.page.links.map(({ link_id }) => link_id)).toEqual(["a", "b", "c"]);
  });

  it("does not send anything for a change that was taken back", async () => {
    const { service, tab } = open();
    tab.editing.edit(rename("سا"));
    tab.editing.undo();
    await tab.pass(5_000);
    expect(service.saves).toBe(0);
    expect(tab.kind).toBe("saved");
  });
});

describe("what goes wrong", () => {
  it("repeats a save that an error of our own ended, and reports the error", async () => {
    const { service, tab } = open(["broken"]);
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(SAVE_AFTER_MS);
    expect(tab.kind).toBe("retrying");
    expect(tab.reported).toHaveLength(1);
    await tab.pass(5_000);
    expect(tab.kind).toBe("saved");
    expect(service.saves).toBe(1);
  });

  it("sends again what was taken back after a save that may still arrive, so that it cannot arrive later", async () => {
    const { service, tab } = open(["request_late"]);
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(SAVE_AFTER_MS);
    tab.editing.undo();
    await tab.pass(SAVE_EVERY_MS);
    expect([tab.kind, service.page.name.ar, service.page.version]).toEqual([
      "waiting",
      "سارة علي",
      2,
    ]);
    await tab.pass(SAVE_EVERY_MS);
    expect(tab.kind).toBe("saved");
    service.arriveLate();
    expect([service.page.name.ar, service.page.version]).toEqual(["سارة", 3]);
  });

  it("forgets a save that the service has refused: nothing of it can arrive", async () => {
    const { service, tab } = open(["request_lost", "invalid"]);
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(SAVE_AFTER_MS);
    tab.editing.undo();
    await tab.pass(SAVE_EVERY_MS);
    expect([tab.kind, tab.stored, tab.timers, service.saves]).toEqual(["saved", null, 0, 0]);
  });

  it("waits as long as the limit says", async () => {
    const { service, tab } = open(["busy"]);
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(SAVE_AFTER_MS + 4_999);
    expect(service.saves).toBe(0);
    await tab.pass(1);
    expect(service.saves).toBe(1);
  });

  it("keeps the draft when the session ends, and saves it after signing in again", async () => {
    const service = new FakePages(PAGE);
    service.user_id = null;
    const tab = new Tab(service);
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(5_000);
    expect(tab.kind).toBe("signed_out");
    tab.editing.edit(relabel("a", "متجري"));
    expect(tab.stored?.draft).toEqual(tab.editing.state.draft);
    service.user_id = USER;
    await tab.editing.retry();
    expect(service.page.name).toEqual({ ar: "سارة علي" });
    expect(service.page.links[0]?.label).toEqual({ ar: "متجري" });
    expect(tab.stored).toBeNull();
  });

  it("sends nothing in the name of another user", async () => {
    const service = new FakePages(PAGE);
    service.user_id = null;
    const tab = new Tab(service);
    tab.editing.edit(rename("سارة علي"));
    await tab.pass(5_000);
    service.user_id = "u2";
    await tab.editing.retry();
    expect(tab.kind).toBe("other_user");
    expect(service.saves).toBe(0);
  });

  it("keeps both changes where two tabs change different fields", async () => {
    const { service, tab: one } = open();
    const two = new Tab(service);
    one.editing.edit(rename("سارة علي"));
    two.editing.edit(relabel("b", "متجري"));
    two.editing.edit(moved("c", 0));
    await one.pass(3_000);
    await two.pass(6_000);
    expect(service.page.name).toEqual({ ar: "سارة علي" });
    expect(service.page.links.map(({ link_id }) => link_id)).toEqual(["c", "a", "b"]);
    expect(service.page.links[2]?.label).toEqual({ ar: "متجري" });
  });

  it("asks where two tabs change one field, and loses neither until the creator has chosen", async () => {
    const { service, tab: one } = open();
    const two = new Tab(service);
    one.editing.edit(rename("سارة علي"));
    two.editing.edit(rename("سارة محمد"));
    two.editing.edit(relabel("b", "متجري"));
    await one.pass(3_000);
    await two.pass(3_000);
    const { saving } = two.editing.state;
    expect(saving).toMatchObject({
      kind: "conflict",
      conflicts: [{ path: "name.ar", mine: "سارة محمد", theirs: "سارة علي" }],
    });
    expect(service.page.name).toEqual({ ar: "سارة علي" });
    expect(two.stored?.draft.name).toEqual({ ar: "سارة محمد" });
    two.editing.resolve(new Set(saving.kind === "conflict" ? saving.conflicts : []));
    await two.pass(3_000);
    expect(service.page.name).toEqual({ ar: "سارة علي" });
    expect(service.page.links[1]?.label).toEqual({ ar: "متجري" });
    expect(two.kind).toBe("saved");
  });
});

describe("a draft is said to be kept", () => {
  /** An editor offline, with something typed that the browser stores so. */
  async function typed(stores: () => Promise<boolean>) {
    const { tab } = open(["request_lost", "request_lost"]);
    tab.stores = stores;
    tab.editing.edit(rename("سارة علي"));
    return { tab, kept: () => tab.editing.state.kept };
  }

  it("when the browser has stored all of it, and not while it is storing", async () => {
    const storing: ((is_stored: boolean) => void)[] = [];
    const { tab, kept } = await typed(() => new Promise((resolve) => storing.push(resolve)));
    expect(kept()).toBe("keeping");
    tab.editing.edit(rename("سارة علي أحمد"));
    storing[0]?.(true);
    await settled();
    expect(kept()).toBe("keeping");
    storing[1]?.(true);
    await settled();
    expect(kept()).toBe("kept");
  });

  it("not where the browser refuses it, nor where it has not stored it for two seconds", async () => {
    const refusing = await typed(async () => false);
    await settled();
    expect(refusing.kept()).toBe("not_kept");
    const silent = await typed(() => new Promise(() => {}));
    await silent.tab.pass(KEPT_WITHIN_MS - 1);
    expect(silent.kept()).toBe("keeping");
    await silent.tab.pass(1);
    expect(silent.kept()).toBe("not_kept");
  });
});

describe("drafts that closed tabs left", () => {
  /** What a tab had stored when it was closed. */
  async function left(service: FakePages, edit: (draft: Draft) => Draft): Promise<LocalDraft> {
    const closed = new Tab(service);
    closed.editing.edit(edit);
    const { stored } = closed;
    if (stored === null) throw new Error("nothing is stored");
    return stored;
  }

  it("are all restored, and do not replace what was typed meanwhile", async () => {
    const service = new FakePages(PAGE);
    const drafts = [
      await left(service, rename("سارة علي")),
      await left(service, relabel("a", "متجري")),
    ];
    const tab = new Tab(service);
    tab.editing.edit(relabel("b", "مقالاتي "));
    for (const draft of drafts) expect(tab.editing.restore(draft)).toBe("restored");
    expect(tab.editing.state.draft.links[1]?.label).toEqual({ ar: "مقالاتي " });
    await tab.pass(3_000);
    expect(service.page.name).toEqual({ ar: "سارة علي" });
    expect(service.page.links.map(({ label }) => label.ar)).toEqual(["متجري", "مقالاتي", "الثالث"]);
  });

  it("add no link twice whose save had no answer yet, and bring none back that was removed meanwhile", async () => {
    const service = new FakePages(PAGE);
    const closed = new Tab(service, LATENCY_MS);
    const kept = newLink("link", { url: "https://kept.example/", label: { ar: "جديد" } });
    const removed = newLink("link", { url: "https://removed.example/" });
    closed.editing.edit((draft) => ({ ...draft, links: [kept, removed, ...draft.links] }));
    await closed.pass(SAVE_AFTER_MS + LATENCY_MS);
    expect(service.saves).toBe(1);
    closed.editing.edit(relabel(kept.link_id, "متجري"));
    closed.editing.edit(without(removed.link_id));
    closed.editing.edit(moved("a", 2));
    const next = new Tab(service);
    if (closed.stored !== null) next.editing.restore(closed.stored);
    await next.pass(5_000);
    expect(next.kind).toBe("saved");
    const expected = closed.editing.state.draft.links.map((link) =>
      link.link_id === kept.link_id ? { ...link, link_id: "made1" } : link,
    );
    expect(service.page.links).toEqual(expected);
  });

  it("wait while the creator has a conflict to decide", async () => {
    const service = new FakePages(PAGE);
    const [one, two] = [
      await left(service, rename("سارة علي")),
      await left(service, relabel("a", "متجري")),
    ];
    service.save(rename("سارة محمد"));
    const tab = new Tab(service);
    expect(tab.editing.restore(one)).toBe("restored");
    expect(tab.kind).toBe("conflict");
    expect(tab.editing.restore(two)).toBe("later");
    expect(tab.editing.state.draft.name).toEqual({ ar: "سارة علي" });
  });

  it("do not leave a link on the page that was removed while its save was under way", async () => {
    const service = new FakePages(PAGE);
    const closed = new Tab(service, LATENCY_MS);
    const link = newLink("link", { url: "https://removed.example/" });
    closed.editing.edit((draft) => ({ ...draft, links: [link, ...draft.links] }));
    await closed.pass(SAVE_AFTER_MS);
    closed.editing.edit(without(link.link_id));
    const next = new Tab(service);
    await closed.pass(LATENCY_MS);
    expect(service.page.links).toHaveLength(4);
    if (closed.stored !== null) next.editing.restore(closed.stored);
    await next.pass(5_000);
    expect(service.page.links).toEqual(PAGE.links);
    expect(next.kind).toBe("saved");
  });

  it("are no news where their save has arrived after all", async () => {
    const service = new FakePages(PAGE);
    const draft = await left(service, rename("سارة علي "));
    service.save(rename("سارة علي"));
    const tab = new Tab(service);
    expect(tab.editing.restore(draft)).toBe("saved");
    expect(tab.editing.state.can_undo).toBe(false);
    expect(tab.kind).toBe("saved");
  });
});

describe("a draft is taken up under the lock of its tab", () => {
  /** A browser with the editor in several tabs; closing one ends its lock. */
  class Browser {
    readonly service = new FakePages(PAGE);
    readonly restored: LocalDraft[] = [];
    readonly #name = id();

    constructor() {
      Object.assign(globalThis, { indexedDB: new IDBFactory() });
    }

    drafts(tab: string, { user_id = USER, now = 0 } = {}): LocalDrafts {
      return new LocalDrafts({ user_id, page_id: PAGE.page_id, tab }, () => now);
    }

    /** The tabs with a stored draft. */
    stored(): Promise<string[]> {
      return this.drafts(id()).tabs();
    }

    /** Opens the editor in a tab. */
    open(tab: string): OpenTab {
      const drafts = this.drafts(tab);
      const opened = new OpenTab(this.service, 0, drafts);
      const channel = new BroadcastChannel(this.#name);
      // Otherwise it would keep the process alive.
      (channel as unknown as { unref(): void }).unref();
      void takeUpDrafts({
        editing: opened.editing,
        drafts,
        tab,
        own: null,
        locks: opened.locks,
        channel,
        pause: (ms) => new Promise<void>((resolve) => opened.after(ms, resolve)),
        onRestored: (draft) => this.restored.push(draft),
      });
      return opened;
    }
  }

  /** Its locks end when it is closed, and it takes no other. */
  class OpenTab extends Tab {
    readonly #closed = Promise.withResolvers<void>();
    #is_closed = false;
    readonly locks = {
      query: () => navigator.locks.query(),
      request: (name: string, ...rest: unknown[]) => {
        const work = rest.pop() as (lock: Lock | null) => unknown;
        const [options = {}] = rest as [LockOptions?];
        return navigator.locks.request(name, options, (lock) =>
          this.#is_closed ? null : Promise.race([work(lock), this.#closed.promise]),
        );
      },
    } as Pick<LockManager, "request" | "query">;

    close(): void {
      this.#is_closed = true;
      this.#closed.resolve();
    }
  }

  const id = () => crypto.randomUUID();
  /** Longer than locks take to pass from one to the next on a busy machine. */
  const granted = { timeout: 10_000 };

  const hasStored = (browser: Browser, ...tabs: string[]) =>
    expect.poll(() => browser.stored(), granted).toEqual(tabs);

  /** A tab that is open, with something unsaved. */
  async function unsaved() {
    const browser = new Browser();
    const tab = id();
    const open = browser.open(tab);
    open.editing.edit(rename("سارة علي"));
    await hasStored(browser, tab);
    return { browser, tab, close: () => open.close() };
  }

  /** Another editor waits for the lock of this tab. */
  const isAwaited = (tab: string) =>
    expect
      .poll(
        async () => ((await navigator.locks.query()).pending ?? []).map(({ name }) => name),
        granted,
      )
      .toContain(`sila-editor:${PAGE.page_id}:${tab}`);

  const isRestored = (browser: Browser) =>
    expect.poll(() => browser.restored.length, granted).toBe(1);
  /** Its editor has seen the release of a lock. */
  const hasSeenRelease = (tab: Tab) => expect.poll(() => tab.timers, granted).toBe(1);

  it("for the user who typed it alone, and for thirty days", async () => {
    const { browser, tab } = await unsaved();
    const next = (user_id?: string, days = 0) =>
      browser.drafts(id(), { user_id, now: days * 86_400_000 }).tabs();
    expect(await next("somebody else")).toEqual([]);
    expect(await next(USER, 30)).toEqual([tab]);
    expect(await next(USER, 30.01)).toEqual([]);
    expect(await next()).toEqual([]);
  });

  it("at once where the tab is closed, as one step that can be undone", async () => {
    const { browser, close } = await unsaved();
    close();
    const next = browser.open(id());
    await isRestored(browser);
    expect(next.editing.state.draft.name).toEqual({ ar: "سارة علي" });
    await next.pass(3_000);
    expect(browser.service.page.name).toEqual({ ar: "سارة علي" });
    await hasStored(browser);
    next.editing.undo();
    expect(next.editing.state.draft.name).toEqual(PAGE.name);
    expect(next.editing.state.can_undo).toBe(false);
  });

  it("when the lock of a closed tab is released later, and never before that", async () => {
    const { browser, tab, close } = await unsaved();
    const next = browser.open(id());
    await isAwaited(tab);
    await next.pass(10 * RELOAD_MS);
    expect(next.editing.state.draft.name).toEqual(PAGE.name);
    // Saved by the other tab before it was closed, and not known here.
    browser.service.save(relabel("b", "متجري"));
    close();
    await hasSeenRelease(next);
    await next.pass(RELOAD_MS);
    await isRestored(browser);
    expect(next.kind).not.toBe("conflict");
    expect(next.editing.state.draft.name).toEqual({ ar: "سارة علي" });
    expect(next.editing.state.draft.links[1]?.label).toEqual({ ar: "متجري" });
    next.editing.undo();
    expect(next.editing.state.draft.name).toEqual(PAGE.name);
    expect(next.editing.state.draft.links[1]?.label).toEqual({ ar: "متجري" });
    expect(next.editing.state.can_undo).toBe(false);
  });

  it.each(["earlier", "later"])(
    "when a tab is closed that was opened %s and had nothing unsaved then",
    async (when) => {
      const browser = new Browser();
      const [tab, own] = [id(), id()];
      const open = () => browser.open(tab);
      const earlier = when === "earlier" ? open() : null;
      const next = browser.open(own);
      const other = earlier ?? open();
      await isAwaited(tab);
      other.editing.edit(rename("سارة علي"));
      await hasStored(browser, tab);
      other.close();
      await hasSeenRelease(next);
      await next.pass(RELOAD_MS);
      await isRestored(browser);
      expect(next.editing.state.draft.name).toEqual({ ar: "سارة علي" });
    },
  );

  it("and until it has been read, nothing is called saved", async () => {
    const { editing } = new Tab(new FakePages(PAGE));
    const reading = Promise.withResolvers<null>();
    const taking = takeUpDrafts({
      editing,
      own: null,
      drafts: {
        tabs: async () => [],
        read: () => reading.promise,
        forget: async () => {},
        begin: () => {},
        stored: async () => true,
      },
      tab: "own",
      locks: undefined,
      channel: { onmessage: null, postMessage: () => {} },
      pause: async () => {},
      onRestored: () => {},
    });
    await new Promise(setImmediate);
    expect(editing.state.is_opening).toBe(true);
    reading.resolve(null);
    await taking;
    expect(editing.state.is_opening).toBe(false);
  });

  it("after a conflict that the creator has to decide first", async () => {
    const { browser, close } = await unsaved();
    const next = browser.open(id());
    browser.service.save(relabel("b", "من هاتف آخر"));
    next.editing.edit(relabel("b", "متجري"));
    await next.pass(3_000);
    expect(next.kind).toBe("conflict");
    close();
    await hasSeenRelease(next);
    await next.pass(RELOAD_MS);
    await settled();
    expect(next.editing.state.draft.name).toEqual(PAGE.name);
    next.editing.resolve(new Set());
    await isRestored(browser);
    expect(next.editing.state.draft.name).toEqual({ ar: "سارة علي" });
  });

  it.each([
    ["when the editor that has it has stored it", true],
    ["not where that cannot be stored", false],
  ])("and its entry is deleted %s", async (_, is_stored) => {
    const left = new Tab(new FakePages(PAGE));
    left.editing.edit(rename("سارة علي"));
    const { editing } = new Tab(new FakePages(PAGE));
    const [storing, restored] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()];
    const forgotten: string[] = [];
    const taking = takeUpDrafts({
      editing,
      own: null,
      drafts: {
        tabs: async () => ["closed"],
        read: async (tab) => (tab === "closed" ? left.stored : null),
        forget: async (tab) => void forgotten.push(tab),
        begin: () => {},
        stored: () => storing.promise,
      },
      tab: "own",
      locks: undefined,
      channel: { onmessage: null, postMessage: () => {} },
      pause: async () => {},
      onRestored: () => restored.resolve(),
    });
    await restored.promise;
    expect(forgotten).toEqual([]);
    storing.resolve(is_stored);
    await taking;
    expect(forgotten).toEqual(is_stored ? ["closed"] : []);
  });

  it("by the tab itself where it is reloaded, although another editor waits for it", async () => {
    const { browser, tab, close } = await unsaved();
    const next = browser.open(id());
    await isAwaited(tab);
    close();
    await hasSeenRelease(next);
    const reloaded = browser.open(tab);
    await isRestored(browser);
    expect(reloaded.editing.state.draft.name).toEqual({ ar: "سارة علي" });
    await next.pass(RELOAD_MS);
    await isAwaited(tab);
    expect(next.editing.state.draft.name).toEqual(PAGE.name);
    expect(browser.restored).toHaveLength(1);
  });

  it("by one editor alone, where two are opened at once", async () => {
    const { browser, close } = await unsaved();
    close();
    const tabs = [browser.open(id()), browser.open(id())];
    await isRestored(browser);
    await expect
      .poll(async () => {
        for (const tab of tabs) await tab.pass(RELOAD_MS);
        return browser.stored();
      }, granted)
      .toEqual([]);
    expect(browser.restored).toHaveLength(1);
    expect(browser.service.saves).toBe(1);
  });
});

it("keeps a text as it stands in its field when a change of another tab is merged", async () => {
  const { service, tab } = open();
  service.save(relabel("a", "من هاتف آخر"));
  tab.editing.edit(rename("سارة "));
  tab.editing.edit(relabel("b", "متجر "));
  await tab.pass(6_000);
  expect(tab.editing.state.draft.name).toEqual({ ar: "سارة " });
  expect(tab.editing.state.draft.links.map(({ label }) => label.ar)).toEqual([
    "من هاتف آخر",
    "متجر ",
    "الثالث",
  ]);
  expect(tab.kind).toBe("saved");
});

it("saves again when a page that was gone is back", async () => {
  const { service, tab } = open(["gone"]);
  tab.editing.edit(rename("سارة علي"));
  await tab.pass(3_000);
  expect(tab.kind).toBe("gone");
  await tab.editing.retry();
  expect(service.page.name).toEqual({ ar: "سارة علي" });
});

describe("the API's client", () => {
  const ours = (body: object, status = 200) =>
    Response.json(body, { status, headers: { "X-API-Version": "3" } });
  /** Answers a wrong token with 403, and says who is signed in. */
  const ask = (signed_in: string, calls: string[]) => async (path: unknown, init?: RequestInit) => {
    if (path === "/api/auth/session") {
      return ours({ ok: true, user: { id: signed_in }, csrf_token: "new" });
    }
    const token = new Headers(init?.headers).get("X-CSRF-Token");
    if (token !== "new") return ours({ ok: false, code: "CSRF_REQUIRED" }, 403);
    calls.push(String(path));
    return ours({ ok: true });
  };

  const PORTAL = "<!DOCTYPE html><title>Welcome to the network</title>";

  it.each<[string, () => Response]>([
    ["an empty 200", () => new Response("")],
    ["an empty 204", () => new Response(null, { status: 204 })],
    ["a portal's page", () => new Response(PORTAL, { headers: { "Content-Type": "text/html" } })],
    ["somebody else's JSON", () => Response.json({ ok: true, page: {} })],
    ["our header without our body", () => new Response("", { headers: { "X-API-Version": "3" } })],
    ["half of our body", () => new Response('{"ok":tr', { headers: { "X-API-Version": "3" } })],
    [
      "another version of the interface",
      () => Response.json({ ok: true }, { headers: { "X-API-Version": "4" } }),
    ],
    ...[400, 401, 403, 404, 410, 412, 413, 429, 502].map((status): [string, () => Response] => [
      `a proxy's empty ${status}`,
      () => new Response("", { status }),
    ]),
    [
      "a 404 that only looks like ours",
      () => Response.json({ ok: false, code: "PAGE_NOT_FOUND" }, { status: 404 }),
    ],
    [
      "our word that If-Match was taken off on the way",
      () => ours({ ok: false, code: "PRECONDITION_REQUIRED" }, 428),
    ],
    [
      "our word that the body did not arrive whole",
      () => ours({ ok: false, code: "INVALID_JSON" }, 400),
    ],
  ])("takes %s for no answer", async (_, answer) => {
    const api = new Api("ar", "token", USER, async () => answer());
    expect(await api.call("/api/me/pages/p1", { method: "PUT" })).toEqual(NO_ANSWER);
  });

  it("repeats a call with the token of a new session of the same user", async () => {
    const calls: string[] = [];
    const api = new Api("ar", "old", USER, ask(USER, calls));
    expect(await api.call("/api/me/pages", { method: "POST" })).toMatchObject({ ok: true });
    expect(calls).toEqual(["/api/me/pages"]);
  });

  it("does not repeat a call in the name of another user (S5)", async () => {
    const calls: string[] = [];
    const api = new Api("ar", "old", USER, ask("u2", calls));
    const answer = await api.call("/api/me/pages", { method: "POST" });
    expect(answer).toMatchObject({ ok: false, status: 401, code: "OTHER_USER" });
    expect(calls).toEqual([]);
  });
});

const FATES: readonly Fate[] = [
  "answered",
  "broken",
  "request_late",
  "request_lost",
  "answer_lost",
  "signed_out",
  "busy",
  "down",
];

type Step =
  | { do: "name"; text: string }
  | { do: "label"; at: number; text: string }
  | { do: "add"; at: number }
  | { do: "remove"; at: number }
  | { do: "move"; at: number; to: number }
  | { do: "undo" }
  | { do: "pass"; ms: number }
  | { do: "fate"; fate: Fate }
  | { do: "arrive" }
  | { do: "elsewhere"; at: number; text: string }
  | { do: "reopen" };

const text = fc.constantFrom("أ", "ب ", " متجر", "x", "١٢٣", "");
const at = fc.nat(6);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("name" as const), text }),
  fc.record({ do: fc.constant("label" as const), at, text }),
  fc.record({ do: fc.constant("add" as const), at }),
  fc.record({ do: fc.constant("remove" as const), at }),
  fc.record({ do: fc.constant("move" as const), at, to: at }),
  fc.record({ do: fc.constant("undo" as const) }),
  fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(200, 1_000, 2_500, 9_000) }),
  fc.record({ do: fc.constant("fate" as const), fate: fc.constantFrom(...FATES) }),
  fc.record({ do: fc.constant("arrive" as const) }),
  fc.record({ do: fc.constant("elsewhere" as const), at, text }),
  fc.record({ do: fc.constant("reopen" as const) }),
);

/** What random steps found once, after many runs. */
const FOUND: [Step[]][] = [
  // A tab is closed before the answer to the save of a new link, which has another label by then.
  [
    [
      { do: "add", at: 0 },
      { do: "pass", ms: 1_000 },
      { do: "pass", ms: 200 },
      { do: "pass", ms: 200 },
      { do: "label", at: 0, text: "أ" },
      { do: "move", at: 0, to: 1 },
      { do: "reopen" },
    ],
  ],
  // The answer to the save of an undone removal is lost, and the link has another label when the tab is closed.
  [
    [
      { do: "remove", at: 0 },
      { do: "pass", ms: 2_500 },
      { do: "undo" },
      { do: "fate", fate: "answer_lost" },
      { do: "pass", ms: 1_500 },
      { do: "label", at: 0, text: "أ" },
      { do: "reopen" },
    ],
  ],
];

function change(tab: Tab, step: Step, n: number): void {
  const { links } = tab.editing.state.draft;
  const id = "at" in step ? (links[step.at]?.link_id ?? "") : "";
  const edit = tab.editing.edit.bind(tab.editing);
  if (step.do === "name") edit(rename(`سارة ${step.text}`), "name");
  if (step.do === "label") edit(relabel(id, `${step.text}${n}`));
  if (step.do === "move") edit(moved(id, step.to));
  if (step.do === "undo") tab.editing.undo();
  if (step.do === "remove") edit(without(id));
  if (step.do === "add") {
    const link = newLink("link", { url: `https://n${n}.example/`, label: { ar: `جديد ${n}` } });
    edit((draft) => ({
      ...draft,
      links: [...draft.links.slice(0, step.at), link, ...draft.links.slice(step.at)],
    }));
  }
}

/** The labels by address that were typed here last, where neither an undo nor an edit elsewhere came later. */
class Typed {
  readonly labels = new Map<string, string>();

  note(tab: Tab, before: Draft, step: Step): void {
    const { links } = tab.editing.state.draft;
    if (step.do === "undo") this.labels.clear();
    for (const url of this.labels.keys()) {
      if (!links.some((link) => link.url === url)) this.labels.delete(url);
    }
    if (step.do !== "label" && step.do !== "add") return;
    for (const link of links) {
      const old = before.links.find(({ link_id }) => link_id === link.link_id);
      if (old?.label.ar !== link.label.ar)
        this.labels.set(link.url ?? "", (link.label.ar ?? "").trim());
    }
  }
}

it("has on the service what is on the screen, after any edits, losses and edits elsewhere", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), async (steps) => {
      const service = new FakePages(structuredClone(PAGE));
      const typed = new Typed();
      let tab = new Tab(service, LATENCY_MS);
      // A new link that was edited elsewhere before its save was answered cannot be told from another's.
      let is_known = true;
      /** Links that were edited elsewhere: of nothing else is a creator asked. */
      const elsewhere = new Set<string>();
      for (const [n, step] of steps.entries()) {
        if (step.do === "pass") await tab.pass(step.ms);
        else if (step.do === "fate") service.fates.push(step.fate);
        else if (step.do === "arrive") service.arriveLate();
        else if (step.do === "elsewhere") {
          const { link_id: id, url } = service.page.links[step.at] ?? { link_id: "", url: "" };
          typed.labels.delete(url ?? "");
          if (!PAGE.links.some(({ link_id }) => link_id === id)) is_known = false;
          elsewhere.add(id);
          service.save(relabel(id, `هناك ${step.text}${n}`.trim()));
        } else if (step.do === "reopen") {
          const { stored } = tab;
          await tab.pass(0);
          tab = new Tab(service, LATENCY_MS);
          if (stored !== null) tab.editing.restore(stored);
        } else {
          const before = tab.editing.state.draft;
          change(tab, step, n);
          typed.note(tab, before, step);
        }
        const { saving } = tab.editing.state;
        for (const { path } of saving.kind === "conflict" ? saving.conflicts : []) {
          expect(elsewhere).toContain(path.split(".")[1]);
        }
        if (tab.editing.has_unsaved && tab.kind !== "sending") expect(tab.stored).not.toBeNull();
      }
      service.fates = [];
      for (let i = 0; i < 20 && (tab.editing.has_unsaved || tab.kind !== "saved"); i += 1) {
        const { saving } = tab.editing.state;
        if (saving.kind === "conflict") tab.editing.resolve(new Set());
        void tab.editing.retry();
        await tab.pass(40_000);
      }
      void tab.editing.refresh();
      await tab.pass(5_000);
      expect(tab.kind).toBe("saved");
      // What is called saved stays so.
      service.arriveLate();
      const cleaned = (page: Draft) =>
        page.links.map(({ link_id, label, url }) => [link_id, (label.ar ?? "").trim(), url]);
      expect(cleaned(service.page)).toEqual(cleaned(tab.editing.state.draft));
      const addresses = service.page.links.map(({ url }) => url);
      if (is_known) expect(addresses).toEqual([...new Set(addresses)]);
      expect(service.page.name.ar).toBe(tab.editing.state.draft.name.ar?.trim());
      for (const [url, label] of typed.labels) {
        const labels = service.page.links.filter((link) => link.url === url);
        expect(labels.map((link) => link.label.ar ?? "")).toContain(label);
      }
      expect(tab.stored).toBeNull();
      expect(tab.reported.every((error) => error instanceof TypeError)).toBe(true);
      expect(tab.timers).toBe(0);
    }),
    { numRuns: 2_000, examples: FOUND },
  );
}, 60_000);

describe("a merge", () => {
  const draft = draftOf(PAGE);
  const editsOf = (...ids: string[]) => {
    const id = fc.constantFrom(...ids);
    return fc.array(
      fc.oneof(
        text.map((words) => rename(`سارة ${words}`)),
        fc.tuple(id, text).map(([of, words]) => relabel(of, words)),
        fc.tuple(id, at).map(([of, to]) => moved(of, to)),
        id.map(without),
      ),
      { maxLength: 4 },
    );
  };
  const edits = editsOf("a", "b", "c");
  const edited = edits.map((list) => list.reduce((of, edit) => edit(of), draft));

  it("with a side that changed nothing is the other side", () => {
    fc.assert(
      fc.property(edited, (other) => {
        expect(merge(draft, draft, other)).toEqual({ draft: other, conflicts: [] });
        expect(merge(draft, other, draft)).toEqual({ draft: other, conflicts: [] });
        expect(merge(draft, other, other)).toEqual({ draft: other, conflicts: [] });
      }),
    );
  });

  it("keeps my later changes where somebody else's page has earlier ones of mine", () => {
    const applied = (of: Draft, list: ((page: Draft) => Draft)[]) =>
      list.reduce((page, edit) => edit(page), of);
    const own = editsOf("a", "b");
    fc.assert(
      fc.property(own, own, text, (first, later, words) => {
        const sent = applied(draft, first);
        const [mine, theirs] = [applied(sent, later), relabel("c", `هناك ${words}`)(sent)];
        const { base } = arrived(draft, [draft, sent], theirs);
        expect(merge(base, mine, theirs)).toEqual(merge(sent, mine, theirs));
      }),
    );
  });

  it("has the values of the side that the creator chooses for every conflict", () => {
    fc.assert(
      fc.property(edited, edited, (mine, theirs) => {
        const { draft: merged, conflicts } = merge(draft, mine, theirs);
        const chosen = conflicts.reduce(
          (of, conflict) => resolved(of, conflict, conflict.theirs),
          merged,
        );
        const other = merge(draft, theirs, mine);
        const byId = (of: Draft) => new Map(of.links.map((link) => [link.link_id, link]));
        expect(byId(chosen)).toEqual(byId(other.draft));
        expect(chosen.name).toEqual(other.draft.name);
      }),
    );
  });
});
