/** Files of their own for parts that the first paint does not need. */
import { useEffect, useState } from "hono/jsx/dom";
import { UI_TEXTS } from "./ui-texts.ts";

/** A part says that it is not there after this time without its file. */
const STALLED_MS = 4000;

type Component<P> = (props: P) => ReturnType<typeof Waiting> | null;

export function lazy<P extends object>(load: () => Promise<Component<P>>): Component<P> {
  let loaded: Component<P> | null = null;
  const get = async () => {
    loaded ??= await load();
  };
  waiting.push(get);
  return (props) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
    useEffect(() => {
      if (loaded !== null || state !== "loading") return;
      // A file that stalls may never fail. It is shown all the same when it comes.
      const timer = setTimeout(() => setState("failed"), STALLED_MS);
      get()
        .then(
          () => setState("loaded"),
          () => setState("failed"),
        )
        .finally(() => clearTimeout(timer));
    }, [state]);
    if (loaded === null)
      return <Waiting has_failed={state === "failed"} onRetry={() => setState("loading")} />;
    const Loaded = loaded;
    return <Loaded {...props} />;
  };
}

/**
 * An import that can be repeated after it failed. Browsers keep a failed import and do not ask for
 * its file again; with a query it is another module. Chromium and Firefox name the file in their
 * error.
 */
export function repeatable<M>(load: () => Promise<M>): () => Promise<M> {
  let loading: Promise<M> | null = null;
  let address: string | null = null;
  let tries = 0;
  const attempt = async (): Promise<M> => {
    try {
      if (address === null) return await load();
      tries += 1;
      return (await import(`${address}?again=${tries}`)) as M;
    } catch (error) {
      loading = null;
      address ??= /https?:\S+\.js/.exec(String(error))?.[0] ?? null;
      throw error;
    }
  };
  // All parts of the file wait for one import: another query would be another copy of it.
  return () => {
    loading ??= attempt();
    return loading;
  };
}

const waiting: (() => Promise<void>)[] = [];

/** Loads all parts now, because the creator may be offline later. */
export function loadAll(): void {
  for (const get of waiting) get().catch(() => {});
}

function Waiting(props: { has_failed: boolean; onRetry: () => void }) {
  if (!props.has_failed) return <p class="editor-loading">{UI_TEXTS.loading}</p>;
  return (
    <p class="editor-loading">
      {UI_TEXTS.not_loaded}{" "}
      <button type="button" class="save-action" onClick={props.onRetry}>
        {UI_TEXTS.retry}
      </button>
    </p>
  );
}
