/** Signed-in pages that are rarely opened are drawn here, so that the first Worker starts without them. */

import { StartPage } from "../authoring/editor/start-page.tsx";
import { SubscribersPage } from "../blocks/newsletter/subscribers-page.tsx";
import { TipsPage } from "../blocks/tips/tips-page.tsx";
import { WalletPage } from "../blocks/tips/wallet-page.tsx";
import { WebhooksPage } from "../blocks/webhooks/webhooks-page.tsx";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { NotificationsPage } from "../dashboard/notifications-page.tsx";
import { ErrorPage, ErrorsPage } from "../operate/errors-page.tsx";
import { OverviewPage } from "../operate/overview-page.tsx";
import { PagePage, PagesPage } from "../operate/pages-page.tsx";
import { BUILD } from "../views/build.ts";

const PAGES = {
  overview: OverviewPage,
  errors: ErrorsPage,
  error: ErrorPage,
  pages: PagesPage,
  page: PagePage,
  notifications: NotificationsPage,
  start: StartPage,
  subscribers: SubscribersPage,
  tips: TipsPage,
  wallet: WalletPage,
  webhooks: WebhooksPage,
};

type Pages = typeof PAGES;

/** An RPC carries the URL as its href. */
export type SentFrame = Omit<Frame, "url"> & { address: string };

export type Drawing = {
  [Name in keyof Pages]: [
    name: Name,
    props: Omit<Parameters<Pages[Name]>[0], "frame" | keyof Frame>,
  ];
}[keyof Pages];

/** The whole HTML. Throws for a caller of another build: its properties and files may differ. */
export function drawPage(
  build: string,
  { address, ...sent }: SentFrame,
  [name, props]: Drawing,
): string {
  if (build !== BUILD) throw new Error(`the build ${build} asks ${BUILD} for a page`);
  const frame: Frame = { ...sent, url: new URL(address) };
  // A page takes the frame as one property, or each of its properties.
  const Page = PAGES[name] as (props: Drawing[1] & Frame & { frame: Frame }) => unknown;
  return `<!DOCTYPE html>${Page({ ...props, ...frame, frame })}`;
}
