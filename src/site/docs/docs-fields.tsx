import type { Bilingual } from "../../views/bilingual.ts";
import type { Field } from "../openapi/outline.ts";
import type { Schema } from "../openapi/shape.ts";
import { constraintsOf } from "./docs-constraints.ts";
import { DOCS_TEXTS } from "./docs-texts.ts";
import { Paragraph, Words } from "./docs-words.tsx";

export function Types(props: { types: readonly string[] }) {
  if (props.types.length === 0) return null;
  return (
    <p class="types">
      <Values values={props.types} />
    </p>
  );
}

export function Fields(props: { fields: readonly Field[]; asked?: boolean }) {
  if (props.fields.length === 0) return null;
  return (
    <dl class="fields">
      {props.fields.map((field) => (
        <div>
          <dt>
            <code class="name" dir="ltr">
              {field.name}
            </code>{" "}
            <span class="type" lang="en" dir="ltr">
              <Type schema={field.schema} />
            </span>{" "}
            {props.asked === true && field.required && (
              <span class="required">
                <Words words={DOCS_TEXTS.required} />
              </span>
            )}
          </dt>
          <dd>
            <Meaning field={field} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Type(props: { schema: Schema }) {
  const { schema } = props;
  const shape = shapeOf(schema);
  const text = typeOf(schema);
  if (shape === undefined) return <>{text}</>;
  return (
    <a class="anchor" href={`#${shape}`}>
      {text}
    </a>
  );
}

function shapeOf({ "x-shape": shape, items, anyOf = [] }: Schema): string | undefined {
  return shape ?? items?.["x-shape"] ?? anyOf.find((one) => one["x-shape"])?.["x-shape"];
}

function typeOf({ type = "", items, anyOf = [], "x-shape": shape }: Schema): string {
  if (shape !== undefined) return shape;
  if (anyOf.length > 0) return anyOf.map(typeOf).join(" or ");
  const types = [type].flat().join(" or ");
  return items === undefined ? types : `${types} of ${typeOf(items)}`;
}

function Meaning(props: { field: Field }) {
  const { description, schema } = props.field;
  const constraints = constraintsOf(schema);
  return (
    <>
      {description !== null && <Paragraph words={description} />}
      {constraints.length > 0 && (
        <ul class="constraints">
          {constraints.map(({ words, values }) => (
            <li>
              <Words words={words} />
              <Values values={values} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function Names(props: { words: Bilingual; names: readonly string[] }) {
  if (props.names.length === 0) return null;
  return (
    <p class="names">
      <Words words={props.words} />
      <Values values={props.names} />
    </p>
  );
}

function Values(props: { values: readonly string[] }) {
  return (
    <>
      {props.values.map((value) => (
        <>
          {" "}
          <code class="value" dir="ltr">
            {value}
          </code>
        </>
      ))}
    </>
  );
}
