/**
 * `/docs`: the OpenAPI document for people, in Arabic or English.
 *
 * Not Swagger UI or Scalar: Swagger UI 5.35 is 485 KB of script and style on the wire; Scalar 1.72 is
 * 1,255 KB and needs inline styles and `eval`, which our CSP refuses. Neither has Arabic, or shows
 * anything without its script. This page is less than 46 KB and has no script: what is long is folded.
 */
import { type Child, useContext } from "hono/jsx";
import { assetUrl } from "../../views/assets.ts";
import { Document } from "../../views/document.tsx";
import { Mark } from "../../views/icons.tsx";
import { LOCALES, type Locale } from "../../views/locale.ts";
import { USUAL_LOOK } from "../../views/look-values.ts";
import { TEXTS } from "../../views/texts.ts";
import {
  type Field,
  type Outline,
  type OutlinedOperation,
  outline,
  type Shape,
} from "../openapi/outline.ts";
import { Fields } from "./docs-fields.tsx";
import { Chapter, Errors, FirstRequest, Limits } from "./docs-intro.tsx";
import { Technical } from "./docs-schema.tsx";
import { DOCS_TEXTS, SECURITY } from "./docs-texts.ts";
import { Breakable, Paragraph, Reader, Words } from "./docs-words.tsx";

export function docsPage(origin: string, locale: Locale): string {
  return `<!DOCTYPE html>${<DocsPage outline={outline()} origin={origin} locale={locale} />}`;
}

interface DocsProps {
  outline: Outline;
  origin: string;
  locale: Locale;
}

export function DocsPage(props: DocsProps) {
  return (
    <Reader.Provider value={props.locale}>
      <Page {...props} />
    </Reader.Provider>
  );
}

function Page({ outline, origin, locale }: DocsProps) {
  return (
    <Document
      locale={locale}
      look={USUAL_LOOK}
      title={DOCS_TEXTS.title[locale]}
      preview={{
        description: DOCS_TEXTS.about[locale],
        canonical: `${origin}/docs/${locale}`,
        type: "website",
        image: null,
      }}
      head={
        <>
          {LOCALES.map((one) => (
            <link rel="alternate" hreflang={one} href={`${origin}/docs/${one}`} />
          ))}
          <link rel="alternate" hreflang="x-default" href={`${origin}/docs`} />
          <link rel="stylesheet" href={assetUrl("docs.css")} />
        </>
      }
    >
      <a class="skip" href="#content">
        <Words words={DOCS_TEXTS.skip} />
      </a>
      <div class="docs" id="top">
        <Masthead outline={outline} origin={origin} locale={locale} />
        {/* The contents for phones, folded, and for wide screens. The style sheet shows one of the two. */}
        <details class="fold">
          <summary>
            <Words words={DOCS_TEXTS.contents} />
          </summary>
          <Contents outline={outline} />
        </details>
        <div class="side">
          <Contents outline={outline} />
        </div>
        <main id="content">
          <FirstRequest origin={origin} />
          <Errors />
          <Limits />
          {outline.tags.map(({ name, words, operations }) => (
            <Chapter id={name} words={words}>
              {operations.map((operation) => (
                <OperationCard operation={operation} />
              ))}
            </Chapter>
          ))}
          <Shapes shapes={outline.shapes} headers={outline.headers} />
        </main>
      </div>
      <footer class="footer">
        <a href="#top">
          <Mark />
          <Words words={DOCS_TEXTS.to_top} />
        </a>
        <a href={assetUrl("licenses.txt")}>
          <Words words={DOCS_TEXTS.licenses} />
        </a>
      </footer>
    </Document>
  );
}

function Masthead({ outline, origin, locale }: DocsProps) {
  const other = LOCALES.find((one) => one !== locale) ?? locale;
  return (
    <header class="masthead">
      <div class="top">
        <a class="brand" href={`/${locale}`}>
          <Mark />
          <span>{TEXTS[locale].product}</span>
        </a>
        <a class="other" href={`/docs/${other}`} lang={other} hreflang={other}>
          {TEXTS[other].own_name}
        </a>
      </div>
      <h1>
        <Words words={DOCS_TEXTS.title} />
      </h1>
      <Paragraph words={DOCS_TEXTS.about} />
      <Paragraph words={outline.description} />
      <dl class="facts">
        <div>
          <dt>
            <Words words={DOCS_TEXTS.base} />
          </dt>
          <dd>
            <code dir="ltr">{origin}</code>
          </dd>
        </div>
        <div>
          <dt>
            <Words words={DOCS_TEXTS.version} />
          </dt>
          <dd>
            <code dir="ltr">{outline.version}</code>
          </dd>
        </div>
        <div>
          <dt>
            <Words words={DOCS_TEXTS.document} />
          </dt>
          <dd>
            <a class="anchor" href="/openapi.json">
              <code dir="ltr">/openapi.json</code>
            </a>
          </dd>
        </div>
      </dl>
    </header>
  );
}

function Contents(props: { outline: Outline }) {
  const { start, errors, limits, shapes } = DOCS_TEXTS;
  return (
    <nav class="contents" aria-label={DOCS_TEXTS.contents[useContext(Reader)]}>
      <ul>
        {Object.entries({ start, errors, limits }).map(([id, words]) => (
          <li>
            <a class="heading" href={`#${id}`}>
              <Words words={words} />
            </a>
          </li>
        ))}
      </ul>
      {props.outline.tags.map(({ name, words, operations }) => (
        <>
          <a class="heading" href={`#${name}`}>
            <Words words={words} />
          </a>
          <ul>
            {operations.map(({ id, summary, method, path }) => (
              <li>
                <a href={`#${id}`}>
                  <span>
                    <Words words={summary} />
                  </span>
                  <code dir="ltr">
                    {method} <Breakable text={path} />
                  </code>
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
      <a class="heading" href="#shapes">
        <Words words={shapes} />
      </a>
    </nav>
  );
}

function Shapes(props: { shapes: readonly Shape[]; headers: readonly Field[] }) {
  return (
    <Chapter id="shapes" words={DOCS_TEXTS.shapes}>
      {props.shapes.map(({ name, fields }) => (
        <Card id={name} title={<code dir="ltr">{name}</code>}>
          <div class="technical">
            <Fields fields={fields} asked />
          </div>
        </Card>
      ))}
      <Card id="headers" title={<Words words={DOCS_TEXTS.headers} />}>
        <div class="technical">
          <Fields fields={props.headers} />
        </div>
      </Card>
    </Chapter>
  );
}

function OperationCard(props: { operation: OutlinedOperation }) {
  const { id, method, path, summary, description, security } = props.operation;
  const endpoint = (
    <span class="endpoint" dir="ltr">
      <code class={`method ${method.toLowerCase()}`}>{method}</code>{" "}
      <code>
        <Breakable text={path} />
      </code>
    </span>
  );
  return (
    <Card id={id} title={<Words words={summary} />} endpoint={endpoint}>
      <div class="about">
        <Paragraph words={description} />
        {security.map((scheme) => (
          <Paragraph words={SECURITY[scheme] ?? DOCS_TEXTS.required} />
        ))}
      </div>
      <Technical operation={props.operation} />
    </Card>
  );
}

/** Folded, as there are many: readers look for its heading. */
function Card(props: { id: string; title: Child; endpoint?: Child; children?: Child }) {
  return (
    <article class="operation" id={props.id}>
      <details>
        <summary class="head">
          {props.endpoint}
          <h3>{props.title}</h3>
        </summary>
        {props.children}
      </details>
    </article>
  );
}
