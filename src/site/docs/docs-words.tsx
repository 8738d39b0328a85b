import { type Child, createContext, useContext } from "hono/jsx";
import type { Bilingual } from "../../views/bilingual.ts";
import type { Locale } from "../../views/locale.ts";

/** The page's language; almost every component needs it. */
export const Reader = createContext<Locale>("ar");

/** Backticks mark code. */
export function Prose(props: { text: string }) {
  const parts = props.text.split("`");
  return (
    <>
      {parts.map((part, i) =>
        i % 2 === 1 ? (
          <code class="term" dir="ltr">
            <Breakable text={part} />
          </code>
        ) : (
          part
        ),
      )}
    </>
  );
}

/** A path may break after each slash. */
export function Breakable(props: { text: string }) {
  return (
    <>
      {props.text.split(/(?<=[^/]\/)/).map((part, i) => (
        <>
          {i > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  );
}

export function Words(props: { words: Bilingual }) {
  return <Prose text={props.words[useContext(Reader)]} />;
}

export function Paragraph(props: { words: Bilingual }) {
  return (
    <p>
      <Words words={props.words} />
    </p>
  );
}

export function Sample(props: { caption: Child; children?: Child }) {
  return (
    <figure class="sample">
      <figcaption>{props.caption}</figcaption>
      <pre dir="ltr" tabindex={0}>
        <code>{props.children}</code>
      </pre>
    </figure>
  );
}
