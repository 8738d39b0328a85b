/**
 * `/docs`: the OpenAPI document for people, in Arabic and English.
 *
 * Not Swagger UI or Scalar: Swagger UI 5.35 is 485 KB of script and style on the wire; Scalar 1.72 is
 * 1,255 KB and needs inline styles and `eval`, which our CSP refuses. Neither has Arabic, or shows
 * anything without its script. This page is 40 KB and has no script.
 */
import { assetUrl } from "../../views/assets.ts";
import { Document } from "../../views/document.tsx";
import { Mark } from "../../views/icons.tsx";
import { USUAL_LOOK } from "../../views/look.ts";
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
import { Both, Breakable, Paragraphs, Prose } from "./docs-words.tsx";

/** The last page that was rendered. An isolate hardly ever serves two origins. */
let last: { origin: string; html: string } | null = null;

/** The page with its doctype. `origin` is this service's own, as `URL.origin` spells it. */
export function docsPage(origin: string): string {
  if (last?.origin !== origin) {
    last = { origin, html: `<!DOCTYPE html>${<DocsPage outline={outline()} origin={origin} />}` };
  }
  return last.html;
}

export function DocsPage(props: { outline: Outline; origin: string }) {
  const { outline, origin } = props;
  return (
    <Document
      locale="ar"
      look={USUAL_LOOK}
      title={`${DOCS_TEXTS.title.ar} · ${DOCS_TEXTS.title.en}`}
      preview={{
        description: DOCS_TEXTS.about.ar,
        canonical: `${origin}/docs`,
        type: "website",
        image: null,
      }}
      head={<link rel="stylesheet" href={assetUrl("docs.css")} />}
    >
      <a class="skip" href="#content">
        <Both words={DOCS_TEXTS.skip} />
      </a>
      <div class="docs" id="top">
        <Masthead outline={outline} origin={origin} />
        {/* The contents for phones, folded, and for wide screens. The style sheet shows one of the two. */}
        <details class="fold">
          <summary>
            <Both words={DOCS_TEXTS.contents} />
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
          <Both words={DOCS_TEXTS.to_top} />
        </a>
        <a href={assetUrl("licenses.txt")}>
          <Both words={DOCS_TEXTS.licenses} />
        </a>
      </footer>
    </Document>
  );
}

function Masthead(props: { outline: Outline; origin: string }) {
  const { outline, origin } = props;
  return (
    <header class="masthead">
      <a class="brand" href="/">
        <Mark />
        <span>{TEXTS.ar.product}</span>{" "}
        <span lang="en" dir="ltr">
          {TEXTS.en.product}
        </span>
      </a>
      <h1 class="pair">
        <Both words={DOCS_TEXTS.title} />
      </h1>
      <Paragraphs words={DOCS_TEXTS.about} />
      <Paragraphs words={outline.description} />
      <dl class="facts">
        <div>
          <dt>
            <Both words={DOCS_TEXTS.base} />
          </dt>
          <dd>
            <code dir="ltr">{origin}</code>
          </dd>
        </div>
        <div>
          <dt>
            <Both words={DOCS_TEXTS.version} />
          </dt>
          <dd>
            <code dir="ltr">{outline.version}</code>
          </dd>
        </div>
        <div>
          <dt>
            <Both words={DOCS_TEXTS.document} />
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

/** Links to the introduction, then to every operation under its tag. */
function Contents(props: { outline: Outline }) {
  const { start, errors, limits, shapes } = DOCS_TEXTS;
  return (
    <nav class="contents" aria-label={`${DOCS_TEXTS.contents.ar} · ${DOCS_TEXTS.contents.en}`}>
      <ul>
        {Object.entries({ start, errors, limits }).map(([id, words]) => (
          <li>
            <a class="heading" href={`#${id}`}>
              <Both words={words} />
            </a>
          </li>
        ))}
      </ul>
      {props.outline.tags.map(({ name, words, operations }) => (
        <>
          <a class="heading" href={`#${name}`}>
            <Both words={words} />
          </a>
          <ul>
            {operations.map(({ id, summary, method, path }) => (
              <li>
                <a href={`#${id}`}>
                  <span>{summary.ar}</span>
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
        <Both words={shapes} />
      </a>
    </nav>
  );
}

/** The schemas and headers that several operations use. */
function Shapes(props: { shapes: readonly Shape[]; headers: readonly Field[] }) {
  return (
    <Chapter id="shapes" words={DOCS_TEXTS.shapes}>
      {props.shapes.map(({ name, fields }) => (
        <article class="operation" id={name}>
          <h3>
            <code dir="ltr">{name}</code>
          </h3>
          <div class="technical">
            <Fields fields={fields} asked />
          </div>
        </article>
      ))}
      <article class="operation" id="headers">
        <h3>
          <Both words={DOCS_TEXTS.headers} />
        </h3>
        <div class="technical">
          <Fields fields={props.headers} />
        </div>
      </article>
    </Chapter>
  );
}

function OperationCard(props: { operation: OutlinedOperation }) {
  const { id, method, path, summary, description, security } = props.operation;
  return (
    <article class="operation" id={id}>
      <p class="endpoint" dir="ltr">
        <code class={`method ${method.toLowerCase()}`}>{method}</code>{" "}
        <code>
          <Breakable text={path} />
        </code>
      </p>
      <h3 class="pair">
        <span lang="ar" dir="rtl">
          <Prose text={summary.ar} />
        </span>{" "}
        <span lang="en" dir="ltr">
          <Prose text={summary.en} />
        </span>
      </h3>
      <Paragraphs words={description} />
      {security.map((scheme) => (
        <Paragraphs words={SECURITY[scheme] ?? DOCS_TEXTS.required} />
      ))}
      <Technical operation={props.operation} />
    </article>
  );
}
