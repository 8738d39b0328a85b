/** Texts in both languages, with code inside of them. */
import type { Child } from "hono/jsx";
import type { Bilingual } from "../../views/bilingual.ts";

/** Text in which backticks mark code. */
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

/** A path that may break after each slash. */
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

/** A label in Arabic, then in English. */
export function Both(props: { words: Bilingual }) {
  return (
    <>
      <span>
        <Prose text={props.words.ar} />
      </span>{" "}
      <span class="echo" lang="en" dir="ltr">
        <Prose text={props.words.en} />
      </span>
    </>
  );
}

/** A paragraph in each language, side by side on wide screens. */
export function Paragraphs(props: { words: Bilingual }) {
  return (
    <div class="pair">
      <p lang="ar" dir="rtl">
        <Prose text={props.words.ar} />
      </p>
      <p lang="en" dir="ltr">
        <Prose text={props.words.en} />
      </p>
    </div>
  );
}

/** Preformatted text that scrolls in its box, by keyboard too. */
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
