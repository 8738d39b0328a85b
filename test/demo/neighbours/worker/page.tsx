import type { Child } from "hono/jsx";

export function Page(props: { title: string; children?: Child }) {
  return (
    <html lang="ar" dir="rtl">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{props.title}</title>
        <link rel="stylesheet" href="/page.css" />
      </head>
      <body>
        <main>{props.children}</main>
      </body>
    </html>
  );
}

export function Refusal() {
  return (
    <Page title="طلب مرفوض · Refused">
      <h1>
        طلب مرفوض
        <En>Refused</En>
      </h1>
      <p>
        يقود هذا العنوان إلى موقع آخر، أو جاء الطلب من صفحة ليست لنا.
        <En>This leads to another site, or was sent by a page that is not ours.</En>
      </p>
    </Page>
  );
}

export function En(props: { children?: Child }) {
  return (
    <span class="en" lang="en" dir="ltr">
      {props.children}
    </span>
  );
}

export const STYLE = `
:root { color-scheme: light dark; --ground: #f6f4f0; --surface: #fff; --ink: #23201c; --quiet: #635c52; --line: #d9d3c8; --accent: #7a3f1d; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #191714; --surface: #24211d; --ink: #f2eee7; --quiet: #b9b0a2; --line: #3d3831; --accent: #f0b48c; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink); font: 1.0625rem/1.8 system-ui, "Noto Sans Arabic", "DejaVu Sans", sans-serif; }
main { max-inline-size: 28rem; margin-inline: auto; }
h1 { margin-block: 0 0.5rem; font-size: 1.75rem; line-height: 1.5; }
p { margin-block: 0 1.5rem; }
.en { display: block; color: var(--quiet); font-size: 0.9em; font-weight: 400; line-height: 1.5; text-align: start; unicode-bidi: isolate; direction: ltr; text-align: end; }
form { display: grid; gap: 0.75rem; }
.row { grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); }
button, .already a { display: block; inline-size: 100%; min-block-size: 3rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--surface); color: inherit; font: inherit; text-align: start; text-decoration: none; cursor: pointer; }
button:hover, .already a:hover { border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.name { font-weight: 600; }
.plan { display: block; }
.already { margin-block-end: 2rem; padding-block-end: 2rem; border-block-end: 1px solid var(--line); }
.already p { margin-block-end: 0.75rem; }
.already a { margin-block-end: 0.75rem; border-color: var(--accent); }
input { min-block-size: 3rem; padding: 0.5rem 1rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--surface); color: inherit; font: inherit; }
.mails { margin: 1.5rem 0 0; padding: 0; list-style: none; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; }
.mails a { display: grid; justify-items: start; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--surface); color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.mails a:hover { border-color: var(--accent); }
.mails time, dd time { color: var(--quiet); font-variant-numeric: tabular-nums; text-align: start; }
search form { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.5rem; }
search label { grid-column: 1 / -1; }
search button { inline-size: auto; padding-block: 0.25rem; border-color: var(--accent); }
.none { margin-block-start: 1.5rem; }
a { color: var(--accent); }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; margin-block: 0 1.5rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.mail { padding: 1rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--surface); overflow-wrap: anywhere; }
.mail p { margin-block: 0; min-block-size: 1.8em; }
.mail a { display: inline-block; padding-block: 0.5rem; }
summary { min-block-size: 3rem; padding-block: 0.75rem; cursor: pointer; }
pre { overflow: auto; font-size: 0.8125rem; }
`;
