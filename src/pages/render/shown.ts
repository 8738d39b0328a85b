import type { FC } from "hono/jsx";
import type { Locale } from "../../views/locale.ts";
import type { Destination } from "../document/destination.ts";
import type { Link, PageDocument } from "../document/page-document.ts";

export type ShownPage = PageDocument & {
  page_id: string;
  slug: string;
  status: "draft" | "published" | "suspended";
};

export interface Shown {
  page: ShownPage;
  locale: Locale;
  /** Unix milliseconds. */
  now: number;
  /** The owner is not counted, so links lead directly to their addresses. */
  is_preview: boolean;
  RenderedEntry?: FC<EntryProps>;
}

export interface Entry extends Omit<Link, "url"> {
  /** Null for a heading, a text or a block. */
  destination: Destination | null;
}

export interface EntryProps {
  shown: Shown;
  entry: Entry;
  is_lazy: boolean;
}

export type BlockProps = Omit<EntryProps, "is_lazy">;
