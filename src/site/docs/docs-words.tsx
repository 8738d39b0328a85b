/** How the reference sets words: both languages beside each other, and code inside them. */
import type { Bilingual } from "../../views/bilingual.ts";

/** Text with what stands between backticks as code. */
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

/** A path that may go on in the next line after each slash, and nowhere else where that is enough. */
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

/** A label: Arabic, and English as its echo. */
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

/** A paragraph in each language: beside each other where there is room, else below. */
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
