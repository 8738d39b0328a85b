import { useContext } from "hono/jsx";
import { ERRORS } from "../../http/api-error.ts";
import { HEADERS } from "../../openapi/responses.ts";
import type { Answer, Example, OutlinedOperation } from "../openapi/outline.ts";
import { Fields, Names, Types } from "./docs-fields.tsx";
import { DOCS_TEXTS, PLACES, STATUSES } from "./docs-texts.ts";
import { Paragraph, Prose, Reader, Sample, Words } from "./docs-words.tsx";

export function Technical(props: { operation: OutlinedOperation }) {
  const { parameters, body, answers } = props.operation;
  const failures = answers.filter(({ errors }) => errors.length > 0);
  const successes = answers.filter(({ errors }) => errors.length === 0);
  return (
    <div class="technical">
      {parameters.map(({ place, fields }) => (
        <section>
          <h4>
            <Words words={PLACES[place] ?? { ar: place, en: place }} />
          </h4>
          <Fields fields={fields} asked />
        </section>
      ))}
      {body !== null && (
        <section>
          <h4>
            <Words words={DOCS_TEXTS.body} />
          </h4>
          <Types types={body.types} />
          {body.shape !== null && (
            <a class="anchor" href={`#${body.shape}`}>
              <code dir="ltr">{body.shape}</code>
            </a>
          )}
          <Fields fields={body.fields} asked />
          <Examples examples={body.examples} />
        </section>
      )}
      <section>
        <h4>
          <Words words={DOCS_TEXTS.answers} />
        </h4>
        <ul class="answers">
          {successes.map((answer) => (
            <Success answer={answer} />
          ))}
        </ul>
        <Failures answers={failures} />
      </section>
    </div>
  );
}

/** Folded: some are long. */
function Examples(props: { examples: readonly Example[] }) {
  if (props.examples.length === 0) return null;
  return (
    <details class="examples">
      <summary>
        <Words words={DOCS_TEXTS.example} />
      </summary>
      {props.examples.map(({ types, text }) => (
        <Sample caption={<Types types={types} />}>{text}</Sample>
      ))}
    </details>
  );
}

function Success(props: { answer: Answer }) {
  const { status, description, types, fields, headers } = props.answer;
  // The document describes a status at this route in English only.
  const arabic = useContext(Reader) === "ar" ? STATUSES[status] : undefined;
  return (
    <li>
      <p class="outcome">
        <code class="status" dir="ltr">
          {status}
        </code>{" "}
        {arabic !== undefined && <span>{arabic}</span>}{" "}
        <span lang="en" dir="ltr">
          <Prose text={description} />
        </span>
      </p>
      <Types types={types} />
      <Fields fields={fields} />
      <Names words={DOCS_TEXTS.headers} names={headers.map(({ name }) => name)} />
      <Fields fields={headers.filter(({ name }) => !(name in HEADERS))} />
    </li>
  );
}

/** Folded, because they are similar for all routes; the summary shows the statuses. */
function Failures(props: { answers: readonly Answer[] }) {
  if (props.answers.length === 0) return null;
  return (
    <details class="failures">
      <summary>
        <Words words={DOCS_TEXTS.errors} />
        {props.answers.map(({ status }) => (
          <>
            {" "}
            <code class="status" dir="ltr">
              {status}
            </code>
          </>
        ))}
      </summary>
      <ul class="codes">
        {props.answers.flatMap(({ status, description, errors, headers }) =>
          errors.map(({ code, details }) => (
            <li>
              <p class="code">
                <code class="status" dir="ltr">
                  {status}
                </code>{" "}
                <a class="anchor" href={`#${code}`}>
                  <code dir="ltr">{code}</code>
                </a>
              </p>
              {description !== "" && (
                <p class="names" lang="en" dir="ltr">
                  <Prose text={description} />
                </p>
              )}
              <Names words={DOCS_TEXTS.details} names={details} />
              <Names words={DOCS_TEXTS.headers} names={headers.map(({ name }) => name)} />
            </li>
          )),
        )}
      </ul>
    </details>
  );
}

export function ErrorTexts(props: { code: keyof typeof ERRORS }) {
  const { ar, en } = ERRORS[props.code];
  return <Paragraph words={{ ar, en }} />;
}
