/** The chapters before the routes: a first request, the error envelope and its codes, the limits. */
import type { Child } from "hono/jsx";
import { ERRORS, type ErrorCode } from "../../http/api-error.ts";
import { BEACON_PATH } from "../../http/endpoints.ts";
import { WINDOW_S } from "../../http/limits.ts";
import type { Bilingual } from "../../views/bilingual.ts";
import { detailsOf } from "../openapi/outline.ts";
import { Names } from "./docs-fields.tsx";
import { ErrorTexts } from "./docs-schema.tsx";
import { DOCS_TEXTS, number, SCOPES } from "./docs-texts.ts";
import { Breakable, Paragraph, Sample, Words } from "./docs-words.tsx";

/** The error of the request above it, if the link does not exist. */
const EXAMPLE: ErrorCode = "LINK_NOT_FOUND";

export function Chapter(props: { id: string; words: Bilingual; children?: Child }) {
  return (
    <section class="chapter" id={props.id}>
      <h2>
        <Words words={props.words} />
      </h2>
      {props.children}
    </section>
  );
}

export function FirstRequest(props: { origin: string }) {
  const { limit } = SCOPES.public;
  return (
    <Chapter id="start" words={DOCS_TEXTS.start}>
      <Paragraph words={DOCS_TEXTS.start_text} />
      <Sample caption={<Words words={DOCS_TEXTS.request} />}>
        {`curl -i ${props.origin}${BEACON_PATH} \\
  -H 'Content-Type: application/json' \\
  -d '{"page_id":"demo","link_id":"demo-shop"}'`}
      </Sample>
      <Sample caption={<Words words={DOCS_TEXTS.answer} />}>
        {`HTTP/1.1 202 Accepted
X-Beacon-Outcome: counted
RateLimit-Policy: "public";q=${limit};w=${WINDOW_S}
RateLimit: "public";r=${limit - 1};t=${WINDOW_S}

{"ok":true}`}
      </Sample>
    </Chapter>
  );
}

export function Errors() {
  return (
    <Chapter id="errors" words={DOCS_TEXTS.errors}>
      <Paragraph words={DOCS_TEXTS.errors_text} />
      <Sample caption={<Words words={DOCS_TEXTS.example} />}>
        <Envelope code={EXAMPLE} />
      </Sample>
      <ul class="codes">
        {(Object.keys(ERRORS) as ErrorCode[]).map((code) => (
          <li id={code}>
            <p class="code">
              <code class="status" dir="ltr">
                {ERRORS[code].status}
              </code>{" "}
              <code dir="ltr">{code}</code>
            </p>
            <ErrorTexts code={code} />
            <Names
              words={DOCS_TEXTS.details}
              names={detailsOf(code).filter((name) => name !== "request_id")}
            />
          </li>
        ))}
      </ul>
    </Chapter>
  );
}

/** `<bdi>` around the Arabic: without it, its full stop is shown at the wrong end. */
function Envelope(props: { code: ErrorCode }) {
  const { ar, en } = ERRORS[props.code];
  const details = { request_id: "0b9f7f0e-2f5c-4a53-9d1c-6e0a4b8f5f52" };
  const json = JSON.stringify(
    { ok: false, error: ar, message_en: en, code: props.code, details },
    null,
    2,
  );
  const [before, after] = json.split(ar);
  return (
    <>
      {before}
      <bdi lang="ar">{ar}</bdi>
      {after}
    </>
  );
}

export function Limits() {
  return (
    <Chapter id="limits" words={DOCS_TEXTS.limits}>
      <Paragraph words={DOCS_TEXTS.limits_text} />
      <table class="limits">
        <caption>
          <Words words={DOCS_TEXTS.limits_caption} />
        </caption>
        <thead>
          <tr>
            {[DOCS_TEXTS.scope, DOCS_TEXTS.limit, DOCS_TEXTS.routes].map((words) => (
              <th scope="col">
                <Words words={words} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(SCOPES).map(([scope, { limit, paths, words }]) => (
            <tr>
              <th scope="row">
                <code dir="ltr">{scope}</code>
              </th>
              <td class="figure">
                <Words words={number(limit)} />
              </td>
              <td>
                <ul class="paths">
                  {paths.map((path) => (
                    <li>
                      <code dir="ltr">
                        <Breakable text={path} />
                      </code>
                    </li>
                  ))}
                </ul>
                {words !== undefined && <Words words={words} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Chapter>
  );
}
